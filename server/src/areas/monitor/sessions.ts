// Tracked sessions of the kernel as sessions of the traffic monitor: objects and interfaces of an address, sums by host.

import { type Cell, comparison, type SortItem } from '../../contract/table-query.ts'
import { type Config, read } from '../../model/slots.ts'
import { parseAddress, parseNetwork } from '../../net/ipv4.ts'
import { contains } from '../../net/ranges.ts'
import type { Facts, TrackedSession } from '../../plan/facts.ts'
import {
  addressesOf as addressesOfConnection,
  type Connection,
  connectionAlias,
  connections,
  isExternal,
  ownAddresses,
} from '../network/public.ts'
import { addressesOf, ipAddresses, ipRanges, networks } from '../objects/public.ts'
import type { TopApplication, TopSource, TrafficSession } from './contract.ts'

export function showSessions(config: Config, facts: Facts, tracked: readonly TrackedSession[]): TrafficSession[] {
  const aliases = aliasFinder(config, facts)
  const interfaces = interfaceFinder(config, facts)
  return tracked.map((one) => ({
    id: one.id,
    source_ip: one.source,
    src_aliases: aliases(one.source),
    destination_ip: one.destination,
    dst_aliases: aliases(one.destination),
    source_proto: withPort(one.protocol, one.sourcePort),
    destination_proto: withPort(one.protocol, one.destinationPort),
    application: '',
    duration: one.seconds,
    bps_in: one.bytesIn,
    bps_out: one.bytesOut,
    pps_in: one.packetsIn,
    pps_out: one.packetsOut,
    in_iface_alias: interfaces(one.source, one.calledAs),
    out_iface_alias: interfaces(one.destination, one.seenAs),
  }))
}

const withPort = (protocol: string, port: number | null): string => (port === null ? protocol : `${protocol}:${port}`)

/** Many sessions share few addresses. */
function remembered<T>(find: (ip: string, own: string) => T): (ip: string, own?: string) => T {
  const known = new Map<string, T>()
  return (ip, own = '') => {
    const key = `${ip} ${own}`
    const found = known.get(key) ?? find(ip, own)
    known.set(key, found)
    return found
  }
}

/** Objects that contain an address, and the user who has it. */
function aliasFinder(config: Config, facts: Facts): (ip: string) => string[] {
  const holders = [ipAddresses, ipRanges, networks]
    .flatMap((slot) => read(config, slot as typeof networks).map(({ id }) => id))
    .map((id) => ({ id, ranges: addressesOf(config, facts, [id]) }))
  const users = [...facts.addressBook].filter(([id]) => id.startsWith('user.'))
  return remembered((ip) => {
    const address = parseAddress(ip)
    if (address === null) return []
    return [
      ...holders.filter(({ ranges }) => contains(ranges, address)).map(({ id }) => id),
      ...users.filter(([, addresses]) => addresses.includes(ip)).map(([id]) => id),
    ]
  })
}

/**
 * The connection that an address is behind: the one whose network contains it; otherwise the one whose address the gateway
 * used in this session, or the only external one. Empty when it is unknown, and for the gateway itself.
 */
function interfaceFinder(config: Config, facts: Facts): (ip: string, own: string) => string {
  const own = new Set(ownAddresses(config, facts))
  const all = read(config, connections)
    .filter(({ enabled }) => enabled)
    .map((connection) => ({ connection, networks: networksOf(facts, connection) }))
  const external = all.filter(({ connection }) => isExternal(connection))
  return remembered((ip, ownText) => {
    const address = parseAddress(ip)
    if (address === null || own.has(address)) return ''
    const used = parseAddress(ownText)
    const found =
      all.find(({ networks }) => networks.some(({ low, high }) => low <= address && address <= high)) ??
      all.find(({ networks }) => networks.some((network) => network.address === used)) ??
      (external.length === 1 ? external[0] : undefined)
    return found ? connectionAlias(found.connection) : ''
  })
}

const networksOf = (facts: Facts, connection: Connection) =>
  addressesOfConnection(facts, connection).flatMap((text) => parseNetwork(text) ?? [])

const sums = (sessions: readonly TrafficSession[]) => {
  const sum = (field: 'bps_in' | 'bps_out' | 'pps_in' | 'pps_out'): number =>
    sessions.reduce((total, session) => total + session[field], 0)
  return {
    bps_in: sum('bps_in'),
    bps_out: sum('bps_out'),
    pps_in: sum('pps_in'),
    pps_out: sum('pps_out'),
    sessions: sessions.length,
  }
}

/** The same session seen from its other end. */
const turned = (session: TrafficSession): TrafficSession => ({
  ...session,
  source_ip: session.destination_ip,
  src_aliases: session.dst_aliases,
  bps_in: session.bps_out,
  bps_out: session.bps_in,
  pps_in: session.pps_out,
  pps_out: session.pps_in,
})

/**
 * By local host, in whichever direction the session was opened. Where no end is local it counts for the host that opened it;
 * sessions of the gateway itself do not count (docs/behaviour/monitor.md 2).
 */
export function topSources(config: Config, facts: Facts, sessions: readonly TrafficSession[]): TopSource[] {
  const local = new Set(
    read(config, connections)
      .filter(({ type }) => type === 'lan')
      .map(connectionAlias),
  )
  const own = new Set(ownAddresses(config, facts))
  const oriented = sessions.map((session) =>
    !local.has(session.in_iface_alias) && local.has(session.out_iface_alias) ? turned(session) : session,
  )
  const foreign = oriented.filter(({ source_ip }) => !own.has(parseAddress(source_ip) ?? -1))
  return [...Map.groupBy(foreign, (session) => session.source_ip)].map(([source_ip, mine]) => ({
    source_ip,
    src_aliases: mine[0]?.src_aliases ?? [],
    ...sums(mine),
  }))
}

/** No engine recognises applications yet, and unrecognised traffic is not listed. */
export const topApplications = (sessions: readonly TrafficSession[]): TopApplication[] =>
  [...Map.groupBy(sessions, (session) => session.application)]
    .filter(([application]) => application !== '')
    .map(([application, own]) => ({ application, ...sums(own) }))

export interface TrafficQuery {
  readonly limit?: number
  readonly offset?: number
  readonly sort?: readonly SortItem[]
}

/** Sorted and cut as the query asks. Lists of ids are sorted as text. */
export function pageOf<T extends object>(rows: readonly T[], query: TrafficQuery, first: SortItem, most: number): T[] {
  const compare = comparison([...(query.sort ?? []), first])
  const cells = (row: T): Readonly<Record<string, Cell>> =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Array.isArray(value) ? `${value}` : value]))
  const offset = query.offset ?? 0
  return rows
    .map((row) => ({ row, cells: cells(row) }))
    .sort((a, b) => compare(a.cells, b.cells))
    .slice(offset, offset + (query.limit ?? most))
    .map(({ row }) => row)
}
