// The firewall log: what rules recorded about marked connections (docs/behaviour/firewall.md 5). The endpoint is our own addition.

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { jsonQuery, nullable, oneOf, pageQuery, strictObject, tableQuery } from '../../core/contract/fields.ts'
import { journalBuckets, moment } from '../../core/contract/log-reports.ts'
import { Type } from '../../core/contract/schema.ts'
import { type Column, journalQuery } from '../../core/contract/table-query.ts'

export const logTables = ['FWD', 'INP', 'DNAT', 'SNAT', 'LOG', 'ACL', 'SYS'] as const

/** What the tables do, what access lists do, and the note that records are missing. */
export const loggedActions = [
  'accept',
  'drop',
  'reject',
  'dnat',
  'snat',
  'mark_log',
  'mark_not_log',
  'allow',
  'deny',
  'lost',
] as const

const Port = nullable(Type.Integer({ description: 'Null where the protocol has no ports.' }))

export const FirewallLogRecord = strictObject({
  time: Type.String({ 'x-time': 'iso', description: 'ISO 8601, UTC.' }),
  table: oneOf(logTables, 'SYS: a note of the log itself.'),
  rule_id: Type.String({ description: 'Id of the rule or access control list.' }),
  action: oneOf(loggedActions),
  protocol: Type.String({ description: 'TCP, UDP, ICMP and so on, or a number.' }),
  source_ip: Type.String(),
  source_port: Port,
  destination_ip: Type.String(),
  destination_port: Port,
  in_interface: Type.String({ description: 'Empty for packets of the gateway itself.' }),
  out_interface: Type.String({ description: 'Empty for packets to the gateway itself.' }),
  length: Type.Integer({ 'x-unit': 'bytes', description: 'Bytes of the packet.' }),
  lost: Type.Integer({ description: 'How many records are missing at this place; 0 in the record of a packet.' }),
  text: Type.String({ description: 'The record in one line, as a collector gets it.' }),
})
export type FirewallLogRecord = Static<typeof FirewallLogRecord>

export const firewallLogColumns = Object.keys(FirewallLogRecord.properties) as (keyof FirewallLogRecord)[]

const numbers = new Set(['source_port', 'destination_port', 'length', 'lost'])

export const firewallLogTypes: readonly Column[] = firewallLogColumns.map((name) => ({
  name,
  type: numbers.has(name) ? 'Int64' : 'String',
}))

const { search, filter } = journalQuery(firewallLogColumns).properties

const Address = Type.String({
  pattern: '^[0-9a-fA-F:.]{2,45}$',
  'x-fault': 'Must be an address.',
  description: 'Exactly this address.',
})

const RuleId = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$', 'x-fault': 'Must be the id of a rule.' })

export const listFirewallLog = endpoint({
  method: 'GET',
  path: '/firewall/log',
  access: 'view',
  summary: 'List the firewall log, newest first',
  description:
    'The log has a size limit: the oldest records are removed for new ones. With table and rule_id: the records of one rule.',
  query: strictObject({
    ...tableQuery(firewallLogColumns).properties,
    ...pageQuery,
    table: Type.Optional(oneOf(logTables)),
    rule_id: Type.Optional(RuleId),
    action: Type.Optional(oneOf(loggedActions)),
    source_ip: Type.Optional(Address),
    destination_ip: Type.Optional(Address),
    search,
    filter,
    from: moment('Only records of this moment and later, in Unix seconds.'),
    until: moment('Only records before this moment, in Unix seconds.'),
  }),
  reply: Type.Array(FirewallLogRecord),
  alsoReplies: ['text/csv'],
})

export const firewallLogBuckets = journalBuckets(
  '/firewall/log/buckets',
  'Count records of the firewall log by time',
  { search, filter },
  'view',
)

export const LoggedRule = strictObject({
  table: oneOf(logTables),
  rule_id: Type.String(),
  exists: Type.Boolean({ description: 'False: the rule was removed since.' }),
  path: nullable(
    Type.String({ description: 'Where the rule is, such as /firewall/rules/forward/7; null when it is gone.' }),
  ),
  name: Type.String({ description: 'The comment of the rule, or the name of the access control list; may be empty.' }),
  action: nullable(Type.String({ description: 'What the rule does now; null for an access control list.' })),
  enabled: Type.Boolean(),
})
export type LoggedRule = Static<typeof LoggedRule>

export const showLoggedRules = endpoint({
  method: 'GET',
  path: '/firewall/log/rules',
  access: 'view',
  summary: 'Show the rules that records of the firewall log name',
  description: 'As they are now, in the order asked for: a rule can be another one than at the time of the record.',
  query: strictObject({
    rules: jsonQuery(
      Type.Array(strictObject({ table: oneOf(logTables), rule_id: RuleId }), {
        minItems: 1,
        maxItems: 200,
        description: 'Tables and ids as in the records.',
      }),
    ),
  }),
  reply: Type.Array(LoggedRule),
})
