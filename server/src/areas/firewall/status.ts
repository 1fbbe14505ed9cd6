// What the kernel holds, told as status items. Nothing here is remembered: it is what applyd reads at the time of asking.

import { type StatusItem, storedOnly } from '../../contract/fields.ts'
import type { Observation, TableObservation } from '../../plan/artifacts.ts'
import type { Facts } from '../../plan/facts.ts'
import type { FirewallSettings } from './contract.ts'
import { snatOrigin, tableName } from './render.ts'

/** `observation` is null with the reason when applyd does not answer. */
export interface FirewallView {
  readonly settings: FirewallSettings
  readonly observation: Observation | null
  readonly unreachable: string
  readonly facts: Facts
  /** What the last apply said, when it failed. */
  readonly applyError: string | null
}

export function firewallStatusItems(view: FirewallView): StatusItem[] {
  return [rulesInKernel(view), automaticSnat(view), ...logging(view.settings)]
}

const tableOf = (view: FirewallView): TableObservation | undefined =>
  view.observation?.tables.find((table) => table.name === tableName)

function rulesInKernel(view: FirewallView): StatusItem {
  const name = 'rules-in-kernel'
  if (!view.observation) return { name, status: 'failed', msg: [view.unreachable] }
  if (view.observation.limitation !== null)
    return { name, status: 'inactive', msg: [storedOnly(view.observation.limitation)] }
  const errors = view.applyError === null ? [] : [view.applyError]
  const table = tableOf(view)
  if (!table?.present) return { name, status: 'failed', msg: ['The rules are not in the kernel.', ...errors] }
  if (!table.asLoaded) {
    return {
      name,
      status: 'failed',
      msg: ['The rules in the kernel were changed from outside; they will be put right.'],
    }
  }
  return errors.length > 0 ? { name, status: 'failed', msg: errors } : { name, status: 'active', msg: [] }
}

function automaticSnat(view: FirewallView): StatusItem {
  const name = 'auto-snat'
  if (!view.settings.automatic_snat_enabled)
    return { name, status: 'inactive', msg: ['Automatic SNAT is switched off.'] }
  if (!view.observation) return { name, status: 'failed', msg: [view.unreachable] }
  if (view.observation.limitation !== null)
    return { name, status: 'inactive', msg: [storedOnly(view.observation.limitation)] }
  const isLoaded = tableOf(view)?.rules.some((rule) => rule.comment === snatOrigin) ?? false
  if (!isLoaded) return { name, status: 'failed', msg: ['The rule for automatic SNAT is not in the kernel.'] }
  if (view.facts.externalInterfaces.length === 0) {
    return { name, status: 'failed', msg: ['There is no external interface: no interface holds a default route.'] }
  }
  return { name, status: 'active', msg: [] }
}

function logging(settings: FirewallSettings): StatusItem[] {
  if (settings.log_mode === 'nothing') return []
  return [{ name: 'log', status: 'inactive', msg: ['log_mode is stored; no rule writes log records yet.'] }]
}
