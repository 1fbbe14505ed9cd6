// What runs of the DHCP service, from applyd's look at the units at the time of asking, and what is set but not served.

import { type StatusItem, storedOnly } from '../../contract/fields.ts'
import { engineUnit } from '../../engines/artifacts.ts'
import { dhcp } from '../../engines/dhcp/index.ts'
import { describeMissing } from '../../engines/engine.ts'
import type { Machine } from '../../http/handle.ts'
import { type Config, read } from '../../model/slots.ts'
import type { UnitObservation } from '../../plan/artifacts.ts'
import type { Facts } from '../../plan/facts.ts'
import { entries } from './config.ts'
import { announcingNetworks, countUselessLeases, type Service, serviceOf } from './resolve.ts'
import { wpadLimit, wpadUnit } from './wpad.ts'

export interface DhcpView {
  readonly config: Config
  readonly facts: Facts
  readonly machine: Machine
}

type Told = Omit<StatusItem, 'name'>

export function dhcpStatusItems(view: DhcpView): StatusItem[] {
  const service = serviceOf(view.config, view.facts)
  const isWanted = (kind: 'server' | 'relay'): boolean =>
    read(view.config, entries).some((entry) => entry.enabled && entry[kind] !== null)
  const left = (kind: 'server' | 'relay'): string[] =>
    service.unserved.filter(({ entry }) => entry[kind] !== null).map(({ reason }) => `Not served: ${reason}`)
  const server = isWanted('server')
    ? withMessages(toldOf(view, service.served.length > 0), [...left('server'), ...uselessLeases(view.config, service)])
    : inactive('No interface has the DHCP server switched on.')
  const relay = isWanted('relay')
    ? withMessages(toldOf(view, service.relayed.length > 0), left('relay'))
    : inactive('No interface has the DHCP relay switched on.')
  return [{ name: 'dhcp-server', ...server }, { name: 'dhcp-relay', ...relay }, ...wpadItems(view, service)]
}

const inactive = (...msg: string[]): Told => ({ status: 'inactive', msg })
const failed = (...msg: string[]): Told => ({ status: 'failed', msg })
const withMessages = ({ status, msg }: Told, more: readonly string[]): Told => ({ status, msg: [...msg, ...more] })

/** Server and relay are one process. */
function toldOf(view: DhcpView, isServing: boolean): Told {
  const { observation, unreachable, applyError } = view.machine
  if (!observation) return failed(unreachable)
  if (observation.limitation !== null) return inactive(storedOnly(observation.limitation))
  if (!isServing) return failed()
  const unit = observation.units.find(({ name }) => name === engineUnit(dhcp, 'dhcp').name)
  if (!unit || unit.state === 'inactive') return failed(...(applyError === null ? ['Service stopped.'] : [applyError]))
  return { status: unit.state, msg: unit.state === 'failed' ? failureOf(unit) : [] }
}

/** dnsmasq ends by itself only when it cannot start; its last line then says why, otherwise it has nothing to do with it. */
function failureOf({ message }: UnitObservation): string[] {
  const missing = describeMissing(dhcp, message)
  if (missing !== null) return ['Module could not start.', missing]
  if (!/ended with status/.test(message)) return ['Service stopped.', message.replace(/(signal \w+\.).*/, '$1')]
  return ['Module could not start.', 'Service stopped.', message.replace(/ [^ ]*\/[^ ]*\//g, ' ')]
}

function uselessLeases(config: Config, { served }: Service): string[] {
  const count = countUselessLeases(config, served)
  return count === 0 ? [] : [`Static leases in no network that is served: ${count}.`]
}

function wpadItems(view: DhcpView, { served }: Service): StatusItem[] {
  const announcing = announcingNetworks(served)
  const { observation, unreachable } = view.machine
  if (announcing.length === 0) return []
  if (!observation) return [{ name: 'wpad', ...failed(unreachable) }]
  if (observation.limitation !== null) return [{ name: 'wpad', ...inactive(storedOnly(observation.limitation)) }]
  const units = announcing.map(({ network }) => {
    const { name } = wpadUnit(network.address)
    return (
      observation.units.find((unit) => unit.name === name) ?? { state: 'failed', message: `${name} is not running.` }
    )
  })
  const worst = units.find(({ state }) => state === 'failed') ?? units.find(({ state }) => state !== 'active')
  const messages = units.map(({ message }) => message).filter((message) => message !== '')
  return [{ name: 'wpad', status: (worst?.state ?? 'active') as StatusItem['status'], msg: [...messages, wpadLimit] }]
}
