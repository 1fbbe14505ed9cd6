// What must hold for the entries and static leases of DHCP beyond the form of their fields; lists.ts declares them. Problems
// name the field as it is sent. What an entry needs of its interface must hold only while the entry is enabled: otherwise
// an interface could not be renumbered.

import type { Problem } from '../../core/contract/error.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type Network, parseNetwork, parseSpan } from '../../shared/net/ipv4.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { type Connection, connectionAlias, connections } from '../network/public.ts'
import type { Entry, Server, StaticLease } from './contract.ts'
import { parseOption } from './dhcp-option.ts'

const mostAddresses = 256
/** What one option of an answer holds, and its field for the name of a file with the byte that ends it. */
const mostBytes = 255
const mostFileBytes = 127

const problem = (field: string, message: SaidText): Problem => ({ field, message })

export function entryProblems(config: Config, entry: Entry): Problem[] {
  const { relay, server } = entry
  const connection = localConnection(config, entry.interface)
  return [
    ...(relay && server
      ? [problem('relay', say`Must be null when server is not: an interface does one or the other.`)]
      : []),
    ...(!relay && !server ? [problem('server', say`One of relay and server must not be null.`)] : []),
    ...(relay?.external_servers ?? []).flatMap((address, index) =>
      ownTexts(config).has(address)
        ? [problem(`relay.external_servers[${index}]`, say`This is an address of the gateway itself.`)]
        : [],
    ),
    ...(server ? serverProblems(server) : []),
    ...(server && entry.enabled && connection ? placeProblems(server, connection) : []),
  ]
}

type LocalConnection = Extract<Connection, { type: 'lan' | 'wan' }>

/** The local interface with this id. */
export const localConnection = (config: Config, alias: string): LocalConnection | undefined =>
  read(config, connections).find((one): one is LocalConnection => one.type === 'lan' && connectionAlias(one) === alias)

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
      ? [problem('server.routes', say`The routes need ${size} bytes, and only ${mostBytes} fit into an answer.`)]
      : []),
    ...(new TextEncoder().encode(tftp_filename).length > mostFileBytes
      ? [problem('server.tftp_filename', say`Must have at most ${mostFileBytes} bytes.`)]
      : []),
    ...ranges.flatMap((range, index) => rangeProblems(ranges, range, index)),
    ...routes.flatMap(({ destination }, index) => {
      const network = parseNetwork(destination)
      return network && network.address !== network.low
        ? [problem(`server.routes[${index}].destination`, say`The address has host bits set.`)]
        : []
    }),
    ...options.flatMap(({ option }, index) => {
      const parsed = parseOption(option)
      return typeof parsed === 'string' ? [problem(`server.options[${index}].option`, parsed)] : []
    }),
  ]
}

/** With the default route, which is one of them (RFC 3442): prefix, the bytes it needs, and the gateway. */
const routesSize = (routes: Server['routes']): number =>
  routes.reduce((sum, { destination }) => sum + 5 + Math.ceil((parseNetwork(destination)?.prefix ?? 32) / 8), 5)

function rangeProblems(ranges: readonly string[], range: string, index: number): Problem[] {
  const field = `server.ranges[${index}]`
  const span = parseSpan(range)
  if (!span) return [problem(field, say`The last address must not come before the first one.`)]
  const [low, high] = span
  if (high - low >= mostAddresses) return [problem(field, say`A range holds at most ${mostAddresses} addresses.`)]
  const rival = ranges.slice(0, index).find((other) => {
    const theirs = parseSpan(other)
    return theirs && theirs[0] <= high && low <= theirs[1]
  })
  return rival === undefined ? [] : [problem(field, say`Overlaps with ${rival}.`)]
}

function placeProblems({ ranges }: Server, connection: LocalConnection): Problem[] {
  const networks = connection.addresses.map(parseNetwork).filter((network) => network !== null)
  if (networks.length === 0)
    return [problem('interface', say`“${connection.title}” has no static address, which a DHCP server needs.`)]
  return ranges.flatMap((range, index) => {
    const span = parseSpan(range)
    return !span || networks.some((network) => isInside(network, span))
      ? []
      : [problem(`server.ranges[${index}]`, say`Is not inside a subnet of “${connection.title}”.`)]
  })
}

/** The first and the last address of a subnet are not hosts. */
function isInside({ low, high, prefix }: Network, [first, last]: readonly [number, number]): boolean {
  const edge = prefix < 31 ? 1 : 0
  return first >= low + edge && last <= high - edge
}

export const leaseProblems = (config: Config, lease: StaticLease): Problem[] =>
  lease.enabled && ownTexts(config).has(lease.ip_address)
    ? [problem('ip_address', say`This is an address of the gateway itself.`)]
    : []
