// From the names of interfaces to devices of the kernel and the gateway's own addresses: what rules, renders and states
// ask. Pure; answers are remembered as long as connections, tunnels and facts stay the same values.

import { findIn } from '../../core/model/item-index.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts, InterfaceFact } from '../../core/plan/facts.ts'
import type { LocalSide } from '../../domain/policy/local-side.ts'
import type { OutsideService, Span } from '../../domain/policy/model.ts'
import { parseAddress, parseNetwork, printAddress } from '../../shared/net/ipv4.ts'
import { toRanges } from '../../shared/net/ranges.ts'
import { type SaidText, say } from '../../shared/said.ts'
import {
  aggregated,
  type CardConnection,
  type Connection,
  connectionAlias,
  connections,
  isAddressed,
  isExternal,
  isPpp,
  specialAliases,
  tunnelAlias,
  tunnels,
  zones,
} from './config.ts'
import type { Aggregated, Tunnel } from './contract.ts'

/** The kernel's limit for the name of a device. */
const maxDeviceName = 15

/** All VPN clients share one device (docs/behaviour/vpn.md 1). */
const vpnDevice = 'Lvpn0'

const maxInterfacesPerZone = 64

/** Why the zone of an interface cannot be this one. The interface of the VPN clients is one further member. */
export function faultOfZone(config: Config, zone: string | null, furtherMembers = 0): SaidText | null {
  if (zone === null) return null
  if (!findIn(config, zones, zone)) return say`There is no zone with the id ${zone}.`
  const members = [...read(config, connections), ...read(config, tunnels)].filter((one) => one.zone === zone)
  return members.length + furtherMembers > maxInterfacesPerZone
    ? say`A zone holds at most ${maxInterfacesPerZone} interfaces.`
    : null
}

export const findInterface = (facts: Facts, device: string | null): InterfaceFact | undefined =>
  device === null ? undefined : facts.interfaces.find(({ name }) => name === device)

/** The device with this MAC; null when there is no such card in the machine. */
export const cardOf = (facts: Facts, mac: string): string | null =>
  facts.interfaces.find((card) => card.mac === mac)?.name ?? null

/** An aggregated interface has no name on the wire; its device gets one from its id. */
export const bondOf = (aggregatedId: string): string => `ag${aggregatedId.replaceAll('-', '').slice(0, 8)}`

const isMac = (mac: string): boolean => mac.includes(':')

/** What a connection is built on: a card or an aggregated interface, before any VLAN. */
export const baseOf = (facts: Facts, connection: CardConnection): string | null =>
  isMac(connection.mac) ? cardOf(facts, connection.mac) : bondOf(connection.mac)

/** The Ethernet device of a connection. */
export function etherOf(facts: Facts, connection: Connection): string | null {
  if (connection.type === 'loopback') return connection.osdevname
  const base = baseOf(facts, connection)
  if (base === null || connection.vlan_tag === null) return base
  const name = `${base}.${connection.vlan_tag}`
  return name.length <= maxDeviceName ? name : `vlan${connection.id}`
}

/** The device that carries the traffic of a connection; null when its card is not in the machine. */
export const deviceOf = (facts: Facts, connection: Connection): string | null =>
  isPpp(connection) ? `Eppp${connection.id}` : etherOf(facts, connection)

/** IP/prefix that a device should have: set by hand and from DHCP. */
export function addressesOf(facts: Facts, connection: Connection): readonly string[] {
  if (connection.type === 'loopback') return connection.addresses
  if (!isAddressed(connection)) return []
  const lease = leaseOf(facts, connection)
  return lease && !connection.addresses.includes(lease.address)
    ? [...connection.addresses, lease.address]
    : connection.addresses
}

export const leaseOf = (facts: Facts, connection: Connection) =>
  isAddressed(connection) && connection.enable_dhcp
    ? facts.leases.find(({ device }) => device === etherOf(facts, connection))
    : undefined

interface Resolved {
  readonly devices: ReadonlyMap<string, readonly string[]>
  readonly external: readonly string[]
  readonly addresses: readonly number[]
}

const resolved = remember((all: readonly Connection[], gre: readonly Tunnel[], facts: Facts): Resolved => {
  const devicesIn = (chosen: readonly Connection[]): string[] => unique(chosen.map((one) => deviceOf(facts, one)))
  const isUnconfigured = all.length === 0
  const external = unique([...devicesIn(all.filter(isExternal)), ...openDevices(all, gre, facts)])
  const local = isUnconfigured
    ? facts.interfaces.map(({ name }) => name).filter((name) => !external.includes(name))
    : devicesIn(all.filter(({ type }) => type === 'lan'))
  const devices = new Map<string, readonly string[]>([
    ['interface.external_any', external],
    ['interface.external_eth', isUnconfigured ? external : devicesIn(all.filter(({ type }) => type === 'wan'))],
    ['interface.external_vpn', devicesIn(all.filter(isPpp))],
    ['interface.local_any', local],
    ['interface.tunnel_any', gre.map(({ osdevname }) => osdevname)],
    ['interface.vpn_traffic', [vpnDevice]],
    ...all.map((one): [string, string[]] => [connectionAlias(one), devicesIn([one])]),
    ...gre.map((one): [string, string[]] => [tunnelAlias(one), [one.osdevname]]),
  ])
  for (const member of [...all, ...gre]) {
    if (member.zone === null) continue
    const own = 'type' in member ? devicesIn([member]) : [member.osdevname]
    devices.set(member.zone, unique([...(devices.get(member.zone) ?? []), ...own]))
  }
  return { devices, external, addresses: addressNumbers(all, gre, facts) }
})

/**
 * Devices with a default route of IPv4, or of IPv6 alone: any host of a network can announce itself as a router of IPv6, so that
 * counts only where no IPv4 says what the network is.
 */
export function routedDevices({ interfaces, externalInterfaces, externalIpv6Interfaces }: Facts): string[] {
  const hasIpv4 = (device: string): boolean =>
    interfaces.some(({ name, addresses }) => name === device && addresses.some((one) => parseNetwork(one) !== null))
  const alone = externalIpv6Interfaces.filter((device) => externalInterfaces.length === 0 || !hasIpv4(device))
  return unique([...externalInterfaces, ...alone])
}

/**
 * Devices without a connection of their own on which providers are nevertheless: below their connections (the Ethernet side
 * of a PPP connection, the card of a VLAN), and wherever a default route leads (a bridge, a tunnel, a VLAN that others made).
 */
function openDevices(all: readonly Connection[], gre: readonly Tunnel[], facts: Facts): string[] {
  const own = new Set([...all.map((one) => deviceOf(facts, one)), ...gre.map(({ osdevname }) => osdevname), vpnDevice])
  const below = all
    .filter(isExternal)
    .flatMap((one) => (one.type === 'loopback' ? [] : [etherOf(facts, one), baseOf(facts, one)]))
  return unique([...below, ...routedDevices(facts)]).filter((device) => !own.has(device))
}

/** Wanted ones on devices we manage, found ones on all others. A device the kernel could not make has none. */
function addressNumbers(all: readonly Connection[], gre: readonly Tunnel[], facts: Facts): number[] {
  const managed = new Map<string | null, readonly string[]>([
    ...all.map((one): [string | null, readonly string[]] => [
      etherOf(facts, one),
      one.enabled ? addressesOf(facts, one) : [],
    ]),
    ...gre.map((one): [string, readonly string[]] => [one.osdevname, one.enabled ? one.addresses : []]),
  ])
  const texts = facts.interfaces.flatMap(({ name, addresses }) => managed.get(name) ?? addresses)
  const numbers = texts.flatMap((text) => parseNetwork(text)?.address ?? parseAddress(text) ?? [])
  return [...new Set(numbers)].sort((a, b) => a - b)
}

const resolveAll = (config: Config, facts: Facts): Resolved =>
  resolved(read(config, connections), read(config, tunnels), facts)

const none: readonly string[] = []

/** The devices behind a name; none when it is unknown, empty or not on this machine. */
export const devicesOf = (config: Config, facts: Facts, alias: string): readonly string[] =>
  devicesByAlias(config, facts).get(alias) ?? none

/** Of every name that has any; the same map as long as nothing behind it changed. */
export const devicesByAlias = (config: Config, facts: Facts): ReadonlyMap<string, readonly string[]> =>
  resolveAll(config, facts).devices

/** Devices that lead to providers: those of their connections, and others with a default route. */
export const externalDevices = (config: Config, facts: Facts): readonly string[] => resolveAll(config, facts).external

/** The gateway's own IPv4 addresses. */
export const ownAddresses = (config: Config, facts: Facts): readonly number[] => resolveAll(config, facts).addresses

/** IP/prefix of the devices of local networks, by device. Before anything is configured, of those that lead to no provider. */
export function localAddresses(config: Config, facts: Facts): ReadonlyMap<string, readonly string[]> {
  const all = read(config, connections)
  const found = facts.interfaces.filter(({ name }) => name !== 'lo' && !routedDevices(facts).includes(name))
  if (all.length === 0) return new Map(found.map(({ name, addresses }) => [name, addresses]))
  const local = all.filter((one) => one.type === 'lan' && one.enabled)
  return new Map(
    local.flatMap((one) =>
      deviceOf(facts, one) === null ? [] : [[deviceOf(facts, one) ?? '', addressesOf(facts, one)]],
    ),
  )
}

/** The IPv4 networks of local devices, as `network/prefix`. */
export const localNetworks = (config: Config, facts: Facts): readonly string[] =>
  unique(
    [...localAddresses(config, facts).values()].flat().map((text) => {
      const network = parseNetwork(text)
      return network && `${printAddress(network.low)}/${network.prefix}`
    }),
  )

/** Local devices with their addresses, and what is not in the internet. */
export function localSide(config: Config, facts: Facts): LocalSide {
  const local = [...localAddresses(config, facts)].map(([device, texts]) => ({
    device,
    address: texts.map((text) => parseNetwork(text)?.address ?? null).find((address) => address !== null) ?? null,
  }))
  const spans = localNetworks(config, facts).flatMap((text): Span[] => {
    const network = parseNetwork(text)
    return network === null ? [] : [[network.low, network.high]]
  })
  const own = ownAddresses(config, facts).map((address): Span => [address, address])
  return { local, near: toRanges([...spans, ...own]) }
}

const aliases = remember(
  (all: readonly Connection[], gre: readonly Tunnel[], areas: readonly { readonly id: string }[]) =>
    new Set<string>([
      ...specialAliases,
      ...all.map(connectionAlias),
      ...gre.map(tunnelAlias),
      ...areas.map(({ id }) => id),
    ]),
)

/** May a rule name it as an interface? */
export const isInterfaceAlias = (config: Config, alias: string): boolean =>
  aliases(read(config, connections), read(config, tunnels), read(config, zones)).has(alias)

/** Name servers of the providers and those set by hand, in the order of the connections. */
export const dnsServers = (config: Config, facts: Facts): readonly string[] =>
  unique(
    read(config, connections)
      .filter((one) => one.enabled)
      .flatMap((one) => dnsOf(facts, one)),
  )

/** What a connection gives to ask: set by hand first, then from DHCP. */
export const dnsOf = (facts: Facts, connection: Connection): readonly string[] =>
  isAddressed(connection) ? unique([...connection.dns, ...(leaseOf(facts, connection)?.dns ?? [])]) : []

/** The enabled aggregated interface that has taken the card of a connection. */
export const takenBy = (config: Config, { mac }: Connection): Aggregated | undefined =>
  read(config, aggregated).find(({ enabled, nics }) => enabled && mac !== null && nics.includes(mac))

/** Peers of tunnels that are names: who resolves domains puts their addresses under these ids into the address book. */
export const serverDomains = (config: Config): readonly { readonly id: string; readonly value: string }[] =>
  read(config, tunnels)
    .filter(({ server }) => parseAddress(server) === null)
    .map((tunnel) => ({ id: tunnelAlias(tunnel), value: tunnel.server }))

/** Both ends of a tunnel, as far as they are known. */
export function endsOf(config: Config, facts: Facts, tunnel: Tunnel): { local: string | null; remote: string | null } {
  const parent = read(config, connections).find((one) => connectionAlias(one) === tunnel.parent_interface)
  const [first] = parent?.enabled ? addressesOf(facts, parent) : []
  const local = parent?.enabled ? (tunnel.local_ip ?? first?.split('/')[0] ?? null) : null
  const isAddress = parseAddress(tunnel.server) !== null
  return { local, remote: isAddress ? tunnel.server : (facts.addressBook.get(tunnelAlias(tunnel))?.[0] ?? null) }
}

/** Peers of tunnels that are up send without being asked. */
export const tunnelServices = (config: Config, facts: Facts): readonly OutsideService[] => {
  const peers = read(config, tunnels)
    .filter(({ enabled }) => enabled)
    .map((tunnel) => endsOf(config, facts, tunnel))
    .flatMap(({ local, remote }) => (local === null || remote === null ? [] : (parseAddress(remote) ?? [])))
  if (peers.length === 0) return []
  const known = [...new Set(peers)].sort((a, b) => a - b)
  return [{ name: 'tunnel', title: 'GRE tunnel', protocol: 'gre', destinationPort: null, peers: known }]
}

const unique = (names: readonly (string | null)[]): string[] => [...new Set(names.filter((name) => name !== null))]

/** Remembers by three values that never change once made. */
function remember<A extends object, B extends object, C extends object, R>(compute: (a: A, b: B, c: C) => R) {
  const known = new WeakMap<A, WeakMap<B, WeakMap<C, R>>>()
  return (a: A, b: B, c: C): R => {
    const byB = known.get(a) ?? new WeakMap<B, WeakMap<C, R>>()
    const byC = byB.get(b) ?? new WeakMap<C, R>()
    known.set(a, byB)
    byB.set(b, byC)
    const found = byC.get(c)
    if (found !== undefined) return found
    const made = compute(a, b, c)
    byC.set(c, made)
    return made
  }
}
