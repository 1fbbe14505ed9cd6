// Firewall settings, the state of the user rules, and the status (docs/behaviour/firewall.md 1); rules, tests, hardware
// filtering, access lists and explanations are in separate files beside this one.

import type { Static } from 'typebox'
import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Enabled, oneOf, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export type { AccessBinding, AccessEntry } from './contract-access-lists.ts'
export { accessLists, accessOrder, accessState, bypassList } from './contract-access-lists.ts'
export { checkResults, checks, checksSettings, startChecks } from './contract-checks.ts'
export { explainPacket, listTouching, lookUpName, showHygiene } from './contract-explain.ts'
export {
  destinationRules,
  hardwareSettings,
  macRules,
  pairRules,
  sourceRules,
} from './contract-hardware.ts'
export { connectionLimits, showConnectionLimits } from './contract-limits.ts'
export type { Rule } from './contract-rules.ts'
export {
  changedCounters,
  dnatRules,
  FilterRule,
  firewallWatch,
  forwardRules,
  hitCounters,
  inputRules,
  logRules,
  rootGroup,
  snatRules,
  systemCounters,
} from './contract-rules.ts'

export const logActions = ['accept', 'drop', 'dnat', 'snat', 'mark_log', 'mark_not_log'] as const

export const FirewallSettings = strictObject({
  automatic_snat_enabled: Type.Boolean({
    description: 'Hide private source addresses behind the address of the external interface.',
  }),
  log_mode: oneOf(['nothing', 'all', 'selected'], 'Which firewall actions are logged.'),
  log_actions: Type.Array(oneOf(logActions), { uniqueItems: true, description: 'What log_mode "selected" logs.' }),
})
export type FirewallSettings = Static<typeof FirewallSettings>

export const firewallSettings = settingsEndpoints({
  path: '/firewall/settings',
  title: 'firewall settings',
  schema: FirewallSettings,
  change: 'firewall',
})

export const firewallState = settingsEndpoints({
  path: '/firewall/state',
  title: 'state of the user rules',
  schema: Enabled,
  change: 'firewall',
})

export const firewallStatus = endpoint({
  method: 'GET',
  path: '/firewall/status',
  access: 'view',
  summary: 'Show the firewall status',
  description: 'Read from the kernel at the time of the call.',
  reply: Type.Array(StatusItem),
})
