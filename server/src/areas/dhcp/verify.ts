// What must hold for the entries and static leases of DHCP beyond the form of their fields. Faults name the field as it is
// sent; `verify` says it for the whole configuration, edits for the object at hand. What an entry needs of its interface
// holds while the entry is switched on: otherwise an interface could not be renumbered.

import type { Problem } from '../../contract/error.ts'
import { type Config, type Item, type ListSlot, read } from '../../model/slots.ts'
import { type Network, parseNetwork, parseSpan } from '../../net/ipv4.ts'
import { type Connection, connectionAlias, connections } from '../network/public.ts'
import { entries, staticLeases } from './config.ts'
import type { Entry, Server, StaticLease } from './contract.ts'
import { parseOption } from './dhcp-option.ts'

const mostAddresses = 256
/** What one option of an answer holds, and its field for the name of a file with the byte that ends it. */
const mostBytes = 255
const mostFileBytes = 127

export const verify = (config: Config): Problem[] => [
  ...within(config, entries, (entry) => [...entryProblems(config, entry), ...takenInterface(config, entry)]),
  ...within(config, staticLeases, (lease) => [...leaseProblems(config, lease), ...takenByLease(config, lease)]),
]

const within = <T extends Item>(config: Config, slot: ListSlot<T>, problemsOf: (item: T) => Problem[]): Problem[] =>
  read(config, slot).flatMap((item) =>
    problemsOf(item).map(({ field, message }) => ({ field: `${slot.key}[${item.id}].${field}`, message })),
  )

const problem = (field: string, message: string): Problem => ({ field, message })

export function entryProblems(config: Config, entry: Entry): Problem[] {
  const { relay, server } = entry
  const connection = read(config, connections).find((one) => connectionAlias(one) === entry.interface)
  return [
    ...(connection?.type === 'lan' ? [] : [problem('interface', 'There is no local interface with this id.')]),
    ...(relay && server
      ? [problem('relay', 'Must be null when server is not: an interface does one or the other.')]
      : []),
    ...(!relay && !server ? [problem('server', 'One of relay and server must not be null.')] : []),
    ...(relay?.external_servers ?? []).flatMap((address, index) =>
      ownTexts(config).has(address)
        ? [problem(`relay.external_servers[${index}]`, 'This is an address of the gateway itself.')]
        : [],
    ),
    ...(server ? serverProblems(server) : []),
    ...(server && entry.enabled && connection?.type === 'lan' ? placeProblems(server, connection) : []),
  ]
}

const known = new WeakMap<readonly Connection[], ReadonlySet<string>>()

/** The gateway's own addresses without their prefixes, gathered once per list. */
function ownTexts(config: Config): ReadonlySet<string> {
  const all = read(config, connections)
  const own =
    known.get(all) ??
    new Set(all.flatMap((one) => ('addresses' in one ? one.addresses.map((text) => text.split('/')[0] ?? '') : [])))
  known.set(all, own)
  return own
}

function serverProblems({ ranges, routes, options, tftp_filename }: Server): Problem[] {
  const size = routesSize(routes)
  return [
    ...(size > mostBytes
      ? [problem('server.routes', `The routes need ${size} bytes, and only ${mostBytes} fit into an answer.`)]
      : []),
    ...(new TextEncoder().encode(tftp_filename).length > mostFileBytes
      ? [problem('server.tftp_filename', `Must have at most ${mostFileBytes} bytes.`)]
      : []),
    ...ranges.flatMap((range, index) => rangeProblems(ranges, range, index)),
    ...routes.flatMap(({ destination }, index) => {
      const network = parseNetwork(destination)
      return network && network.address !== network.low
        ? [problem(`server.routes[${index}].destination`, 'The address has bits beyond the prefix of the subnet.')]
        : []
    }),
    ...options.flatMap(({ option }, index) => {
      const parsed = parseOption(option)
      return typeof parsed === 'string' ? [problem(`server.options[${index}].option`, parsed)] : []
    }),
  ]
}

/** With the default route, which stands among them (RFC 3442): prefix, the bytes it needs, and the gateway. */
const routesSize = (routes: Server['routes']): number =>
  routes.reduce((sum, { destination }) => sum + 5 + Math.ceil((parseNetwork(destination)?.prefix ?? 32) / 8), 5)

function rangeProblems(ranges: readonly string[], range: string, index: number): Problem[] {
  const field = `server.ranges[${index}]`
  const span = parseSpan(range)
  if (!span) return [problem(field, 'The last address must not come before the first one.')]
  const [low, high] = span
  if (high - low >= mostAddresses) return [problem(field, `A range holds at most ${mostAddresses} addresses.`)]
  const rival = ranges.slice(0, index).find((other) => {
    const theirs = parseSpan(other)
    return theirs && theirs[0] <= high && low <= theirs[1]
  })
  return rival === undefined ? [] : [problem(field, `Overlaps with ${rival}.`)]
}

function placeProblems({ ranges }: Server, connection: Extract<Connection, { type: 'lan' | 'wan' }>): Problem[] {
  const networks = connection.addresses.map(parseNetwork).filter((network) => network !== null)
  if (networks.length === 0)
    return [problem('interface', `“${connection.title}” has no static address, which a DHCP server needs.`)]
  return ranges.flatMap((range, index) => {
    const span = parseSpan(range)
    return !span || networks.some((network) => isInside(network, span))
      ? []
      : [problem(`server.ranges[${index}]`, `Lies in none of the subnets of “${connection.title}”.`)]
  })
}

/** The first and the last address of a subnet are no hosts. */
function isInside({ low, high, prefix }: Network, [first, last]: readonly [number, number]): boolean {
  const edge = prefix < 31 ? 1 : 0
  return first >= low + edge && last <= high - edge
}

export function takenInterface(config: Config, entry: Entry): Problem[] {
  const rival = read(config, entries).find((other) => other.id !== entry.id && other.interface === entry.interface)
  return rival ? [problem('interface', 'The interface has DHCP settings already.')] : []
}

export const leaseProblems = (config: Config, lease: StaticLease): Problem[] =>
  lease.enabled && ownTexts(config).has(lease.ip_address)
    ? [problem('ip_address', 'This is an address of the gateway itself.')]
    : []

type ByKey = ReadonlyMap<string, readonly StaticLease[]>
const indexes = new WeakMap<readonly StaticLease[], ByKey>()

/** Enabled leases by address and by MAC, gathered once per list. */
function indexOf(leases: readonly StaticLease[]): ByKey {
  const found = indexes.get(leases)
  if (found) return found
  const enabled = leases.filter((lease) => lease.enabled)
  const index = new Map([
    ...Map.groupBy(enabled, ({ ip_address }) => ip_address),
    ...Map.groupBy(enabled, ({ mac }) => mac),
  ])
  indexes.set(leases, index)
  return index
}

export function takenByLease(config: Config, lease: StaticLease): Problem[] {
  if (!lease.enabled) return []
  const index = indexOf(read(config, staticLeases))
  const isTaken = (key: string): boolean => index.get(key)?.some((other) => other.id !== lease.id) ?? false
  return [
    ...(isTaken(lease.ip_address) ? [problem('ip_address', 'Another enabled static lease has this address.')] : []),
    ...(isTaken(lease.mac) ? [problem('mac', 'Another enabled static lease has this MAC.')] : []),
  ]
}
