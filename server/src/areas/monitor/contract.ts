// Monitoring: current traffic, flow export, SNMP and the monitoring agent (docs/behaviour/monitor.md). Journals are in
// contract-journals.ts.

import type { Static } from 'typebox'
import { addressKinds, secret } from '../../core/contract/annotations.ts'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Enabled, nullable, patchOf, StatusItem, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { maxOffset, maxRows, sortQuery } from '../../core/contract/table-query.ts'
import { addressPattern } from '../../shared/net/ipv4.ts'

export { authJournal, authJournalValues, trafficBuckets, trafficJournal } from './contract-journals.ts'

const Aliases = Type.Array(Type.String({ 'x-refers': addressKinds }), {
  description: 'Ids of the objects that contain the address.',
})
const Rate = (unit: 'Bytes' | 'Packets', way: string) =>
  Type.Integer({ 'x-unit': `${unit.toLowerCase()}_per_second`, description: `${unit} per second, ${way}.` })

const rates = {
  bps_in: Rate('Bytes', 'to the source'),
  bps_out: Rate('Bytes', 'from the source'),
  pps_in: Rate('Packets', 'to the source'),
  pps_out: Rate('Packets', 'from the source'),
}

export const TrafficSession = strictObject({
  id: Type.String({ description: 'ULID.' }),
  source_ip: Type.String(),
  src_aliases: Aliases,
  destination_ip: Type.String({ description: 'After destination translation: the machine behind it.' }),
  dst_aliases: Aliases,
  source_proto: Type.String({ description: 'Protocol, with the port for TCP and UDP: TCP:51000.' }),
  destination_proto: Type.String(),
  application: Type.String({ description: 'Name; empty when it is not recognised.' }),
  duration: Type.Integer({ 'x-unit': 'seconds', description: 'Seconds since it began.' }),
  ...rates,
  in_iface_alias: Type.String({
    'x-refers': ['interface'],
    description: 'Interface the source is behind; empty for the gateway itself and when it is unknown.',
  }),
  out_iface_alias: Type.String({ 'x-refers': ['interface'], description: 'Interface the destination is behind.' }),
})
export type TrafficSession = Static<typeof TrafficSession>

export const TopSource = strictObject({
  source_ip: Type.String(),
  src_aliases: Aliases,
  ...rates,
  sessions: Type.Integer(),
})
export type TopSource = Static<typeof TopSource>

export const TopApplication = strictObject({ application: Type.String(), ...rates, sessions: Type.Integer() })
export type TopApplication = Static<typeof TopApplication>

const trafficQuery = <const T extends readonly string[]>(names: T) =>
  strictObject({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxRows })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: maxOffset })),
    sort: sortQuery(names),
  })

const namesOf = (schema: { readonly properties: object }): readonly string[] => Object.keys(schema.properties)

const nothingToShow =
  'Only what the kernel tracks at this moment; there is no history. The status shows why a list is empty or incomplete.'

export const traffic = {
  sessions: endpoint({
    method: 'GET',
    path: '/reports/traffic/sessions',
    access: 'reports',
    summary: 'List the sessions that pass through the gateway',
    description: `Longest first unless sorted otherwise. ${nothingToShow}`,
    query: trafficQuery(namesOf(TrafficSession)),
    reply: Type.Array(TrafficSession),
  }),
  sources: endpoint({
    method: 'GET',
    path: '/reports/traffic/top/sources',
    access: 'reports',
    summary: 'List the hosts with the most sessions',
    description: `Sessions by local host, in whichever direction they were opened. ${nothingToShow}`,
    query: trafficQuery(namesOf(TopSource)),
    reply: Type.Array(TopSource),
  }),
  applications: endpoint({
    method: 'GET',
    path: '/reports/traffic/top/applications',
    access: 'reports',
    summary: 'List the applications with the most sessions',
    description: nothingToShow,
    query: trafficQuery(namesOf(TopApplication)),
    reply: Type.Array(TopApplication),
  }),
  /** Without it an empty list would claim that there is no traffic (docs/behaviour/monitor.md 2). */
  status: endpoint({
    method: 'GET',
    path: '/reports/traffic/status',
    access: 'reports',
    summary: 'Show the status of the traffic monitor',
    reply: Type.Array(StatusItem),
  }),
}

export const applicationDetection = settingsEndpoints({
  path: '/monitor/application_detection',
  title: 'detection of applications',
  schema: Enabled,
  change: 'configure',
})

export const applicationDetectionStatus = endpoint({
  method: 'GET',
  path: '/monitor/application_detection/status',
  access: 'view',
  summary: 'Show the status of the detection of applications',
  reply: Type.Array(StatusItem),
})

const Port = Type.Integer({ minimum: 1, maximum: 65_535 })

export const FlowSettings = strictObject({
  version: Type.Unsafe<5 | 9 | 10>({ type: 'integer', enum: [5, 9, 10], description: '10 is IPFIX.' }),
  exported_interfaces: Type.Array(
    Type.String({
      'x-refers': ['interface'],
      pattern: '^[A-Za-z0-9_.\\-]{1,80}$',
      'x-fault': 'Must be the id of an interface.',
    }),
    {
      maxItems: 200,
      uniqueItems: true,
      description: 'Interfaces whose flows are exported; empty: nothing is exported.',
    },
  ),
  destination_ip: Type.String({
    pattern: `^(?:${addressPattern})?$`,
    'x-fault': 'Must be the IPv4 address of the collector, or empty.',
    description: 'Empty: nothing is exported.',
  }),
  destination_port: Port,
  active_flow_interval: Type.Integer({ minimum: 60, maximum: 3600, 'x-unit': 'seconds', description: 'Seconds.' }),
  template_tx_counter: nullable(
    Type.Integer({
      minimum: 10,
      maximum: 6000,
      'x-unit': 'packets',
      description: 'Packets between templates; null with version 5.',
    }),
  ),
  template_tx_interval: nullable(
    Type.Integer({
      minimum: 60,
      maximum: 86_400,
      'x-unit': 'seconds',
      description: 'Seconds between templates; null with version 5.',
    }),
  ),
})
export type FlowSettings = Static<typeof FlowSettings>

const flowEndpoints = (prefix: string) => ({
  state: settingsEndpoints({
    path: `${prefix}/netflow-export/state`,
    title: 'state of the flow export',
    schema: Enabled,
    change: 'configure',
  }),
  settings: settingsEndpoints({
    path: `${prefix}/netflow-export/settings`,
    title: 'flow export settings',
    schema: FlowSettings,
    change: 'configure',
  }),
})

/** Also served without the prefix, which no other path has (docs/behaviour/monitor.md 3). */
const [prefixed, plain] = [flowEndpoints('/api'), flowEndpoints('')]
export const flowState = prefixed.state
export const flowSettings = prefixed.settings
export const plainFlowState = plain.state
export const plainFlowSettings = plain.settings

/** Has the form of all other statuses (docs/behaviour/monitor.md 3). */
export const flowStatus = endpoint({
  method: 'GET',
  path: '/api/netflow-export/status',
  access: 'view',
  summary: 'Show the status of the flow export',
  reply: Type.Array(StatusItem),
})

const SnmpVersion = Type.Unsafe<2 | 3>({ type: 'integer', enum: [2, 3], description: '2 means versions 1 and 2c.' })

const Host = Type.String({
  pattern: `^${addressPattern}(?:/(?:[0-9]|[12][0-9]|3[0-2]))?$`,
  'x-fault': 'Must be an IPv4 address or network such as 192.168.0.0/24.',
})

const Hosts = Type.Array(Host, { maxItems: 1000, uniqueItems: true, description: 'Only these can read.' })

const Words = text({ maxLength: 255 })

const snmpTexts = { user: Words, location: Words, contact: Words, name: Words }

/** Empty, or at least eight characters as the standard demands (RFC 3414, section 11.2). */
const Secret = Type.String({
  'x-secret': true,
  maxLength: 255,
  pattern: '^(?:[\\u0020-\\u007e]{8,255}|\\*\\*\\*)?$',
  'x-fault': 'Must be empty or have at least 8 printable ASCII characters.',
})

export const SnmpSettings = strictObject({
  ...snmpTexts,
  allow_external: Type.Boolean({ description: 'Also answer on external interfaces.' }),
  version: SnmpVersion,
  community: Type.String({ 'x-secret': true, description: 'Masked, except for administrators with full access.' }),
  password: Type.String({ 'x-secret': true, description: 'Masked in the same way.' }),
  private_key: Type.String({ 'x-secret': true, description: 'Encryption key of version 3; masked in the same way.' }),
  hosts: Hosts,
})
export type SnmpSettings = Static<typeof SnmpSettings>

const SnmpPatch = patchOf(
  strictObject({
    ...snmpTexts,
    allow_external: Type.Boolean(),
    version: Type.Unsafe<2 | 3 | '2' | '3'>({ enum: [2, 3, '2', '3'] }),
    community: nullable(secret(Words)),
    password: nullable(Secret),
    private_key: nullable(Secret),
    hosts: Type.Union([
      Hosts,
      Type.Unsafe<''>({
        type: 'string',
        enum: [''],
        'x-fault': 'Must be a list, or an empty text for the empty list.',
        description: 'The empty list.',
      }),
    ]),
  }),
)
export type SnmpPatch = Static<typeof SnmpPatch>

export const snmpState = settingsEndpoints({
  path: '/monitor_backend/snmp/state',
  title: 'state of SNMP',
  schema: Enabled,
  change: 'configure',
})

export const snmpStatus = endpoint({
  method: 'GET',
  path: '/monitor_backend/snmp/status',
  access: 'view',
  summary: 'Show the SNMP status',
  reply: Type.Array(StatusItem),
})

export const snmpSettings = {
  show: endpoint({
    method: 'GET',
    path: '/monitor_backend/snmp/settings',
    access: 'view',
    summary: 'Show the SNMP settings',
    reply: SnmpSettings,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/monitor_backend/snmp/settings',
    access: 'configure',
    summary: 'Change the SNMP settings',
    description:
      'Any subset of the fields. A secret that is null, absent or the mask is kept; an empty one is removed.',
    body: SnmpPatch,
  }),
}

/** Letters of living scripts, as ranges: a class such as \\p{L} is unknown to many who read the description. */
const letter = 'A-Za-z0-9\\u00c0-\\u024f\\u0370-\\u1fff\\u3040-\\ud7ff'
const label = `[${letter}](?:[${letter}\\-]{0,61}[${letter}])?`

/** Names can be international, and a port can follow. */
const AgentServer = Type.String({
  minLength: 1,
  maxLength: 260,
  pattern: `^(?:${label}\\.){0,32}${label}(?::[1-9][0-9]{0,4})?$`,
  'x-fault': 'Must be an address or a domain name, with or without a port, such as monitor.example.com:10051.',
})

const AgentServers = Type.Array(AgentServer, { maxItems: 100, uniqueItems: true })

export const AgentSettings = strictObject({
  enabled: Type.Boolean(),
  active_mode_enabled: Type.Boolean({ description: 'The gateway connects to the server.' }),
  active_mode_servers: AgentServers,
  passive_mode_enabled: Type.Boolean({ description: 'The server connects to the gateway.' }),
  passive_mode_servers: AgentServers,
  hostname: Type.String({
    maxLength: 64,
    pattern: "^(?:[A-Za-z0-9._'\\-](?:[A-Za-z0-9._' \\-]{0,62}[A-Za-z0-9._'\\-])?)?$",
    'x-fault': "Must consist of Latin letters, digits and . _ - ' with spaces only between them.",
  }),
  listen_port: Type.Unsafe<10050 | 10051>({ type: 'integer', enum: [10_050, 10_051] }),
})
export type AgentSettings = Static<typeof AgentSettings>

export const agentSettings = settingsEndpoints({
  path: '/monitor_backend/zabbix_agent',
  title: 'monitoring agent settings',
  schema: AgentSettings,
  change: 'configure',
})

export const agentStatus = endpoint({
  method: 'GET',
  path: '/monitor_backend/zabbix_agent/status',
  access: 'view',
  summary: 'Show whether the monitoring agent runs',
  reply: Enabled,
})
