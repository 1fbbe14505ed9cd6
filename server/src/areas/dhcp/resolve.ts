// What the stored entries mean on this machine: which devices are served or relayed, in which networks, which card is bound
// to which address and which addresses are never given out. Pure.

import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { OpenService } from '../../domain/policy/model.ts'
import { dhcp } from '../../engines/dhcp/index.ts'
import { wpad } from '../../engines/wpad/index.ts'
import { type Network, parseAddress, parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { say } from '../../shared/said.ts'
import { authorizationRules } from '../authorization/public.ts'
import {
  addressesOf,
  type CardConnection,
  connectionAlias,
  connections,
  deviceOf,
  findInterface,
  ownAddresses,
  takenBy,
} from '../network/public.ts'
import { entries, staticLeases } from './config.ts'
import type { Entry, Server } from './contract.ts'

/** A network of an interface where the gateway leases addresses. `network.address` is the gateway's own one. */
export interface ServedNetwork {
  readonly entry: Entry
  readonly server: Server
  readonly device: string
  readonly network: Network
  /** `c1n0`: the first network of connection 1. */
  readonly tag: string
}

export interface RelayedNetwork {
  readonly entry: Entry
  readonly device: string
  /** The gateway's own address, by which the servers know the network. */
  readonly address: number
  readonly servers: readonly number[]
}

/** An enabled entry that cannot be served, and why. */
export interface UnservedEntry {
  readonly entry: Entry
  readonly reason: string
}

export interface Service {
  readonly served: readonly ServedNetwork[]
  readonly relayed: readonly RelayedNetwork[]
  readonly unserved: readonly UnservedEntry[]
}

export function serviceOf(config: Config, facts: Facts): Service {
  const served: ServedNetwork[] = []
  const relayed: RelayedNetwork[] = []
  const unserved: UnservedEntry[] = []
  for (const entry of read(config, entries)) {
    if (!entry.enabled) continue
    const place = placeOf(config, facts, entry)
    if (typeof place === 'string') {
      unserved.push({ entry, reason: place })
      continue
    }
    const { device, networks, id } = place
    const { server, relay } = entry
    if (server)
      networks.forEach((network, index) => {
        served.push({ entry, server, device, network, tag: `c${id}n${index}` })
      })
    const [first] = networks
    if (relay && first) {
      const servers = relay.external_servers.map(parseAddress).filter((address) => address !== null)
      relayed.push({ entry, device, address: first.address, servers })
    }
  }
  return { served, relayed, unserved }
}

/** An interface that is missing must not stop the others, so it is left out. */
function placeOf(config: Config, facts: Facts, entry: Entry) {
  const connection = read(config, connections).find((one) => connectionAlias(one) === entry.interface)
  if (connection?.type !== 'lan') return say`There is no such local interface.`
  const reason = whyAbsent(config, facts, connection)
  if (reason !== null) return `“${connection.title}” ${reason}`
  // Only a relay can use an address that the interface got from DHCP.
  const texts = entry.server ? connection.addresses : addressesOf(facts, connection)
  const networks = texts.map(parseNetwork).filter((network) => network !== null)
  const device = deviceOf(facts, connection) ?? ''
  return networks.length === 0 ? say`“${connection.title}” has no address.` : { device, networks, id: connection.id }
}

function whyAbsent(config: Config, facts: Facts, connection: CardConnection): string | null {
  if (!connection.enabled) return 'is disabled.'
  if (takenBy(config, connection)) return 'has no card, because an aggregated interface took it.'
  const device = findInterface(facts, deviceOf(facts, connection))
  if (!device) return 'has no device in this machine.'
  return /^[A-Za-z0-9_.-]+$/.test(device.name) ? null : 'has a device with a name that dnsmasq does not understand.'
}

/** An address and the only card it is given to; null: it is never given out. */
export interface Binding {
  readonly address: number
  readonly mac: string | null
}

/**
 * Static leases first, then authorization rules with IP and MAC, then addresses that are never given out: those of rules
 * with an IP alone, those of rules that lost against a static lease, and the gateway's own. Last come addresses that a host uses
 * without a lease: they are kept for its card. Each address is listed once.
 */
export function bindingsOf(config: Config, facts: Facts, served: readonly ServedNetwork[]): Binding[] {
  const own = [...served.map(({ network: { address } }) => address), ...ownAddresses(config, facts)]
  const inNetworks = own.filter((address) =>
    served.some(({ network: { low, high } }) => low <= address && address <= high),
  )
  const bindings = new Map(inNetworks.map((address): [number, Binding] => [address, { address, mac: null }]))
  // A card has one address in a network, but may have others in other networks.
  const taken = new Set<string>()
  const bind = (text: string, mac: string | null): void => {
    const address = parseAddress(text)
    const at = served.findIndex(({ network }) => address !== null && network.low <= address && address <= network.high)
    if (address === null || at < 0 || bindings.has(address)) return
    const place = `${mac} ${at}`
    bindings.set(address, { address, mac: taken.has(place) ? null : mac })
    taken.add(place)
  }
  for (const { enabled, ip_address, mac } of read(config, staticLeases)) if (enabled) bind(ip_address, mac)
  for (const { enabled, ip, mac } of read(config, authorizationRules)) if (enabled && ip !== null) bind(ip, mac)
  for (const { address, mac } of facts.usedAddresses ?? []) bind(printAddress(address), mac)
  return [...bindings.values()].toSorted((a, b) => a.address - b.address)
}

/** Enabled static leases outside the served networks: they have no effect. */
export const countUselessLeases = (config: Config, served: readonly ServedNetwork[]): number =>
  read(config, staticLeases).filter(({ enabled, ip_address }) => {
    const address = parseAddress(ip_address) ?? 0
    return enabled && !served.some(({ network: { low, high } }) => low <= address && address <= high)
  }).length

/** What the firewall lets through for the service, only where it is enabled. */
export function openServices(config: Config, facts: Facts): OpenService[] {
  const { served, relayed } = serviceOf(config, facts)
  const devices = devicesOf([...served, ...relayed])
  const announcing = devicesOf(announcingNetworks(served))
  const servers = [...new Set(relayed.flatMap((one) => one.servers))].sort((a, b) => a - b)
  const { requests, answers, fromServers, toServers } = dhcp.ports
  return [
    ...(devices.length > 0 ? [requests, answers].map((port) => ({ ...port, devices, peers: null })) : []),
    ...(servers.length > 0 ? [fromServers, toServers].map((port) => ({ ...port, devices: null, peers: servers })) : []),
    ...(announcing.length > 0 ? [{ ...wpad.ports.web, devices: announcing, peers: null }] : []),
  ]
}

const devicesOf = (networks: readonly { readonly device: string }[]): string[] =>
  [...new Set(networks.map(({ device }) => device))].sort()

/** Our own addresses at which clients look for the proxy file. */
export const announcedAddresses = (config: Config, facts: Facts): string[] =>
  announcingNetworks(serviceOf(config, facts).served).map(({ network }) => printAddress(network.address))

/** Networks whose clients get the address of the proxy file. */
export const announcingNetworks = (served: readonly ServedNetwork[]): readonly ServedNetwork[] =>
  served.filter(({ server }) => server.wpad_enabled)
