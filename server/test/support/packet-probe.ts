// Sends packets through a gateway and records the result of each: where it arrived, with which addresses, marked or not,
// and which rules counted it. Compares that with the evaluator. The namespaces belong to the caller.

import { fileURLToPath } from 'node:url'
import type { Packet } from '../../src/domain/policy/evaluate-trace.ts'
import type { Explanation } from '../../src/domain/policy/explain.ts'
import type { Span } from '../../src/domain/policy/model.ts'
import { parseAddress, parseSpan } from '../../src/shared/net/ipv4.ts'

export const senderPath = fileURLToPath(new URL('packet-sender.ts', import.meta.url))

/** Each has a unique source port, which is the echo identifier of a ping and identifies it on arrival. */
export type SentPacket = Packet & {
  readonly protocol: 'tcp' | 'udp' | 'icmp'
  readonly source_port: number
  readonly destination_port: number
  readonly incoming_interface: string | null
}

export interface Arrival {
  readonly place: 'gateway' | 'outside'
  readonly source: string
  readonly destination: string
  /** Null for a ping. */
  readonly destinationPort: number | null
}

export interface Sighting {
  readonly arrivals: ReadonlyMap<string, Arrival>
  readonly marked: ReadonlySet<string>
  readonly counts: ReadonlyMap<string, number>
}

export const packetKey = (protocol: string, port: number): string => `${protocol} ${port}`

const sets = `
  set arrived { type ipv4_addr . ipv4_addr . inet_proto . inet_service . inet_service; flags dynamic; size 65535; }
  set echoed { typeof ip saddr . ip daddr . icmp id; flags dynamic; size 65535; }`
const record = `
    iifname != "lo" meta l4proto { tcp, udp } add @arrived { ip saddr . ip daddr . meta l4proto . th sport . th dport } drop
    iifname != "lo" icmp type echo-request add @echoed { ip saddr . ip daddr . icmp id } drop`
const marks = `
    ct mark & 0x1 == 0x1 meta l4proto { tcp, udp } add @marked { meta l4proto . th sport }
    ct mark & 0x1 == 0x1 icmp type echo-request add @marked_echo { icmp id }`

/** For client and internet: records what arrives, and answers nothing. */
export const outsideProbe = `table ip probe {${sets}
  chain outside { type filter hook prerouting priority raw; ${record}
  }
}
`

/** For the gateway: what its input hook let through, and which packets reached the rules with a mark. */
export const gatewayProbe = `table ip probe {${sets}
  set marked { type inet_proto . inet_service; flags dynamic; size 65535; }
  set marked_echo { typeof icmp id; flags dynamic; size 65535; }
  chain forward_marks { type filter hook forward priority -190; ${marks}
  }
  chain input_marks { type filter hook input priority -190; ${marks}
  }
  chain reached { type filter hook input priority 90; ${record}
  }
}
`

export const forgetScript = (place: Arrival['place']): string =>
  ['arrived', 'echoed', ...(place === 'gateway' ? ['marked', 'marked_echo'] : [])]
    .map((set) => `flush set ip probe ${set}\n`)
    .join('')

type Value = string | number
interface Listing {
  readonly nftables: readonly {
    readonly set?: { readonly name: string; readonly elem?: readonly unknown[] }
    readonly rule?: {
      readonly comment?: string
      readonly expr: readonly { readonly counter?: { readonly packets: number } }[]
    }
  }[]
}

const isAlwaysThere = (origin: string): boolean => /^(?:fwd|inp|out)\.sys\.(?:established|loopback)$/.test(origin)

/** From `nft -j list ruleset` of the gateway and `nft -j list table ip probe` of the others. */
export function readSighting(gateway: string, outside: readonly string[]): Sighting {
  const listing = JSON.parse(gateway) as Listing
  const counts = new Map<string, number>()
  for (const { rule } of listing.nftables) {
    const packets = rule?.expr.find(({ counter }) => counter)?.counter?.packets
    if (rule?.comment !== undefined && packets !== undefined && !isAlwaysThere(rule.comment))
      counts.set(rule.comment, (counts.get(rule.comment) ?? 0) + packets)
  }
  const marked = [
    ...elementsOf(listing, 'marked').map(([protocol, port]) => packetKey(`${protocol}`, Number(port))),
    ...elementsOf(listing, 'marked_echo').map(([id]) => packetKey('icmp', Number(id))),
  ]
  const arrivals = [
    ...listArrivals(listing, 'gateway'),
    ...outside.flatMap((text) => listArrivals(JSON.parse(text) as Listing, 'outside')),
  ]
  return { counts, marked: new Set(marked), arrivals: new Map(arrivals) }
}

function listArrivals(listing: Listing, place: Arrival['place']): [string, Arrival][] {
  return [
    ...elementsOf(listing, 'arrived').map(
      ([source, destination, protocol, port, destinationPort]): [string, Arrival] => [
        packetKey(`${protocol}`, Number(port)),
        { place, source: `${source}`, destination: `${destination}`, destinationPort: Number(destinationPort) },
      ],
    ),
    ...elementsOf(listing, 'echoed').map(([source, destination, id]): [string, Arrival] => [
      packetKey('icmp', Number(id)),
      { place, source: `${source}`, destination: `${destination}`, destinationPort: null },
    ]),
  ]
}

function elementsOf({ nftables }: Listing, name: string): Value[][] {
  const elements = nftables.find(({ set }) => set?.name === name)?.set?.elem ?? []
  return elements.map((element) => {
    const { elem } = element as { readonly elem?: { readonly val: unknown } }
    const value = elem?.val ?? element
    return (value as { readonly concat?: Value[] }).concat ?? [value as Value]
  })
}

/** The expected result of a packet; several when DNAT picks from a pool. */
export interface Prediction {
  readonly isMarked: boolean
  readonly ways: readonly Way[]
}

export interface Way {
  readonly path: 'input' | 'forward' | 'output' | 'none'
  readonly isAccepted: boolean
  readonly destination: Span | null
  readonly destinationPorts: Span | null
  /** Null when it is kept, a device for the address of that device. */
  readonly source: Span | string | null
  /** Everything that counts the packet. */
  readonly origins: readonly string[]
}

export interface Case {
  readonly packet: SentPacket
  readonly prediction: Prediction
}

/** What an answer of POST /firewall/explain says of a packet. */
export function predictionOf({ is_marked, steps, outcomes }: Explanation): Prediction {
  const origins = (list: Explanation['steps']) => list.flatMap(({ rule }) => (rule === null ? [] : [rule.origin]))
  return {
    isMarked: is_marked,
    ways: outcomes.map((outcome) => ({
      path: outcome.path,
      isAccepted: outcome.verdict === 'accept',
      destination: outcome.destination === null ? null : parseSpan(outcome.destination),
      destinationPorts: outcome.destination_port === null ? null : parsePorts(outcome.destination_port),
      source: outcome.new_source === 'interface' ? outcome.outgoing_interface : parseSpan(outcome.new_source ?? ''),
      origins: origins([...steps, ...outcome.steps]),
    })),
  }
}

function parsePorts(text: string): Span {
  const [low = 0, high = low] = text.split('-').map(Number)
  return [low, high]
}

/** A description of each difference between what was expected and what was observed. */
export function listDifferences(
  cases: readonly Case[],
  seen: Sighting,
  addressOf: Readonly<Record<string, string>>,
): string[] {
  const differences = cases.flatMap(({ packet, prediction }) => {
    const key = packetKey(packet.protocol, packet.source_port)
    const found = [
      seen.marked.has(key) === prediction.isMarked ? null : `should ${prediction.isMarked ? '' : 'not '}be marked`,
      judgeArrival(packet, prediction, seen.arrivals.get(key), addressOf),
    ]
    return found
      .filter((it) => it !== null)
      .map((it) => `${JSON.stringify(packet)} ${it}: ${JSON.stringify(prediction)}`)
  })
  return [...differences, ...judgeCounts(cases, seen.counts)]
}

function judgeArrival(
  packet: SentPacket,
  { ways }: Prediction,
  arrival: Arrival | undefined,
  addressOf: Readonly<Record<string, string>>,
): string | null {
  if (arrival === undefined) return ways.every(({ isAccepted }) => isAccepted) ? 'did not arrive' : null
  const way = ways.find((it) => fits(it, arrival))
  const where = JSON.stringify(arrival)
  if (!way?.isAccepted) return `arrived as ${where}`
  if ((way.path === 'input') !== (arrival.place === 'gateway')) return `arrived at the wrong place, ${where}`
  return isSource(packet, way.source, arrival.source, addressOf) ? null : `arrived with another source, ${where}`
}

const within = (span: Span | null, value: number | null): boolean =>
  span === null || (value !== null && span[0] <= value && value <= span[1])

const fits = ({ destination, destinationPorts }: Way, arrival: Arrival): boolean =>
  within(destination, parseAddress(arrival.destination)) && within(destinationPorts, arrival.destinationPort)

function isSource(
  packet: SentPacket,
  expected: Way['source'],
  source: string,
  addressOf: Readonly<Record<string, string>>,
): boolean {
  if (expected === null) return source === packet.source
  return typeof expected === 'string' ? source === addressOf[expected] : within(expected, parseAddress(source))
}

/** Where DNAT picks from a pool, a rule counts or does not. */
function judgeCounts(cases: readonly Case[], counts: ReadonlyMap<string, number>): string[] {
  const least = new Map<string, number>()
  const most = new Map<string, number>()
  const add = (to: Map<string, number>, origins: Iterable<string>) => {
    for (const origin of origins) to.set(origin, (to.get(origin) ?? 0) + 1)
  }
  for (const { prediction } of cases) {
    const ways = prediction.ways.map(({ origins }) => new Set(origins))
    add(most, new Set(ways.flatMap((origins) => [...origins])))
    add(
      least,
      ways.reduce((all, one) => all.intersection(one)),
    )
  }
  return [...new Set([...counts.keys(), ...most.keys()])].flatMap((origin) => {
    const [count, low, high] = [counts.get(origin) ?? 0, least.get(origin) ?? 0, most.get(origin) ?? 0]
    return low <= count && count <= high ? [] : [`${origin} counted ${count}, expected ${low} to ${high}`]
  })
}
