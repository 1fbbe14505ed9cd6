// The status of the firewall: what applyd reads from the kernel at the time of asking. That of inspection is the engine's own.

import type { StatusItem } from '../../core/contract/fields.ts'
import { engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Conflict } from '../../core/plan/artifacts.ts'
import {
  active,
  failed,
  inactive,
  type Observed,
  type State,
  tableStatus,
  unitStatus,
} from '../../core/plan/observed.ts'
import { firewallLog } from '../../engines/firewall-log/index.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { block, settings } from './config.ts'
import { describeReader, isLoggingForOthers } from './logging.ts'
import { fastPathStatus } from './status-fast-path.ts'
import type { UnresolvedRules } from './unresolved.ts'

const rulesTable = 'inet portcullis'
const hardwareTable = 'netdev portcullis_hw'
/** The unit that the firewall-log area renders. */
const logUnit = engineUnit(firewallLog, 'firewall-log').name

export interface FirewallView extends Observed {
  readonly config: Config
  /** What the last apply said, when it failed. */
  readonly applyError: SaidText | null
  /** Those that the configuration says lead to providers. */
  readonly externalDevices: readonly string[]
  /** Those that hold a default route now. */
  readonly routedDevices: readonly string[]
  readonly hasHardwareFilter: boolean
  /** Why the last run of the rule tests failed, if it did. */
  readonly testsFault: string | null
  /** Rules whose domains or countries have no known addresses; null when there is none. */
  readonly unresolved: UnresolvedRules | null
  /** What was found on the machine that gets in the way of the gateway. */
  readonly conflicts: readonly Conflict[]
}

export const firewallStatusItems = (view: FirewallView): StatusItem[] => [
  rulesInKernel(view),
  ...rulesOfOthers(view),
  ...unresolvedNames(view),
  automaticSnat(view),
  ...hardware(view),
  ...fastPathStatus(view.observation),
  ...logging(view),
  ...ruleTests(view),
]

const kernelStatus = (view: FirewallView, table: string): State =>
  tableStatus(view, table, say`The rules are not in the kernel.`)

function rulesInKernel(view: FirewallView): StatusItem {
  const name = 'rules-in-kernel'
  const errors = view.applyError === null ? [] : [view.applyError]
  const kernel = kernelStatus(view, rulesTable)
  if (kernel.status === 'failed') return { name, ...failed(...kernel.msg, ...errors) }
  if (kernel.status !== 'active') return { name, ...kernel }
  const tables = view.observation?.tables ?? []
  if (tables.some(({ present, asLoaded, isChanging }) => present && !asLoaded && !isChanging))
    return { name, ...failed(say`The rules in the kernel were changed by another program; they will be restored.`) }
  if (errors.length > 0) return { name, ...failed(...errors) }
  return { name, ...(tables.some(({ isChanging }) => isChanging) ? reloading : active) }
}

const reloading: State = { status: 'reloading', msg: [say`A change of the rules is being loaded.`] }

/** What they drop is lost, whatever our rules say; rules that drop only some packets are no failure. */
function rulesOfOthers({ conflicts }: FirewallView): StatusItem[] {
  const found = conflicts.filter(({ code }) => code.startsWith('rules.'))
  if (found.length === 0) return []
  const isFailed = found.some(({ severity }) => severity === 'fault')
  const msg = found.flatMap(({ title, detail, fix }) => [say`${title}. ${detail}`, say`Repair it with: ${fix}`])
  return [{ name: 'rules-of-others', status: isFailed ? 'failed' : 'active', msg }]
}

/** Such a rule is not enforced, so the item is never `active`. */
function unresolvedNames(view: FirewallView): StatusItem[] {
  const { unresolved } = view
  if (unresolved === null) return []
  const { rules, reasons, isPending } = unresolved
  const isApplied = kernelStatus(view, rulesTable).status !== 'inactive'
  const status = !isApplied ? 'inactive' : isPending ? 'activating' : 'failed'
  return [{ name: 'unresolved-names', status, msg: [...rules, ...reasons] }]
}

function automaticSnat(view: FirewallView): StatusItem {
  const name = 'auto-snat'
  if (!read(view.config, settings).automatic_snat_enabled)
    return { name, ...inactive(say`Automatic SNAT is disabled.`) }
  const kernel = kernelStatus(view, rulesTable)
  if (kernel.status !== 'active') return { name, ...kernel }
  if (view.externalDevices.length === 0)
    return { name, ...failed(say`There is no external interface, so there is no route to the internet.`) }
  return view.externalDevices.some((device) => view.routedDevices.includes(device))
    ? { name, ...active }
    : { name, ...failed(say`No external interface is up with a default route, so there is no route to the internet.`) }
}

function hardware(view: FirewallView): StatusItem[] {
  return view.hasHardwareFilter ? [{ name: 'hardware-filtering', ...kernelStatus(view, hardwareTable) }] : []
}

function logging(view: FirewallView): StatusItem[] {
  if (!isLoggingForOthers(view.config)) {
    return read(view.config, settings).log_mode === 'nothing'
      ? []
      : [{ name: 'log', ...inactive(say`No logging rule marks connections, so nothing is logged.`) }]
  }
  const { status, msg } = unitStatus(view, logUnit, say`The reader of the log records is not running.`)
  return [{ name: 'log', status, msg: msg.map(describeReader) }]
}

function ruleTests({ config, testsFault }: FirewallView): StatusItem[] {
  const msg = [
    ...(read(config, block).blocked
      ? [say`All traffic through the gateway is blocked because rule tests failed.`]
      : []),
    ...(testsFault === null ? [] : [say`The last run of the rule tests failed: ${testsFault}`]),
  ]
  return msg.length > 0 ? [{ name: 'rule-tests', ...failed(...msg) }] : []
}
