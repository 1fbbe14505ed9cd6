// What runs of the DHCP service, from what applyd observes at the time of asking, and what is set but not served.

import type { Machine } from '../../core/area/handle.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { engineUnit } from '../../core/engine/artifacts.ts'
import { describeMissing } from '../../core/engine/missing-program.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { UnitObservation } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { failed, findUnit, inactive, machineFault, type State } from '../../core/plan/observed.ts'
import { dhcp } from '../../engines/dhcp/index.ts'
import { type SaidText, say, verbatim } from '../../shared/said.ts'
import { entries } from './config.ts'
import { announcingNetworks, countUselessLeases, type Service, serviceOf } from './resolve.ts'
import { wpadNote, wpadUnit } from './wpad.ts'

export interface DhcpView {
  readonly config: Config
  readonly facts: Facts
  readonly machine: Machine
}

export function dhcpStatusItems(view: DhcpView): StatusItem[] {
  const service = serviceOf(view.config, view.facts)
  const isWanted = (kind: 'server' | 'relay'): boolean =>
    read(view.config, entries).some((entry) => entry.enabled && entry[kind] !== null)
  const left = (kind: 'server' | 'relay'): SaidText[] =>
    service.unserved.filter(({ entry }) => entry[kind] !== null).map(({ reason }) => say`Not served: ${reason}`)
  const server = isWanted('server')
    ? withMessages(stateOf(view, service.served.length > 0), [
        ...left('server'),
        ...uselessLeases(view.config, service),
      ])
    : inactive(say`The DHCP server is not enabled on any interface.`)
  const relay = isWanted('relay')
    ? withMessages(stateOf(view, service.relayed.length > 0), left('relay'))
    : inactive(say`The DHCP relay is not enabled on any interface.`)
  return [{ name: 'dhcp-server', ...server }, { name: 'dhcp-relay', ...relay }, ...wpadItems(view, service)]
}

const withMessages = ({ status, msg }: State, more: readonly SaidText[]): State => ({ status, msg: [...msg, ...more] })

/** Server and relay are one process. */
function stateOf({ machine }: DhcpView, isServing: boolean): State {
  const fault = machineFault(machine)
  if (fault) return fault
  if (!isServing) return failed()
  const { applyError } = machine
  const unit = findUnit(machine, engineUnit(dhcp, 'dhcp').name)
  if (!unit || unit.state === 'inactive')
    return failed(...(applyError === null ? [say`Service stopped.`] : [applyError]))
  return { status: unit.state, msg: unit.state === 'failed' ? failureOf(unit) : [] }
}

/** dnsmasq exits by itself only when it cannot start; only then does its last line say why. */
function failureOf({ message }: UnitObservation): SaidText[] {
  const missing = describeMissing(dhcp, message)
  if (missing !== null) return [say`Module could not start.`, missing]
  if (!/ended with status/.test(message))
    return [say`Service stopped.`, verbatim(message.replace(/(signal \w+\.).*/, '$1'))]
  return [say`Module could not start.`, say`Service stopped.`, verbatim(message.replace(/ [^ ]*\/[^ ]*\//g, ' '))]
}

function uselessLeases(config: Config, { served }: Service): SaidText[] {
  const count = countUselessLeases(config, served)
  return count === 0 ? [] : [say`Static leases outside the served networks: ${count}.`]
}

function wpadItems({ machine }: DhcpView, { served }: Service): StatusItem[] {
  const announcing = announcingNetworks(served)
  if (announcing.length === 0) return []
  const fault = machineFault(machine)
  if (fault) return [{ name: 'wpad', ...fault }]
  const units = announcing.map(({ network }): Pick<UnitObservation, 'state' | 'message'> => {
    const { name } = wpadUnit(network.address)
    return findUnit(machine, name) ?? { state: 'failed', message: say`${name} is not running.` }
  })
  const worst = units.find(({ state }) => state === 'failed') ?? units.find(({ state }) => state !== 'active')
  const messages = units.map(({ message }) => message).filter((message) => message !== '')
  return [{ name: 'wpad', status: worst?.state ?? 'active', msg: [...messages, wpadNote] }]
}
