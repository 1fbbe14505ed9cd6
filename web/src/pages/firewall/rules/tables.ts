// The five tables of rules as the pages see them: their calls, their fields, and what a rule of each starts with.

import type { Endpoint, ReplyOf } from '@gateway/server/contract'
import {
  dnatRules,
  forwardRules,
  inputRules,
  logRules,
  type Rule,
  rootGroup,
  snatRules,
} from '@gateway/server/contract/firewall'
import { addressKinds, interfaceKinds, portKinds, timeKinds } from '../../../util/objects.ts'
import { msg } from '../../../words.ts'

export type { Rule } from '@gateway/server/contract/firewall'

export const tableNames = ['forward', 'input', 'dnat', 'snat', 'log'] as const
export type TableName = (typeof tableNames)[number]

export interface RuleCalls {
  readonly list: Endpoint
  readonly create: Endpoint
  readonly update: Endpoint
  readonly replace: Endpoint
  readonly remove: Endpoint
  readonly move: Endpoint
}

export interface RuleTable {
  readonly name: TableName
  /** As in the kernel and the log; the same in every language. */
  readonly title: string
  readonly calls: RuleCalls
  readonly lead: string
  readonly actions: readonly string[]
  readonly fields: readonly RuleFieldName[]
  readonly defaults: Readonly<Record<string, unknown>>
  /** A wrong rule here can shut the administrator out. */
  readonly confirmWithin?: number
}

export type RuleFieldName = Exclude<keyof Rule, 'id' | 'parent_id'>

/** Kinds of objects that a field takes; fields without them hold plain values. */
export const kindsOfField: Readonly<Partial<Record<RuleFieldName, readonly string[]>>> = {
  source_addresses: addressKinds,
  destination_addresses: addressKinds,
  source_ports: portKinds,
  destination_ports: portKinds,
  timetable: timeKinds,
  incoming_interface: interfaceKinds,
  outgoing_interface: interfaceKinds,
  hip_profiles: ['hip_profile'],
}

/** Fields with a list of objects; `any` is alone in them. */
export const listFields = [
  'source_addresses',
  'destination_addresses',
  'source_ports',
  'destination_ports',
  'timetable',
] as const
export type ListField = (typeof listFields)[number]

const any: readonly string[] = ['any']

const shared = {
  parent_id: rootGroup,
  enabled: true,
  protocol: 'any',
  source_addresses: any,
  source_addresses_negate: false,
  source_ports: any,
  destination_addresses: any,
  destination_addresses_negate: false,
  destination_ports: any,
  timetable: any,
  comment: '',
}

const inspection = {
  incoming_interface: 'any',
  outgoing_interface: 'any',
  hip_profiles: [],
  dpi_enabled: false,
  dpi_profile: '',
  ips_enabled: false,
  ips_profile: '',
}

const matchFields: readonly RuleFieldName[] = [
  'enabled',
  'source_addresses',
  'source_addresses_negate',
  'source_ports',
  'destination_addresses',
  'destination_addresses_negate',
  'protocol',
  'destination_ports',
]

const inspectionFields: readonly RuleFieldName[] = ['dpi_enabled', 'dpi_profile', 'ips_enabled', 'ips_profile']

export const ruleTables: Readonly<Record<TableName, RuleTable>> = {
  forward: {
    name: 'forward',
    title: 'FORWARD',
    calls: forwardRules,
    lead: msg('Traffic through the gateway. The first rule that matches decides.'),
    actions: ['accept', 'drop', 'reject'],
    fields: [
      ...matchFields,
      'incoming_interface',
      'outgoing_interface',
      'timetable',
      'action',
      'hip_profiles',
      ...inspectionFields,
      'comment',
    ],
    defaults: { ...shared, ...inspection, action: 'accept' },
  },
  input: {
    name: 'input',
    title: 'INPUT',
    calls: inputRules,
    lead: msg(
      'Traffic to the gateway itself. A change is reverted unless you keep it, so that you cannot lock yourself out.',
    ),
    actions: ['accept', 'drop', 'reject'],
    fields: [...matchFields, 'incoming_interface', 'timetable', 'action', 'comment'],
    defaults: { ...shared, ...inspection, action: 'accept' },
    confirmWithin: 90,
  },
  dnat: {
    name: 'dnat',
    title: 'DNAT',
    calls: dnatRules,
    lead: msg('Where connections from outside are led to: another address, another port.'),
    actions: ['dnat', 'accept'],
    fields: [
      ...matchFields,
      'incoming_interface',
      'timetable',
      'action',
      'change_destination_address',
      'change_destination_port',
      'comment',
    ],
    defaults: {
      ...shared,
      incoming_interface: 'any',
      change_destination_address: null,
      change_destination_port: null,
      action: 'dnat',
    },
  },
  snat: {
    name: 'snat',
    title: 'SNAT',
    calls: snatRules,
    lead: msg('Which address connections leave with. Without a rule it is that of the external interface.'),
    actions: ['snat', 'accept'],
    fields: [...matchFields, 'outgoing_interface', 'timetable', 'action', 'change_source_address', 'comment'],
    defaults: { ...shared, outgoing_interface: 'any', change_source_address: null, action: 'snat' },
  },
  log: {
    name: 'log',
    title: 'LOG',
    calls: logRules,
    lead: msg('Which connections are marked for the log. All rules are read and the last match decides.'),
    actions: ['mark_log', 'mark_not_log'],
    fields: [...matchFields, 'incoming_interface', 'outgoing_interface', 'timetable', 'action', 'comment'],
    defaults: { ...shared, incoming_interface: 'any', outgoing_interface: 'any', action: 'mark_log' },
  },
}

/** What the fields of a rule are called here; the wire names stay in the files that are written. */
export const fieldTitles: Readonly<Record<RuleFieldName, string>> = {
  enabled: msg('On'),
  protocol: msg('Protocol'),
  source_addresses: msg('Source'),
  source_addresses_negate: msg('All sources but these'),
  source_ports: msg('Source ports'),
  destination_addresses: msg('Destination'),
  destination_addresses_negate: msg('All destinations but these'),
  destination_ports: msg('Destination ports'),
  timetable: msg('Time'),
  comment: msg('Comment'),
  action: msg('Action'),
  incoming_interface: msg('Incoming interface'),
  outgoing_interface: msg('Outgoing interface'),
  hip_profiles: msg('Device profiles'),
  dpi_enabled: msg('Application control'),
  dpi_profile: msg('Profile of application control'),
  ips_enabled: msg('Intrusion prevention'),
  ips_profile: msg('Profile of intrusion prevention'),
  change_destination_address: msg('New destination address'),
  change_destination_port: msg('New destination port'),
  change_source_address: msg('New source address'),
}

/** Words for what the wire says. */
export const actionWords: Readonly<Record<string, string>> = {
  accept: msg('accept'),
  drop: msg('drop'),
  reject: msg('reject'),
  dnat: msg('translate'),
  snat: msg('translate'),
  mark_log: msg('log'),
  mark_not_log: msg('do not log'),
}

export const protocolWords: Readonly<Record<string, string>> = {
  any: msg('any'),
  'protocol.tcp': 'tcp',
  'protocol.udp': 'udp',
  'protocol.icmp': 'icmp',
  'protocol.gre': 'gre',
  'protocol.esp': 'esp',
  'protocol.ah': 'ah',
}

export const protocols = Object.keys(protocolWords)

export type ListedRule = ReplyOf<typeof forwardRules.list>[number]

/** Rules of any table come with the same shared fields. */
export const asRules = (data: unknown): readonly Rule[] => (Array.isArray(data) ? (data as Rule[]) : [])
