// The interfaces as links of the kernel, one plan for each device, and a DHCP client where one is asked for. Pure: cards are
// found by MAC in the facts, leases come from there too.

import { templateUnit } from '../../core/engine/artifacts.ts'
import { pathOf } from '../../core/model/paths.ts'
import { type Config, type ListSlot, read } from '../../core/model/slots.ts'
import type { Artifact, LinkMaking, LinkPlan, RoutePlan } from '../../core/plan/artifacts.ts'
import type { Facts } from '../../core/plan/facts.ts'
import { planLink } from '../../core/plan/link.ts'
import { dhcpClient } from '../../engines/dhcp-client/index.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import {
  aggregated,
  type Connection,
  connections,
  isAddressed,
  isPpp,
  spans,
  tunnels,
  vceConnections,
} from './config.ts'
import { kernelSettings } from './kernel.ts'
import {
  addressesOf,
  baseOf,
  bondOf,
  cardOf,
  deviceOf,
  devicesOf,
  endsOf,
  etherOf,
  findInterface,
  leaseOf,
  takenBy,
} from './resolve.ts'

/** Default routes of earlier connections are preferred. */
const metricStep = 100

export function render(config: Config, facts: Facts): readonly Artifact[] {
  const links = linksOf(config, facts)
  if (links === null) return [kernelSettings(facts)]
  const clients = new Set(
    read(config, connections)
      .filter((one) => isAddressed(one) && one.enabled && one.enable_dhcp && !takenBy(config, one))
      // A device that is not there yet would end the client at once; facts change when it comes.
      .flatMap((one) => findInterface(facts, etherOf(facts, one))?.name ?? []),
  )
  return [
    { kind: 'network', name: 'links', links },
    kernelSettings(facts),
    ...[...clients].map((device) => templateUnit(dhcpClient, 'dhcp-client', device)),
  ]
}

/** Null as long as nothing is configured: then the network of the machine stays as it was found. */
export function linksOf(config: Config, facts: Facts): readonly LinkPlan[] | null {
  const slots: readonly ListSlot[] = [connections, aggregated, tunnels, vceConnections, spans]
  const isConfigured = slots.some((slot) => read(config, slot).length > 0)
  if (!isConfigured) return null
  return mergeByDevice([
    ...bondLinks(config, facts),
    ...read(config, connections).flatMap((one, index) =>
      takenBy(config, one) ? [] : connectionLinks(facts, one, (index + 1) * metricStep),
    ),
    ...tunnelLinks(config, facts),
    ...spanLinks(config, facts),
  ])
}

const bondLinks = (config: Config, facts: Facts): LinkPlan[] =>
  read(config, aggregated)
    .filter(({ enabled }) => enabled)
    .map(({ id, nics }) => {
      const members = nics.flatMap((mac) => cardOf(facts, mac) ?? [])
      return planLink(pathOf(aggregated, id), bondOf(id), { make: { kind: 'bond', members } })
    })

function connectionLinks(facts: Facts, connection: Connection, metric: number): LinkPlan[] {
  const origin = pathOf(connections, connection.id)
  const device = etherOf(facts, connection)
  const make = makingOf(facts, connection)
  if (device === null) return []
  if (!connection.enabled) return make ? [] : [planLink(origin, device, { isUp: false })]
  const addresses = addressesOf(facts, connection)
  const ether = planLink(origin, device, { make, addresses, routes: routesOf(facts, connection, metric) })
  const base = connection.type === 'loopback' ? null : baseOf(facts, connection)
  const ppp = isPpp(connection)
    ? [planLink(origin, deviceOf(facts, connection) ?? '', { make: { kind: 'ppp', parent: device } })]
    : []
  // The card below a VLAN has to be up, whether or not it carries a connection itself.
  return [...(base !== null && base !== device ? [planLink(origin, base)] : []), ether, ...ppp]
}

function makingOf(facts: Facts, connection: Connection): LinkMaking | null {
  if (connection.type === 'loopback') return { kind: 'dummy' }
  const parent = baseOf(facts, connection)
  return connection.vlan_tag === null || parent === null ? null : { kind: 'vlan', parent, tag: connection.vlan_tag }
}

function routesOf(facts: Facts, connection: Connection, metric: number): RoutePlan[] {
  if (!isAddressed(connection)) return []
  const via = connection.gateway ?? leaseOf(facts, connection)?.gateway ?? null
  return via === null ? [] : [{ to: 'default', via, metric }]
}

function tunnelLinks(config: Config, facts: Facts): LinkPlan[] {
  const first = (read(config, connections).length + 1) * metricStep
  return read(config, tunnels).flatMap((tunnel, index) => {
    const { local, remote } = endsOf(config, facts, tunnel)
    if (!tunnel.enabled || local === null || remote === null || parseAddress(remote) === null) return []
    return planLink(pathOf(tunnels, tunnel.id), tunnel.osdevname, {
      make: { kind: 'gre', local, remote },
      addresses: tunnel.addresses,
      routes:
        tunnel.gateway === null ? [] : [{ to: 'default', via: tunnel.gateway, metric: first + index * metricStep }],
    })
  })
}

const spanLinks = (config: Config, facts: Facts): LinkPlan[] =>
  read(config, spans).flatMap((span) => {
    const card = cardOf(facts, span.mac)
    if (card === null) return []
    const sources = span.enabled ? span.monitor_interfaces.flatMap((alias) => devicesOf(config, facts, alias)) : []
    return planLink(pathOf(spans, span.id), card, {
      isUp: span.enabled,
      mirrors: [...new Set(sources)].map((device) => ({ device, direction: span.direction })),
    })
  })

/** A bond or a card may be there for several reasons at once; its own connection brings the addresses. */
function mergeByDevice(links: readonly LinkPlan[]): LinkPlan[] {
  const merged = new Map<string, LinkPlan>()
  for (const next of links) {
    const known = merged.get(next.device)
    merged.set(
      next.device,
      known
        ? {
            ...known,
            make: known.make ?? next.make,
            isUp: known.isUp || next.isUp,
            addresses: [...known.addresses, ...next.addresses],
            routes: [...known.routes, ...next.routes],
            mirrors: [...known.mirrors, ...next.mirrors],
          }
        : next,
    )
  }
  return [...merged.values()]
}
