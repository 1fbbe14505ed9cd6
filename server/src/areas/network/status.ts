// The state of the interfaces: read from facts and from applyd at the time of asking, never from what was configured.

import type { Machine } from '../../core/area/handle.ts'
import { templateUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { findUnit, machineFault } from '../../core/plan/observed.ts'
import { dhcpClient } from '../../engines/dhcp-client/index.ts'
import { type SaidText, say, verbatim } from '../../shared/said.ts'
import { aggregated, type Connection, connectionAlias, connections, isPpp, tunnels } from './config.ts'
import type { ConnectionState } from './contract.ts'
import { addressesOf, bondOf, deviceOf, dnsOf, endsOf, etherOf, findInterface, leaseOf, takenBy } from './resolve.ts'

export interface NetworkView {
  readonly config: Config
  readonly facts: Facts
  readonly machine: Machine
}

type Status = ConnectionState['ether']['status']

export const connectionStates = (view: NetworkView): ConnectionState[] =>
  read(view.config, connections).map((connection) => connectionState(view, connection))

function connectionState(view: NetworkView, connection: Connection): ConnectionState {
  const { facts } = view
  const ether = etherState(view, connection)
  const ppp = isPpp(connection) ? pppState(view, connection) : null
  const device = (ppp ?? ether).status === 'up' ? (ppp ?? ether).device : null
  return {
    id: connection.id,
    zone: connection.zone,
    type: connection.type,
    ether,
    ppp,
    summary: {
      device,
      addresses: findInterface(facts, device)?.addresses.filter(isIpv4) ?? [],
      dns: device === null ? [] : [...ether.dns],
      gateway: device === null ? null : ether.gateway,
      ifindex: findInterface(facts, device)?.index ?? null,
      scope: 'kernel',
    },
  }
}

function etherState(view: NetworkView, connection: Connection): ConnectionState['ether'] {
  const { facts } = view
  const holder = takenBy(view.config, connection)
  const device = holder ? null : etherOf(facts, connection)
  const fact = findInterface(facts, device)
  const errors = connection.enabled ? etherErrors(view, connection, device) : []
  const hasDefaultRoute = device !== null && facts.externalInterfaces.includes(device)
  const gateway = 'gateway' in connection ? (connection.gateway ?? leaseOf(facts, connection)?.gateway ?? null) : null
  return {
    device,
    vlan_tag: connection.vlan_tag,
    addresses: fact?.addresses.filter(isIpv4) ?? [],
    gateway: hasDefaultRoute ? gateway : null,
    dns: [...dnsOf(facts, connection)],
    status: etherStatus(view, connection, device, errors),
    errors: [...errors, ...tunnelRefusals(view, connection)],
  }
}

function etherErrors(view: NetworkView, connection: Connection, device: string | null): SaidText[] {
  const holder = takenBy(view.config, connection)
  if (holder) return [say`The card belongs to the aggregated interface ${`“${holder.title}”`}.`]
  if (device === null) return [say`There is no card with the MAC ${connection.mac} in this machine.`]
  return [...refusals(view, device), ...clientFailures(view, device)]
}

/** A DHCP client that cannot run says why. */
function clientFailures({ machine }: NetworkView, device: string): SaidText[] {
  const unit = findUnit(machine, templateUnit(dhcpClient, 'dhcp-client', device).name)
  return unit?.state === 'failed' ? [unit.message] : []
}

/** What applyd reported about the device, or why it cannot report. */
function refusals({ machine }: NetworkView, device: string): SaidText[] {
  const fault = machineFault(machine)
  if (fault) return fault.msg
  const errors = kernelErrors(machine, device)
  return machine.applyError === null ? errors : [...errors, machine.applyError]
}

const kernelErrors = ({ observation }: Machine, device: string): SaidText[] =>
  (observation?.links ?? []).filter((link) => link.device === device).flatMap((link) => link.errors.map(verbatim))

/** The state of a tunnel has no field for messages, so they are shown with its parent interface. */
const tunnelRefusals = ({ config, machine }: NetworkView, connection: Connection): SaidText[] =>
  read(config, tunnels)
    .filter((tunnel) => tunnel.parent_interface === connectionAlias(connection))
    .flatMap(({ title, osdevname }) =>
      kernelErrors(machine, osdevname).map((error) => say`GRE tunnel “${title}”: ${error}`),
    )

function etherStatus(
  { facts }: NetworkView,
  connection: Connection,
  device: string | null,
  errors: readonly string[],
): Status {
  if (!connection.enabled) return 'down'
  const fact = findInterface(facts, device)
  const wanted = addressesOf(facts, connection)
  const isWaiting = 'enable_dhcp' in connection && connection.enable_dhcp && !leaseOf(facts, connection)
  const hasAll = wanted.every((address) => fact?.addresses.includes(address))
  if (fact?.isUp && hasAll && !(isWaiting && wanted.length === 0)) return 'up'
  return errors.length > 0 ? 'down' : 'going-up'
}

function pppState(view: NetworkView, connection: Connection): NonNullable<ConnectionState['ppp']> {
  const device = deviceOf(view.facts, connection)
  const fact = findInterface(view.facts, device)
  const errors = connection.enabled && device !== null ? refusals(view, device) : []
  const waiting = connection.enabled && errors.length === 0 ? 'going-up' : 'down'
  return {
    device: fact ? device : null,
    remote_address: null,
    local_address: fact?.addresses.find(isIpv4)?.split('/')[0] ?? null,
    dns: [],
    status: connection.enabled && fact?.isUp ? 'up' : waiting,
    errors,
  }
}

const isIpv4 = (address: string): boolean => address.includes('.')

export const aggregatedStates = ({ config, facts }: NetworkView): { id: string; link: 'up' | 'down' }[] =>
  read(config, aggregated).map(({ id, enabled }) => ({
    id,
    link: enabled && findInterface(facts, bondOf(id))?.isUp ? 'up' : 'down',
  }))

export const tunnelStates = (view: NetworkView): { id: string; link: 'up' | 'down' | 'inactive'; local_ip: string }[] =>
  read(view.config, tunnels).map((tunnel) => {
    const { local } = endsOf(view.config, view.facts, tunnel)
    const parent = read(view.config, connections).find((one) => connectionAlias(one) === tunnel.parent_interface)
    const isThere = parent !== undefined && etherState(view, parent).status === 'up'
    const isUp = tunnel.enabled && findInterface(view.facts, tunnel.osdevname)?.isUp
    return { id: tunnel.id, link: isUp ? 'up' : isThere ? 'down' : 'inactive', local_ip: local ?? '' }
  })
