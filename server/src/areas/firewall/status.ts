// What the kernel holds, told as status items, and what is stored but not done. Nothing here is remembered: it is what
// applyd reads at the time of asking.

import { type StatusItem, storedOnly } from '../../contract/fields.ts'
import { engineUnit } from '../../engines/artifacts.ts'
import { firewallLog } from '../../engines/firewall-log/index.ts'
import { type Config, read } from '../../model/slots.ts'
import type { Observation } from '../../plan/artifacts.ts'
import { block, bypassList, forwardRules, inputRules, settings } from './config.ts'
import { describeReader, isLogging } from './logging.ts'

const rulesTable = 'inet portcullis'
const hardwareTable = 'netdev portcullis_hw'
/** The unit that the firewall-log area renders. */
const logUnit = engineUnit(firewallLog, 'firewall-log').name

/** `observation` is null with the reason when applyd does not answer. */
export interface FirewallView {
  readonly config: Config
  readonly observation: Observation | null
  readonly unreachable: string
  /** What the last apply said, when it failed. */
  readonly applyError: string | null
  /** Those that the configuration says lead to providers. */
  readonly externalDevices: readonly string[]
  /** Those that hold a default route now. */
  readonly routedDevices: readonly string[]
  readonly hasHardwareFilter: boolean
  /** Why the last run of the rule tests came to nothing, if it did. */
  readonly testsFault: string | null
}

export const firewallStatusItems = (view: FirewallView): StatusItem[] => [
  rulesInKernel(view),
  automaticSnat(view),
  ...hardware(view),
  ...logging(view),
  ...inspection(view.config),
  ...ruleTests(view),
]

type Told = Omit<StatusItem, 'name'>

const active: Told = { status: 'active', msg: [] }
const inactive = (...msg: string[]): Told => ({ status: 'inactive', msg })
const failed = (...msg: string[]): Told => ({ status: 'failed', msg })

/** What stands in the way of telling anything about a table; null when it is loaded as it should be. */
function tableFault({ observation, unreachable }: FirewallView, name: string): Told | null {
  if (!observation) return failed(unreachable)
  if (observation.limitation !== null) return inactive(storedOnly(observation.limitation))
  return observation.tables.find((table) => table.name === name)?.present
    ? null
    : failed('The rules are not in the kernel.')
}

function rulesInKernel(view: FirewallView): StatusItem {
  const name = 'rules-in-kernel'
  const errors = view.applyError === null ? [] : [view.applyError]
  const fault = tableFault(view, rulesTable)
  if (fault) return { name, ...fault, msg: fault.status === 'failed' ? [...fault.msg, ...errors] : fault.msg }
  if (view.observation?.tables.some(({ present, asLoaded }) => present && !asLoaded))
    return { name, ...failed('The rules in the kernel were changed from outside; they will be put right.') }
  return { name, ...(errors.length > 0 ? failed(...errors) : active) }
}

function automaticSnat(view: FirewallView): StatusItem {
  const name = 'auto-snat'
  if (!read(view.config, settings).automatic_snat_enabled)
    return { name, ...inactive('Automatic SNAT is switched off.') }
  const fault = tableFault(view, rulesTable)
  if (fault) return { name, ...fault }
  if (view.externalDevices.length === 0)
    return { name, ...failed('There is no external interface: nothing leads to the internet.') }
  return view.externalDevices.some((device) => view.routedDevices.includes(device))
    ? { name, ...active }
    : { name, ...failed('No external interface is up with a default route: nothing leads to the internet.') }
}

function hardware(view: FirewallView): StatusItem[] {
  if (!view.hasHardwareFilter) return []
  return [{ name: 'hardware-filtering', ...(tableFault(view, hardwareTable) ?? active) }]
}

function logging(view: FirewallView): StatusItem[] {
  if (!isLogging(view.config)) {
    return read(view.config, settings).log_mode === 'nothing'
      ? []
      : [{ name: 'log', ...inactive('No logging rule marks connections, so nothing is logged.') }]
  }
  if (!view.observation) return [{ name: 'log', ...failed(view.unreachable) }]
  if (view.observation.limitation !== null)
    return [{ name: 'log', ...inactive(storedOnly(view.observation.limitation)) }]
  const unit = view.observation.units.find(({ name }) => name === logUnit)
  if (!unit) return [{ name: 'log', ...failed('The reader of the log records is not running.') }]
  return [{ name: 'log', status: unit.state, msg: unit.message === '' ? [] : [describeReader(unit.message)] }]
}

/** Inspection has no engine yet; whoever asks for it must not believe that it happens. */
function inspection(config: Config): StatusItem[] {
  const rules = [...read(config, forwardRules), ...read(config, inputRules)].filter(({ enabled }) => enabled)
  const asking = [
    [rules.filter(({ dpi_enabled }) => dpi_enabled).length, 'rules ask for application control'],
    [rules.filter(({ ips_enabled }) => ips_enabled).length, 'rules ask for intrusion prevention'],
    [read(config, bypassList).filter(({ enabled }) => enabled).length, 'exceptions from inspection are set'],
  ] as const
  const msg = asking
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} ${what}, which is stored but not applied yet.`)
  return msg.length > 0 ? [{ name: 'inspection', ...inactive(...msg) }] : []
}

function ruleTests({ config, testsFault }: FirewallView): StatusItem[] {
  const msg = [
    ...(read(config, block).blocked ? ['All traffic through the gateway is blocked because rule tests failed.'] : []),
    ...(testsFault === null ? [] : [`The last run of the rule tests came to nothing: ${testsFault}`]),
  ]
  return msg.length > 0 ? [{ name: 'rule-tests', ...failed(...msg) }] : []
}
