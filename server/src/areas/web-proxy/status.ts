// What runs of the web proxy, from what applyd observes, what the watch of the proxy saw and what filterd reports: and what
// happens to web traffic while something is missing.

import type { Machine } from '../../core/area/handle.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { engineUnit } from '../../core/engine/artifacts.ts'
import { describeMissing } from '../../core/engine/missing-program.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { WebProxyState } from '../../core/plan/facts.ts'
import { failed, findUnit, inactive, machineFault, type State } from '../../core/plan/observed.ts'
import type { WebFilterReport } from '../../domain/web-filter/protocol.ts'
import { webFilter } from '../../engines/web-filter/index.ts'
import { describeAuthority } from '../../shared/net/authority.ts'
import { type SaidText, say, verbatim } from '../../shared/said.ts'
import { state as filterState } from '../content-filter/public.ts'
import { authority, settings } from './config.ts'
import { isWanted } from './resolve.ts'

export interface ProxyView {
  readonly config: Config
  readonly machine: Machine
  readonly now: Date
  /** What the watch saw; null where nothing watches. */
  readonly proxy: WebProxyState | null
  /** Null while filterd is not connected. */
  readonly report: Omit<WebFilterReport, 'kind'> | null
}

export const proxyStatusItems = (view: ProxyView): StatusItem[] => [
  { name: 'web-proxy', ...proxyState(view) },
  { name: 'web-filter', ...deciderState(view) },
  ...authorityItems(view),
]

export function proxyState(view: ProxyView): State {
  const { config, machine, proxy } = view
  if (!isWanted(config))
    return inactive(say`The content filter and the direct proxy are off: no traffic is intercepted.`)
  if (read(config, authority).authority === null)
    return failed(say`The proxy has no certificate authority yet.`, effect(config))
  const state = unitState(machine, 'web-filter-proxy')
  if (proxy === 'full')
    return failed(
      say`The web proxy has as many connections as it can have, or more to do than it can.`,
      say`Further web traffic waits or is refused; nothing passes without filtering.`,
    )
  if (proxy === 'starting')
    return failed(
      ...state.msg,
      say`The web proxy has ended and is being started again.`,
      say`Web traffic that would be filtered waits until then, for a minute at most; nothing passes without filtering.`,
    )
  if (state.status !== 'active' && proxy !== 'down') return { ...state, msg: [...state.msg, effect(config)] }
  if (proxy === 'down') return failed(...state.msg, say`The web proxy does not answer.`, effect(config))
  return { status: 'active', msg: [modeOf(config)] }
}

export function deciderState(view: ProxyView): State {
  const { config, machine, report } = view
  if (!isWanted(config)) return inactive(say`The decision process is not needed.`)
  const state = unitState(machine, 'web-filter')
  if (state.status !== 'active') return { ...state, msg: [...state.msg, effect(config)] }
  // It runs, but whether it decides was not seen.
  if (report === null) return { status: 'activating', msg: [say`The decision process has not reported yet.`] }
  const faults = [
    ...report.faults.map(verbatim),
    ...(report.policyDigest === null ? [say`It has no rules yet. ${effect(config)}`] : []),
    ...(report.isAsked ? [] : [say`The web proxy is not connected to it.`]),
  ]
  const numbers = say`Requests judged: ${report.asked}, denied: ${report.denied}. Sessions of users: ${report.sessions}.`
  const status = report.policyDigest === null ? 'failed' : report.isAsked ? 'active' : 'activating'
  return { status, msg: [...faults, numbers] }
}

/** Both together, for the status of the content filter: the first that failed says why. */
export function filterEngine(view: ProxyView): State & { readonly entries: number | null } {
  const [proxy, decider] = [proxyState(view), deciderState(view)]
  const worse = proxy.status === 'active' ? decider : proxy
  return { ...worse, entries: view.report?.categories?.entries ?? (view.report ? 0 : null) }
}

function unitState(machine: Machine, name: 'web-filter' | 'web-filter-proxy'): State {
  const fault = machineFault(machine)
  if (fault) return fault
  const unit = findUnit(machine, engineUnit(webFilter, name).name)
  if (!unit) return failed(machine.applyError ?? say`${name} is not running.`)
  if (unit.state === 'active') return { status: 'active', msg: [] }
  const missing = name === 'web-filter-proxy' ? describeMissing(webFilter, unit.message) : null
  return { status: unit.state, msg: missing ? [missing] : unit.message === '' ? [] : [unit.message] }
}

/** What happens to traffic now. */
function effect(config: Config): SaidText {
  const isFiltering = read(config, filterState).enabled
  if (read(config, settings).on_failure === 'block')
    return say`Web traffic that would be filtered is blocked until then.`
  return isFiltering
    ? say`Web traffic passes without filtering until then.`
    : say`Clients of the direct proxy are not served.`
}

function modeOf(config: Config): SaidText {
  const { direct_enabled, direct_port } = read(config, settings)
  if (read(config, filterState).enabled)
    return direct_enabled
      ? say`Web traffic of local networks is intercepted where a rule may need it. Clients of local networks can use port ${direct_port}.`
      : say`Web traffic of local networks is intercepted where a rule may need it.`
  return direct_enabled
    ? say`Nothing is intercepted and nothing is filtered. Clients of local networks can use port ${direct_port}.`
    : say`Nothing is intercepted and nothing is filtered.`
}

const soonSeconds = 30 * 24 * 3600

function authorityItems({ config, now }: ProxyView): StatusItem[] {
  const held = read(config, authority).authority
  const described = held && describeAuthority(held.certificate)
  if (!isWanted(config) || !held) return []
  const name = 'web-authority'
  if (!described) return [{ name, ...failed(say`The certificate authority cannot be read.`) }]
  const left = described.notAfter - now.getTime() / 1000
  const day = new Date(described.notAfter * 1000).toISOString().slice(0, 10)
  if (left <= 0) return [{ name, ...failed(say`The certificate authority expired on ${day}.`) }]
  return [
    { name, status: 'active', msg: left < soonSeconds ? [say`The certificate authority expires on ${day}.`] : [] },
  ]
}
