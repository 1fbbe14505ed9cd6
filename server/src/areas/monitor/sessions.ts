// What the kernel tracks, in the words of the traffic monitor: objects and interfaces of an address, and sums by host.

import { type Config, read } from '../../contract/slots.ts'
import { type Cell, comparison, type SortItem } from '../../contract/table-query.ts'
import { parseAddress, parseNetwork } from '../../net/ipv4.ts'
import { contains } from '../../net/ranges.ts'
import type { Facts } from '../../plan/facts.ts'
import { connectionAlias, connections } from '../network/config.ts'
import { addressesOf as addressesOfConnection } from '../network/resolve.ts'
import { ipAddresses, ipRanges, networks } from '../objects/config.ts'
import { addressesOf } from '../objects/resolve.ts'
import type { TopApplication, TopSource, TrafficSession } from './contract.ts'

/** A connection as the kernel tracks it; rates over the last moments. */
export interface TrackedSession {
  readonly id: string
  readonly protocol: string
  readonly source: string
  readonly sourcePort: number | null
  readonly destination: string
  readonly destinationPort: number | null
  readonly seconds: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly packetsIn: number
  readonly packetsOut: number
}

export function showSessions(config: Config, facts: Facts, tracked: readonly TrackedSession[]): TrafficSession[] {
  const aliases = remembered((ip) => aliasesOf(config, facts, ip))
  const interfaces = remembered((ip) => interfaceOf(config, facts, ip))
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
    in_iface_alias: interfaces(one.source),
    out_iface_alias: interfaces(one.destination),
  }))
}

const withPort = (protocol: string, port: number | null): string => (port === null ? protocol : `${protocol}:${port}`)

function remembered<T>(find: (ip: string) => T): (ip: string) => T {
  const known = new Map<string, T>()
  return (ip) => {
    const found = known.get(ip) ?? find(ip)
    known.set(ip, found)
    return found
  }
}

function aliasesOf(config: Config, facts: Facts, ip: string): string[] {
  const address = parseAddress(ip)
  if (address === null) return []
  return [ipAddresses, ipRanges, networks]
    .flatMap((slot) => read(config, slot as typeof networks).map(({ id }) => id))
    .filter((id) => contains(addressesOf(config, facts, [id]), address))
}

/** The connection whose network holds the address; empty when it lies beyond all of them. */
function interfaceOf(config: Config, facts: Facts, ip: string): string {
  const address = parseAddress(ip)
  if (address === null) return ''
  const found = read(config, connections).find((connection) =>
    addressesOfConnection(facts, connection).some((text) => {
      const network = parseNetwork(text)
      return network !== null && network.low <= address && address <= network.high
    }),
  )
  return found ? connectionAlias(found) : ''
}

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

export const topSources = (sessions: readonly TrafficSession[]): TopSource[] =>
  [...Map.groupBy(sessions, (session) => session.source_ip)].map(([source_ip, own]) => ({
    source_ip,
    src_aliases: own[0]?.src_aliases ?? [],
    ...sums(own),
  }))

/** Nobody recognises applications yet; what is not recognised is no application. */
export const topApplications = (sessions: readonly TrafficSession[]): TopApplication[] =>
  [...Map.groupBy(sessions, (session) => session.application)]
    .filter(([application]) => application !== '')
    .map(([application, own]) => ({ application, ...sums(own) }))

export interface TrafficQuery {
  readonly limit?: number
  readonly offset?: number
  readonly sort?: readonly SortItem[]
}

/** Sorted and cut as asked. Lists of ids sort as the text of their first one. */
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
