// A connection of the kernel's table as a netlink message has it (linux/netfilter/nfnetlink_conntrack.h), without copies: a
// gateway has hundreds of thousands of them. IPv4 only, which is all that the template of a flow can hold.

import { isClientHalf } from '../../core/plan/interception.ts'
import { locate } from '../../shared/netlink.ts'

export interface Tracked {
  /** Tells two connections apart that follow each other with the same ends. */
  readonly key: number
  readonly protocol: number
  /** Who opened it. */
  readonly source: number
  /** Who answers: behind the translation of destinations. */
  readonly destination: number
  /** Ports of the ends; 0 without ports. For ICMP type * 256 + code of the packets that go there. */
  readonly sourcePort: number
  readonly destinationPort: number
  /** What the source took for the destination, and the destination for the source. */
  readonly calledAs: number
  readonly seenAs: number
  readonly packetsOut: number
  readonly bytesOut: number
  readonly packetsIn: number
  readonly bytesIn: number
  /** Unix milliseconds; null when the kernel does not know. */
  readonly began: number | null
  /** When the kernel ended it; null while it is there. */
  readonly ended: number | null
  /** Seconds until the kernel forgets it without traffic; null when it is gone or takes the fast path. */
  readonly secondsLeft: number | null
  /** Number of the state of TCP; 0 for others, and on the fast path. */
  readonly state: number
  /** It was answered more than once. */
  readonly isAssured: boolean
}

const top = {
  original: 1,
  reply: 2,
  status: 3,
  protocolInfo: 4,
  timeout: 7,
  mark: 8,
  countersOriginal: 9,
  countersReply: 10,
  id: 12,
  timestamp: 20,
} as const
const assured = 1 << 2
const icmp = 1

/** Null for what is not IPv4, not whole, or counted with its other half. */
export function parseTracked(body: Buffer): Tracked | null {
  if (isClientHalf(numberAt(body, top.mark) ?? 0)) return null
  const original = tupleOf(body, top.original)
  const reply = tupleOf(body, top.reply)
  if (!original || !reply) return null
  const out = countersOf(body, top.countersOriginal)
  const back = countersOf(body, top.countersReply)
  const time = locate(body, top.timestamp, 0, body.length)
  const began = time && locate(body, 1, ...time)
  const ended = time && locate(body, 2, ...time)
  const id = numberAt(body, top.id)
  const status = numberAt(body, top.status) ?? 0
  const isIcmp = original.protocol === icmp
  const beganNs = began ? body.readUInt32BE(began[0] + 4) : 0
  return {
    // The number alone is a hash of 32 bits, which two of a hundred thousand connections can share.
    key: (id ?? 0) * 2 ** 20 + (beganNs >>> 12),
    protocol: original.protocol,
    source: original.source,
    destination: reply.source,
    sourcePort: isIcmp ? reply.destinationPort : original.sourcePort,
    destinationPort: isIcmp ? original.destinationPort : reply.sourcePort,
    calledAs: original.destination,
    seenAs: reply.destination,
    packetsOut: out.packets,
    bytesOut: out.bytes,
    packetsIn: back.packets,
    bytesIn: back.bytes,
    began: began ? msAt(body, began[0]) : null,
    ended: ended ? msAt(body, ended[0]) : null,
    secondsLeft: numberAt(body, top.timeout),
    state: stateOf(body),
    isAssured: (status & assured) !== 0,
  }
}

function tupleOf(body: Buffer, type: number) {
  const tuple = locate(body, type, 0, body.length)
  const addresses = tuple && locate(body, 1, ...tuple)
  const ends = tuple && locate(body, 2, ...tuple)
  const source = addresses && locate(body, 1, ...addresses)
  const destination = addresses && locate(body, 2, ...addresses)
  const number = ends && locate(body, 1, ...ends)
  if (!source || !destination || !number || source[1] - source[0] !== 4) return null
  const protocol = body.readUInt8(number[0])
  const port = (one: number): number => {
    const place = locate(body, one, ...ends)
    return place ? body.readUIntBE(place[0], place[1] - place[0]) : 0
  }
  return {
    protocol,
    source: body.readUInt32BE(source[0]),
    destination: body.readUInt32BE(destination[0]),
    sourcePort: protocol === icmp ? 0 : port(2),
    destinationPort: protocol === icmp ? port(5) * 256 + port(6) : port(3),
  }
}

function countersOf(body: Buffer, type: number): { readonly packets: number; readonly bytes: number } {
  const place = locate(body, type, 0, body.length)
  const packets = place && locate(body, 1, ...place)
  const bytes = place && locate(body, 2, ...place)
  return { packets: packets ? longAt(body, packets[0]) : 0, bytes: bytes ? longAt(body, bytes[0]) : 0 }
}

function stateOf(body: Buffer): number {
  const info = locate(body, top.protocolInfo, 0, body.length)
  const tcp = info && locate(body, 1, ...info)
  const state = tcp && locate(body, 1, ...tcp)
  return state ? body.readUInt8(state[0]) : 0
}

function numberAt(body: Buffer, type: number): number | null {
  const place = locate(body, type, 0, body.length)
  return place ? body.readUInt32BE(place[0]) : null
}

/** Exact up to 2^53, which no counter reaches. */
const longAt = (body: Buffer, at: number): number => body.readUInt32BE(at) * 2 ** 32 + body.readUInt32BE(at + 4)

/** The kernel counts nanoseconds since 1970. */
const msAt = (body: Buffer, at: number): number => longAt(body, at) / 1e6
