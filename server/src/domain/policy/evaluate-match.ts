// One rule against one packet: does it match, and if not, by which field. Knows nothing of order or verdicts; that is
// evaluate.ts. Pure.

import { contains, type Ranges, toRanges, unite } from '../../shared/net/ranges.ts'
import {
  type AddressMatch,
  type InterfaceMatch,
  ownTraffic,
  type PolicyRule,
  type ProtocolName,
  type Span,
} from './model.ts'

/** Conditions of a rule by their names on the wire, in the order in which they are tried. */
const ruleFields = [
  'protocol',
  'source_addresses',
  'source_ports',
  'incoming_interface',
  'destination_addresses',
  'destination_ports',
  'outgoing_interface',
  'hip_profiles',
  'timetable',
] as const
export type RuleField = (typeof ruleFields)[number]

/** Ids of users and of all groups above them, by address. */
export type MembersAt = ReadonlyMap<number, readonly string[]>

/** The packet as numbers at its present stage. Address or port pools of DNAT make its destination a span. */
export interface Flow {
  readonly protocol: ProtocolName
  /** Null for IPv6, whose addresses are in no list. */
  readonly source: number | null
  readonly destination: Span | null
  /** Null for protocols without ports. */
  readonly sourcePort: number | null
  readonly destinationPorts: Span | null
  /** Null when the gateway itself sends it. */
  readonly incoming: string | null
  /** Null when it is unknown or does not exist. */
  readonly outgoing: string | null
  readonly time: number
  /** Who is where, as far as it matters for the packet. */
  readonly members?: MembersAt
}

/** The rule matches one part of the span and not the other; `at` is the first value of the upper part. */
export interface Cut {
  readonly field: 'destination_addresses' | 'destination_ports'
  readonly at: number
}

export type Match =
  | { readonly kind: 'match' }
  | { readonly kind: 'miss'; readonly field: RuleField }
  | { readonly kind: 'cut'; readonly cut: Cut }

/** Made once: thousands of rules are asked for one packet. */
const matched: Match = { kind: 'match' }
const misses = Object.fromEntries(ruleFields.map((field) => [field, { kind: 'miss', field }])) as Record<
  RuleField,
  Match
>

export function matchRule(rule: PolicyRule, flow: Flow): Match {
  const { table, source, destination, sourcePorts, destinationPorts, times } = rule
  if (rule.protocol !== null && rule.protocol !== flow.protocol) return misses.protocol
  if (translatesIpv4(rule) && flow.source === null) return misses.destination_addresses
  if (source !== null && !isIn(source, flow, flow.source)) return misses.source_addresses
  if (sourcePorts !== null && (flow.sourcePort === null || !contains(sourcePorts.ranges, flow.sourcePort)))
    return misses.source_ports
  if (table !== 'snat' && !comesFrom(rule.incoming, flow.incoming)) return misses.incoming_interface
  if (destination !== null && !meets(destination, flow)) return misses.destination_addresses
  if (destinationPorts !== null && !touches(destinationPorts.ranges, flow.destinationPorts))
    return misses.destination_ports
  if (table !== 'input') {
    if (rule.outgoing !== null && !(flow.outgoing !== null && rule.outgoing.devices.includes(flow.outgoing)))
      return misses.outgoing_interface
    if (rule.holders !== null && !isIn(rule.holders, flow, flow.source)) return misses.hip_profiles
  }
  if (times !== null && !contains(times.ranges, flow.time)) return misses.timetable
  return findCut(rule, flow)
}

/** A translation has an IPv4 address to give, so it does not match IPv6. */
const translatesIpv4 = ({ action }: PolicyRule): boolean => action.kind === 'dnat' || action.kind === 'snat'

export const isIn = (match: AddressMatch, flow: Flow, address: number | null): boolean =>
  address === null ? match.isNegated : contains(rangesOf(match, flow), address) !== match.isNegated

/** The addresses of a list, with those where the users are that it names. */
function rangesOf({ ranges, members }: AddressMatch, { members: present }: Flow): Ranges {
  if (members === undefined || present === undefined || present.size === 0) return ranges
  const found = [...present].filter(([, ids]) => ids.some((id) => members.includes(id)))
  return found.length === 0 ? ranges : unite([ranges, toRanges(found.map(([address]): Span => [address, address]))])
}

/** Is the packet from the hosts, or for them? A pool of destinations may have to be taken apart to say so. */
export function concerns(hosts: AddressMatch, flow: Flow): boolean | Cut {
  if (isIn(hosts, flow, flow.source)) return true
  const at = cutPoint(rangesOf(hosts, flow), flow.destination)
  return at === null ? isIn(hosts, flow, flow.destination?.[0] ?? null) : { field: 'destination_addresses', at }
}

/** What the gateway sends is only for rules that name it: `any` means what comes in somewhere. */
const comesFrom = (match: InterfaceMatch | null, device: string | null): boolean =>
  device === null ? match?.key === ownTraffic : match === null || match.devices.includes(device)

/** True when at least a part of the span matches. */
function meets(match: AddressMatch, flow: Flow): boolean {
  const { destination: span } = flow
  if (span === null || span[0] === span[1]) return isIn(match, flow, span === null ? null : span[0])
  return cutPoint(rangesOf(match, flow), span) !== null || isIn(match, flow, span[0])
}

const touches = (ranges: Ranges, span: Span | null): boolean =>
  span !== null && (contains(ranges, span[0]) || (span[0] < span[1] && cutPoint(ranges, span) !== null))

function findCut({ destination, destinationPorts }: PolicyRule, flow: Flow): Match {
  const address = destination === null ? null : cutPoint(rangesOf(destination, flow), flow.destination)
  if (address !== null) return { kind: 'cut', cut: { field: 'destination_addresses', at: address } }
  const port = destinationPorts === null ? null : cutPoint(destinationPorts.ranges, flow.destinationPorts)
  return port === null ? matched : { kind: 'cut', cut: { field: 'destination_ports', at: port } }
}

/** Where the span goes from inside the ranges to outside or back; null when it is on one side. */
export function cutPoint(ranges: Ranges, span: Span | null): number | null {
  if (span === null || span[0] === span[1]) return null
  const [low, high] = span
  for (let at = 0; at < ranges.length; at += 2) {
    const [first, last] = [ranges[at] as number, ranges[at + 1] as number]
    if (last < low) continue
    if (first > high) return null
    if (first > low) return first
    return last < high ? last + 1 : null
  }
  return null
}
