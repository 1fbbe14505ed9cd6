// Rules of the five tables and their hit counters (docs/behaviour/firewall.md 2).

import type { Static, TObject, TOptional, TProperties } from 'typebox'
import {
  addressKinds,
  interfaceKinds,
  type Kind,
  portKinds,
  refers,
  timeKinds,
} from '../../core/contract/annotations.ts'
import { orderedEndpoints, settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, Enabled, named, nullable, oneOf, rootGroup, strictObject } from '../../core/contract/fields.ts'
import { neutral, oneBlock } from '../../core/contract/newer-forms.ts'
import { Type } from '../../core/contract/schema.ts'

export const maxObjects = 200

/** The group of a gateway that is not managed by a central console. */
export { rootGroup }

export const protocolIds = [
  'any',
  'protocol.tcp',
  'protocol.udp',
  'protocol.icmp',
  'protocol.gre',
  'protocol.esp',
  'protocol.ah',
] as const

/** `reject` is not of v19, but newer clients of this interface send it. */
const filterActions = ['accept', 'drop', 'reject'] as const

/** The form of an id; the declarations in lists.ts know which ones exist. */
export const ObjectId = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,80}$',
  'x-fault': 'Must be the id of an object.',
})

const objects = (kinds: readonly Kind[], description: string) =>
  Type.Array(refers(['any', ...kinds], ObjectId), { minItems: 1, maxItems: maxObjects, uniqueItems: true, description })

const ProfileId = Type.String({
  pattern: '^[A-Za-z0-9_-]{0,80}$',
  'x-fault': 'Must be the id of a profile, or empty.',
})

const Change = (kinds: readonly Kind[], description: string) =>
  nullable(
    Type.String({
      'x-refers': kinds,
      pattern: '^[A-Za-z0-9_.-]{1,80}$',
      'x-fault': 'Must be an address, a port, a range of them, or the id of an object.',
      description,
    }),
  )

const shared = {
  parent_id: Type.String({
    'x-refers': ['server_group'],
    pattern: '^[A-Za-z0-9-]{1,80}$',
    'x-fault': 'Must be the id of a group.',
    description: 'Group of the server in the central console, or the root group.',
  }),
  enabled: Type.Boolean(),
  protocol: oneOf(protocolIds),
  source_addresses: objects(addressKinds, '["any"] or ids of address objects.'),
  source_addresses_negate: Type.Boolean({ description: 'Match every source but these.' }),
  source_ports: objects(portKinds, '["any"] or ids of port objects; only with TCP or UDP.'),
  destination_addresses: objects(addressKinds, '["any"] or ids of address objects.'),
  destination_addresses_negate: Type.Boolean({ description: 'Match every destination but these.' }),
  destination_ports: objects(portKinds, '["any"] or ids of port objects; only with TCP or UDP.'),
  timetable: objects(timeKinds, '["any"] or ids of time objects: the rule works only inside these times.'),
  comment: Comment,
}

const InterfaceId = refers(['any', ...interfaceKinds], ObjectId)

const incoming = { incoming_interface: InterfaceId }
const outgoing = { outgoing_interface: InterfaceId }

const inspection = {
  hip_profiles: Type.Array(refers(['hip_profile'], ObjectId), {
    maxItems: maxObjects,
    uniqueItems: true,
    description: 'Device profiles, one of which the source must hold; empty: no condition. Used by FORWARD only.',
  }),
  dpi_enabled: Type.Boolean({ description: 'Send accepted traffic to application control.' }),
  dpi_profile: refers(['dpi_profile'], ProfileId),
  ips_enabled: Type.Boolean({ description: 'Send accepted traffic to intrusion prevention.' }),
  ips_profile: refers(['ips_profile'], ProfileId),
}

export const FilterFields = strictObject({
  ...shared,
  ...incoming,
  ...outgoing,
  ...inspection,
  action: oneOf(filterActions, 'reject: drop, and answer with a TCP reset or an ICMP error.'),
})

export const DnatFields = strictObject({
  ...shared,
  ...incoming,
  action: oneOf(['accept', 'dnat'], 'accept: do not translate.'),
  change_destination_address: Change(['ip', 'ip_range'], 'Address or range of addresses; null keeps it.'),
  change_destination_port: Change(['port', 'port_range'], 'Port or range of ports; null keeps it.'),
})

export const SnatFields = strictObject({
  ...shared,
  ...outgoing,
  action: oneOf(['accept', 'snat'], 'accept: do not translate.'),
  change_source_address: Change(
    ['ip', 'ip_range'],
    'Address or range of addresses; null takes that of the outgoing interface.',
  ),
})

export const LogFields = strictObject({
  ...shared,
  ...incoming,
  ...outgoing,
  action: oneOf(['mark_log', 'mark_not_log']),
})

const stored = <P extends TProperties>(fields: TObject<P>) => strictObject({ id: Type.Integer(), ...fields.properties })

export const FilterRule = stored(FilterFields)
export const DnatRule = stored(DnatFields)
export const SnatRule = stored(SnatFields)
export const LogRule = stored(LogFields)
export type FilterRule = Static<typeof FilterRule>
export type DnatRule = Static<typeof DnatRule>
export type SnatRule = Static<typeof SnatRule>
export type LogRule = Static<typeof LogRule>

/** A rule of any table, with the fields that only some of them have left open. */
export type Rule = Pick<FilterRule, keyof typeof shared | 'id'> &
  Partial<Pick<FilterRule, keyof typeof inspection | 'incoming_interface' | 'outgoing_interface'>> &
  Partial<Pick<DnatRule, 'change_destination_address' | 'change_destination_port'>> &
  Partial<Pick<SnatRule, 'change_source_address'>> & { readonly action: string }

type Creation<P extends TProperties> = { [N in keyof P]: N extends 'action' ? P[N] : TOptional<P[N]> }

/** Every field but the action may be left out of a creation; config.ts has the defaults. */
const creation = <P extends TProperties>({ properties }: TObject<P>): TObject<Creation<P>> =>
  strictObject(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, name === 'action' ? schema : Type.Optional(schema)]),
    ) as Creation<P>,
  )

/** `["any"]` and ids as in `source_addresses`. */
const Block = {
  addresses: objects(addressKinds, '["any"] or ids of address objects.'),
  addresses_negate: Type.Optional(Type.Boolean({ description: 'Match every address but these.' })),
}

/** Forms of newer clients: routes-rules.ts shows them beside the fields above, lists.ts turns them into these. */
const blocks = {
  sources: oneBlock(Block, 'source_addresses'),
  destinations: oneBlock(Block, 'destination_addresses'),
}
const newerForward = {
  logging: neutral([false], 'Must be false: which connections are logged is decided by LOG rules.'),
  hip_profiles_negate: neutral([false], 'Must be false: a rule cannot exclude device profiles.'),
}
/** What is left out of a stored rule. */
export const neutralFields = Object.keys(newerForward)

const ruleEndpoints = <const Table extends string, P extends TProperties, V extends TProperties, N extends TProperties>(
  table: Table,
  fields: TObject<P>,
  shown: TObject<V>,
  newer: N,
) => {
  const body = strictObject({ ...creation(fields).properties, ...blocks, ...newer })
  const path = `/firewall/rules/${table.toLowerCase() as Lowercase<Table>}` as const
  const item = `${table === 'INPUT' ? 'an' : 'a'} ${table} rule`
  return {
    ...orderedEndpoints({
      path,
      title: `${table} rules in their order`,
      item,
      idName: 'rule_id',
      change: 'firewall',
      fields: body,
      shown: strictObject({ ...shown.properties, ...blocks }),
    }),
    replace: endpoint({
      method: 'PUT',
      path: `${path}/:rule_id` as const,
      access: 'firewall',
      summary: `Replace ${item}`,
      description: 'The whole rule: what is not sent gets its default.',
      body: strictObject({ id: Type.Optional(Type.Integer()), ...body.properties }),
    }),
  }
}

export const forwardRules = ruleEndpoints('FORWARD', FilterFields, FilterRule, newerForward)
export const inputRules = ruleEndpoints('INPUT', FilterFields, FilterRule, {})
export const dnatRules = ruleEndpoints('DNAT', DnatFields, DnatRule, {})
export const snatRules = ruleEndpoints('SNAT', SnatFields, SnatRule, {})
export const logRules = ruleEndpoints('LOG', LogFields, LogRule, {})

export const firewallWatch = settingsEndpoints({
  path: '/firewall/watch',
  title: 'state of the hit counters',
  schema: Enabled,
  change: 'firewall',
})

export const HitCounter = strictObject({
  id: Type.Integer({ description: 'Id of the rule.' }),
  packets: Type.Integer({ description: 'How often the rule matched since it was created.' }),
})

const counterEndpoint = (table: string) =>
  endpoint({
    method: 'GET',
    path: `/firewall/counters/${table.toLowerCase()}`,
    access: 'view',
    summary: `List the hit counters of the ${table} rules`,
    reply: Type.Array(HitCounter),
  })

const counterTables = ['forward', 'input', 'dnat', 'snat', 'log'] as const

/** One call for all tables, and only what changed: ten thousand rules are asked for every few seconds. */
export const changedCounters = endpoint({
  method: 'GET',
  path: '/firewall/counters',
  access: 'view',
  summary: 'List the hit counters of all rules, or those that changed',
  query: strictObject({
    table: Type.Optional(oneOf(counterTables, 'Only the rules of this table.')),
    since: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9.\\-]{1,80}$',
        'x-fault': 'Must be the cursor of an earlier reply.',
        description: 'The cursor of an earlier reply: only counters that changed after it.',
      }),
    ),
  }),
  reply: named(
    'CounterReading',
    strictObject({
      cursor: Type.String({ description: 'For the next call.' }),
      complete: Type.Boolean({
        description: 'Whether all counters are listed: without a cursor, and with one from before the last start.',
      }),
      counters: Type.Array(
        named(
          'RuleCounter',
          strictObject({
            table: oneOf(counterTables),
            id: Type.Integer({ description: 'Id of the rule.' }),
            packets: Type.Integer({ description: 'How often the rule matched since it was created.' }),
            bytes: Type.Integer({ 'x-unit': 'bytes', description: 'Size of these packets.' }),
            since: nullable(
              Type.Integer({ 'x-time': 'unix', description: 'Unix seconds; null when the rule is not counted yet.' }),
            ),
            last_hit: nullable(
              Type.Integer({
                'x-time': 'unix',
                description: 'Unix seconds at which the last hit was read; null without hits.',
              }),
            ),
          }),
        ),
      ),
    }),
  ),
})

export const systemCounters = endpoint({
  method: 'GET',
  path: '/firewall/counters/system',
  access: 'view',
  summary: 'List the hit counters of the system rules for connections from outside',
  description: 'What external interfaces sent that no rule of an administrator decided about.',
  reply: Type.Array(
    strictObject({
      rule_id: Type.String({ description: 'inp.sys.external and fwd.sys.external drop.' }),
      packets: Type.Integer({ description: 'How often the rule matched.' }),
    }),
  ),
})

export const hitCounters = {
  forward: counterEndpoint('FORWARD'),
  input: counterEndpoint('INPUT'),
  dnat: counterEndpoint('DNAT'),
  snat: counterEndpoint('SNAT'),
  log: counterEndpoint('LOG'),
}
