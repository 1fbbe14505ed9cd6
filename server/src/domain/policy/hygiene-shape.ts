// The set of packets a rule matches, in a form that can be compared: is one rule's set inside another's, do they overlap.
// What follows from that is hygiene.ts's. Pure.

import { everyAddress, highestAddress } from '../../shared/net/ipv4.ts'
import { covers, invert, overlaps, type Ranges, unite } from '../../shared/net/ranges.ts'
import type { RuleField } from './evaluate-match.ts'
import { type AddressMatch, type InterfaceMatch, ownTraffic, type PolicyRule, type ProtocolName } from './model.ts'

export interface Shape {
  readonly rule: PolicyRule
  /** Rules with equal effects do the same to a packet. */
  readonly effect: string
  readonly protocol: ProtocolName | null
  /** IPv4 sources, those of device profiles taken into account. At most these: users may be at any address. */
  readonly source: Ranges
  readonly destination: Ranges
  /** IPv6 packets are in no list; a rule matches all of them or none. */
  readonly takesIpv6: boolean
  readonly sourcePorts: Ranges
  readonly destinationPorts: Ranges
  /** Null is any. What the gateway itself sends counts as a separate device. */
  readonly incoming: readonly string[] | null
  readonly outgoing: readonly string[] | null
  readonly times: Ranges | null
  /** Lists that name users or groups, whose addresses change without the rule; null for the others. */
  readonly live: Readonly<Record<AddressField, AddressMatch | null>>
}

export type AddressField = 'source' | 'destination'

const everyPort: Ranges = [0, 65_535]

export function shapeOf(rule: PolicyRule, effect: string): Shape {
  const { table, source, destination, sourcePorts, destinationPorts, times } = rule
  const isForward = table === 'forward'
  const holders = isForward ? rule.holders : null
  return {
    rule,
    effect,
    protocol: rule.protocol,
    source: holders === null ? listOf(source) : intersect(listOf(source), listOf(holders)),
    destination: listOf(destination),
    takesIpv6: [source, destination, holders].every((it) => it === null || it.isNegated) && !translates(rule),
    sourcePorts: sourcePorts?.ranges ?? everyPort,
    destinationPorts: destinationPorts?.ranges ?? everyPort,
    incoming: table === 'snat' ? null : devicesOf(rule.incoming),
    outgoing: table === 'input' ? null : devicesOf(rule.outgoing),
    times: times?.ranges ?? null,
    live: { source: liveOf(source), destination: liveOf(destination) },
  }
}

const listOf = (match: AddressMatch | null): Ranges => {
  if (match === null) return everyAddress
  if (match.isNegated) return restOf(match.ranges)
  return liveOf(match) === null ? match.ranges : everyAddress
}

const liveOf = (match: AddressMatch | null): AddressMatch | null => (match?.members?.length ? match : null)

/** One rest for each list, so that lists which many rules share are quickly found equal. */
const rests = new WeakMap<Ranges, Ranges>()

function restOf(ranges: Ranges): Ranges {
  const rest = rests.get(ranges) ?? invert(ranges, highestAddress)
  rests.set(ranges, rest)
  return rest
}

const intersect = (a: Ranges, b: Ranges): Ranges =>
  invert(unite([invert(a, highestAddress), invert(b, highestAddress)]), highestAddress)

const translates = ({ action }: PolicyRule): boolean => action.kind === 'dnat' || action.kind === 'snat'

const devicesOf = (match: InterfaceMatch | null): readonly string[] | null =>
  match === null ? null : match.key === ownTraffic ? [ownTraffic] : match.devices

/** True when no packet can match now: an interface is gone, a list is empty, no time is left. */
export const isEmpty = (shape: Shape): boolean =>
  ((shape.source.length === 0 || shape.destination.length === 0) && !shape.takesIpv6) ||
  shape.sourcePorts.length === 0 ||
  shape.destinationPorts.length === 0 ||
  shape.incoming?.length === 0 ||
  shape.outgoing?.length === 0 ||
  shape.times?.length === 0

/** Equal for rules that differ in nothing but their addresses. */
export const frameKey = ({ protocol, sourcePorts, destinationPorts, incoming, outgoing, times }: Shape): string =>
  JSON.stringify([protocol, sourcePorts, destinationPorts, incoming, outgoing, times])

/** Whatever the inner rule demands beside addresses, the outer one demands no more. */
export const coversFrame = (outer: Shape, inner: Shape): boolean =>
  (outer.protocol === null || outer.protocol === inner.protocol) &&
  coversIncoming(outer.incoming, inner.incoming) &&
  coversDevices(outer.outgoing, inner.outgoing) &&
  holds(outer.destinationPorts, inner.destinationPorts) &&
  holds(outer.sourcePorts, inner.sourcePorts) &&
  (outer.times === null || (inner.times !== null && holds(outer.times, inner.times)))

/** Every address of the inner rule is one of the outer rule's, IPv6 as well. */
export const holdsAddresses = (outer: Shape, inner: Shape): boolean =>
  (outer.takesIpv6 || !inner.takesIpv6) && holdsField(outer, inner, 'source') && holdsField(outer, inner, 'destination')

export function holdsField(outer: Shape, inner: Shape, field: AddressField): boolean {
  const own = outer.live[field]
  if (own === null) return holds(outer[field], inner[field])
  if (!holdsLive(own, inner, field)) return false
  const { table, holders } = outer.rule
  return field === 'destination' || table !== 'forward' || holders === null || holds(listOf(holders), inner.source)
}

/** Addresses alone prove nothing of where users are: the same users do. */
function holdsLive(outer: AddressMatch, inner: Shape, field: AddressField): boolean {
  const other = inner.live[field]
  if (other === null) return !outer.isNegated && holds(outer.ranges, inner[field])
  if (other.isNegated !== outer.isNegated) return false
  const [wide, narrow] = outer.isNegated ? [other, outer] : [outer, other]
  const known = new Set(wide.members)
  return holds(wide.ranges, narrow.ranges) && (narrow.members?.every((id) => known.has(id)) ?? true)
}

const holds = (outer: Ranges, inner: Ranges): boolean => outer === inner || covers(outer, inner)

type Devices = readonly string[] | null

const coversDevices = (outer: Devices, inner: Devices): boolean =>
  outer === null || (inner?.every((device) => outer.includes(device)) ?? false)

/** Any incoming interface does not include what the gateway itself sends. */
const coversIncoming = (outer: Devices, inner: Devices): boolean =>
  outer === null ? !inner?.includes(ownTraffic) : coversDevices(outer, inner)

/** At least one packet is in both. */
export function overlapsShape(a: Shape, b: Shape): boolean {
  if (a.protocol !== null && b.protocol !== null && a.protocol !== b.protocol) return false
  return (
    ((a.takesIpv6 && b.takesIpv6) || (overlaps(a.source, b.source) && overlaps(a.destination, b.destination))) &&
    overlaps(a.sourcePorts, b.sourcePorts) &&
    overlaps(a.destinationPorts, b.destinationPorts) &&
    sharesDevice(a.incoming, b.incoming) &&
    sharesDevice(a.outgoing, b.outgoing) &&
    (a.times === null || b.times === null || overlaps(a.times, b.times))
  )
}

/** May say yes for any interface and the gateway's own traffic: too careful, never wrong. */
const sharesDevice = (a: Devices, b: Devices): boolean =>
  a === null || b === null || a.some((device) => b.includes(device))

/** Fields in which the outer rule says more than the inner one. */
export function listWiderFields(outer: Shape, inner: Shape): RuleField[] {
  const same = (a: Ranges | Devices, b: Ranges | Devices) => JSON.stringify(a) === JSON.stringify(b)
  const sameField = (field: AddressField) =>
    same(outer[field], inner[field]) && same(outer.live[field]?.members ?? null, inner.live[field]?.members ?? null)
  const pairs: readonly (readonly [RuleField, boolean])[] = [
    ['protocol', outer.protocol === inner.protocol],
    ['source_addresses', sameField('source')],
    ['source_ports', same(outer.sourcePorts, inner.sourcePorts)],
    ['incoming_interface', same(outer.incoming, inner.incoming)],
    ['destination_addresses', sameField('destination')],
    ['destination_ports', same(outer.destinationPorts, inner.destinationPorts)],
    ['outgoing_interface', same(outer.outgoing, inner.outgoing)],
    ['timetable', same(outer.times, inner.times)],
  ]
  return pairs.flatMap(([field, isSame]) => (isSame ? [] : [field]))
}
