// Tracked sessions of the kernel as sessions of the traffic monitor: objects and interfaces of an address, sums by host.

import { type Cell, comparison, type SortItem } from '../../core/contract/table-query.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { ClassifiedConnection, Facts, TrackedSession } from '../../core/plan/facts.ts'
import { createPlaceFinder } from '../../shared/net/behind.ts'
import { parseAddress } from '../../shared/net/ipv4.ts'
import { contains } from '../../shared/net/ranges.ts'
import { withUserAddresses } from '../authorization/public.ts'
import { connectionAlias, connections, ownAddresses } from '../network/public.ts'
import { addressesOf, ipAddresses, ipRanges, networks } from '../objects/public.ts'
import { recognise } from './applications.ts'
import type { TopApplication, TopSource, TrafficSession } from './contract.ts'
import { interfacePlaces } from './places.ts'

/** One field of a session, so that sorting hundreds of thousands by one of them does not make all of the others. */
export type SessionField = keyof TrafficSession
type Fields = { readonly [K in SessionField]: (tracked: TrackedSession) => TrafficSession[K] }

export interface SessionReader {
  readonly fields: Fields
  /** One at a time: others must get their turn in between. */
  show(tracked: TrackedSession): TrafficSession
}

export function createSessionReader(
  config: Config,
  facts: Facts,
  userAt: (address: string) => string | undefined,
  found: ReadonlyMap<string, ClassifiedConnection> = new Map(),
): SessionReader {
  const aliases = aliasFinder(config, facts, userAt)
  const interfaces = interfaceFinder(config, facts)
  const fields: Fields = {
    id: (one) => one.id,
    source_ip: (one) => one.source,
    src_aliases: (one) => aliases(one.source),
    destination_ip: (one) => one.destination,
    dst_aliases: (one) => aliases(one.destination),
    source_proto: (one) => withPort(one.protocol, one.sourcePort),
    destination_proto: (one) => withPort(one.protocol, one.destinationPort),
    application: (one) => recognise(one, found),
    duration: (one) => one.seconds,
    bps_in: (one) => one.bytesIn,
    bps_out: (one) => one.bytesOut,
    pps_in: (one) => one.packetsIn,
    pps_out: (one) => one.packetsOut,
    in_iface_alias: (one) => interfaces(one.source, one.calledAs),
    out_iface_alias: (one) => interfaces(one.destination, one.seenAs),
  }
  return {
    fields,
    show: (one) => ({
      id: fields.id(one),
      source_ip: fields.source_ip(one),
      src_aliases: fields.src_aliases(one),
      destination_ip: fields.destination_ip(one),
      dst_aliases: fields.dst_aliases(one),
      source_proto: fields.source_proto(one),
      destination_proto: fields.destination_proto(one),
      application: fields.application(one),
      duration: fields.duration(one),
      bps_in: fields.bps_in(one),
      bps_out: fields.bps_out(one),
      pps_in: fields.pps_in(one),
      pps_out: fields.pps_out(one),
      in_iface_alias: fields.in_iface_alias(one),
      out_iface_alias: fields.out_iface_alias(one),
    }),
  }
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
function aliasFinder(
  config: Config,
  facts: Facts,
  userAt: (address: string) => string | undefined,
): (ip: string) => string[] {
  const known = withUserAddresses(config, facts)
  const withRanges = (ids: readonly string[]) => ids.map((id) => ({ id, ranges: addressesOf(config, known, [id]) }))
  const holders = withRanges(
    [ipAddresses, ipRanges, networks].flatMap((slot) => read(config, slot as typeof networks).map(({ id }) => id)),
  )
  const users = withRanges([...known.addressBook.keys()].filter((id) => id.startsWith('user.')))
  return remembered((ip) => {
    const address = parseAddress(ip)
    if (address === null) return []
    const user = userAt(ip)
    const having = (all: typeof holders): string[] =>
      all.filter(({ ranges }) => contains(ranges, address)).map(({ id }) => id)
    // Without a session, the user whose rule has the address.
    return [...having(holders), ...(user === undefined ? having(users) : [user])]
  })
}

/** The interface that an address is behind. Empty when it is unknown, and for the gateway itself. */
function interfaceFinder(config: Config, facts: Facts): (ip: string, own: string) => string {
  const find = createPlaceFinder(interfacePlaces(config, facts), new Set(ownAddresses(config, facts)))
  return remembered((ip, ownText) => {
    const address = parseAddress(ip)
    return (address === null ? null : find(address, parseAddress(ownText)))?.place.alias ?? ''
  })
}

interface Sums {
  bps_in: number
  bps_out: number
  pps_in: number
  pps_out: number
  sessions: number
}

const noSums = (): Sums => ({ bps_in: 0, bps_out: 0, pps_in: 0, pps_out: 0, sessions: 0 })

function count(sums: Sums, session: TrafficSession): void {
  sums.bps_in += session.bps_in
  sums.bps_out += session.bps_out
  sums.pps_in += session.pps_in
  sums.pps_out += session.pps_out
  sums.sessions++
}

/** Sessions added one by one become rows. */
export interface Sum<T> {
  add(session: TrafficSession): void
  rows(): T[]
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
export function createTopSources(config: Config, facts: Facts): Sum<TopSource> {
  const local = new Set(
    read(config, connections)
      .filter(({ type }) => type === 'lan')
      .map(connectionAlias),
  )
  const own = new Set(ownAddresses(config, facts))
  const known = new Map<string, TopSource & Sums>()
  return {
    add(session) {
      const isTurned = !local.has(session.in_iface_alias) && local.has(session.out_iface_alias)
      const oriented = isTurned ? turned(session) : session
      const { source_ip, src_aliases } = oriented
      if (own.has(parseAddress(source_ip) ?? -1)) return
      const found = known.get(source_ip) ?? { source_ip, src_aliases, ...noSums() }
      known.set(source_ip, found)
      count(found, oriented)
    },
    rows: () => [...known.values()],
  }
}

/** Traffic that is not recognised is not listed. */
export function createTopApplications(): Sum<TopApplication> {
  const known = new Map<string, TopApplication & Sums>()
  return {
    add(session) {
      const { application } = session
      if (application === '') return
      const found = known.get(application) ?? { application, ...noSums() }
      known.set(application, found)
      count(found, session)
    },
    rows: () => [...known.values()],
  }
}

export interface TrafficQuery {
  readonly limit?: number
  readonly offset?: number
  readonly sort?: readonly SortItem[]
}

/** A row with only those of its fields that decide about its place. */
export interface Placed<T> {
  readonly row: T
  readonly cells: Readonly<Record<string, Cell>>
}

/** The order that the query asks for. Lists of ids are sorted as text. */
export function orderOf<T>(query: TrafficQuery, first: SortItem, cellValue: (row: T, field: string) => unknown) {
  const order = [...(query.sort ?? []), first]
  const compare = comparison(order)
  return {
    place: (row: T): Placed<T> => ({
      row,
      cells: Object.fromEntries(order.map(({ field }) => [field, cellOf(cellValue(row, field))])),
    }),
    compare: (a: Placed<T>, b: Placed<T>): number => compare(a.cells, b.cells),
  }
}

const cellOf = (value: unknown): Cell => (typeof value === 'number' ? value : String(value ?? ''))
