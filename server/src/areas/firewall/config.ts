// What the firewall stores, and its defaults: user rules enabled, hits counted, automatic SNAT enabled, nothing logged,
// nothing filtered. The path of a stored rule is its origin in the kernel.

import { Enabled, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { pathOf } from '../../core/model/paths.ts'
import { type ListSlot, list, perState, read, single } from '../../core/model/slots.ts'
import { limitOrigins } from '../../domain/policy/connection-limits.ts'
import { endOrigins } from '../../domain/policy/outside.ts'
import { FirewallSettings } from './contract.ts'
import { AccessList, AccessOrder, AccessState, Bypass } from './contract-access-lists.ts'
import { Check, ChecksSettings } from './contract-checks.ts'
import { DestinationRule, HardwareSettings, MacRule, PairRule, SourceRule } from './contract-hardware.ts'
import { ConnectionLimits } from './contract-limits.ts'
import { DnatRule, FilterRule, LogRule, type Rule, rootGroup, SnatRule } from './contract-rules.ts'

export const settings = single('firewall.settings', FirewallSettings, {
  automatic_snat_enabled: true,
  log_mode: 'nothing',
  log_actions: [],
})

export const state = single('firewall.state', Enabled, { enabled: true })

/** 0: chosen by the size of the table of connections. */
export const connectionLimits = single('firewall.connection_limits', ConnectionLimits, {
  local_host: 0,
  outside_host: 0,
  forwarded: 0,
})

/** Whether hits are counted. */
export const watch = single('firewall.watch', Enabled, { enabled: true })

export const forwardRules = list('firewall.forward', FilterRule)
export const inputRules = list('firewall.input', FilterRule)
export const dnatRules = list('firewall.dnat', DnatRule)
export const snatRules = list('firewall.snat', SnatRule)
export const logRules = list('firewall.log', LogRule)

export const checks = list('firewall.checks', Check)
export const checksSettings = single('firewall.checks_settings', ChecksSettings, { block_traffic: false })
/** Set and lifted by runs of the rule tests; configuration, so that it is rendered and outlives a restart. */
export const block = single('firewall.block', strictObject({ blocked: Type.Boolean() }), { blocked: false })

export const hardwareSettings = single('firewall.hw_settings', HardwareSettings, { mode: 'mac' })
export const macRules = list('firewall.hw_mac', MacRule)
export const sourceRules = list('firewall.hw_src_ip', SourceRule)
export const destinationRules = list('firewall.hw_dst_ip', DestinationRule)
export const pairRules = list('firewall.hw_src_dst_ip', PairRule)

export const accessLists = list('firewall.acl', AccessList)
export const accessOrder = single('firewall.acl_order', AccessOrder, { acl_ordered_list: [] })
export const accessState = single('firewall.acl_state', AccessState, {
  enabled: false,
  default_action: 'allow',
  logging_enabled: false,
})

export const bypassList = list('firewall.bypass', Bypass)

/** The five tables in the order of the specification. */
export const ruleSlots = {
  forward: forwardRules as ListSlot<Rule>,
  input: inputRules as ListSlot<Rule>,
  dnat: dnatRules as ListSlot<Rule>,
  snat: snatRules as ListSlot<Rule>,
  log: logRules as ListSlot<Rule>,
} as const
export type RuleTable = keyof typeof ruleSlots
export const ruleTables = Object.keys(ruleSlots) as readonly RuleTable[]

const any = ['any']

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
} as const

/** Defaults of FORWARD and INPUT rules, also for those of a central console. */
export const filterDefaults = {
  ...shared,
  incoming_interface: 'any',
  outgoing_interface: 'any',
  hip_profiles: [],
  dpi_enabled: false,
  dpi_profile: '',
  ips_enabled: false,
  ips_profile: '',
}

/** What a creation may leave out. */
export const ruleDefaults: Readonly<Record<RuleTable, object>> = {
  forward: filterDefaults,
  input: filterDefaults,
  dnat: { ...shared, incoming_interface: 'any', change_destination_address: null, change_destination_port: null },
  snat: { ...shared, outgoing_interface: 'any', change_source_address: null },
  log: { ...shared, incoming_interface: 'any', outgoing_interface: 'any' },
}

export const slots = [
  settings,
  state,
  connectionLimits,
  watch,
  forwardRules,
  inputRules,
  dnatRules,
  snatRules,
  logRules,
  checks,
  checksSettings,
  block,
  hardwareSettings,
  macRules,
  sourceRules,
  destinationRules,
  pairRules,
  accessLists,
  accessOrder,
  accessState,
  bypassList,
]

/** Origins of everything whose hits are kept: all rules, enabled or not (`firewall.forward[7]`), and the ends of the tables. */
export const ruleOrigins = perState(Object.values(ruleSlots), (config): readonly string[] => [
  ...ruleTables.flatMap((table) => read(config, ruleSlots[table]).map((rule) => pathOf(ruleSlots[table], rule.id))),
  ...endOrigins,
  ...Object.values(limitOrigins),
])
