// Packets of IP, TCP and UDP as bytes, whole and in fragments, with everything in them that a kernel would not send by itself.
// Checksums are right unless a caller breaks them.

import { isIPv6 } from 'node:net'

export type IpFamily = 4 | 6

export const protocols = {
  hopByHop: 0,
  ipip: 4,
  tcp: 6,
  udp: 17,
  ipv6: 41,
  routing: 43,
  fragment: 44,
  gre: 47,
  icmp6: 58,
  options: 60,
}
export const flag = { fin: 1, syn: 2, rst: 4, psh: 8, ack: 16, urg: 32, ece: 64, cwr: 128 }

const u16 = (value: number): number[] => [(value >>> 8) & 255, value & 255]
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)]

/** Sixteen or four bytes. */
export function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const words = (text: string): number[] => (text === '' ? [] : text.split(':').map((one) => Number.parseInt(one, 16)))
  const [first, last] = [words(head), words(tail)]
  const zeros = address.includes('::') ? Array<number>(8 - first.length - last.length).fill(0) : []
  return Buffer.from([...first, ...zeros, ...last].flatMap(u16))
}

function checksum(data: Buffer): number {
  let sum = 0
  for (let at = 0; at < data.length; at += 2) sum += (data[at] ?? 0) * 256 + (data[at + 1] ?? 0)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}

export interface Ends {
  readonly source: string
  readonly destination: string
}

export const familyOf = ({ source }: Ends): IpFamily => (isIPv6(source) ? 6 : 4)

/** With the checksum that is `at` so many bytes from the start. */
function summed(ends: Ends, protocol: number, at: number, data: Buffer, isBroken = false): Buffer {
  const addresses = [addressBytes(ends.source), addressBytes(ends.destination)]
  const length = isIPv6(ends.source) ? [...u32(data.length), 0, 0, 0, protocol] : [0, protocol, ...u16(data.length)]
  const sum = checksum(Buffer.concat([...addresses, Buffer.from(length), data])) || 0xffff
  data.writeUInt16BE(isBroken ? sum ^ 0x5555 : sum, at)
  return data
}

export interface Segment {
  readonly sourcePort: number
  readonly destinationPort: number
  readonly sequence: number
  readonly acknowledged: number
  readonly flags: number
  readonly data?: Buffer
  readonly window?: number
  readonly urgent?: number
  /** A multiple of four bytes. */
  readonly options?: readonly number[]
  readonly hasBadChecksum?: boolean
  /** Bits between the length of the header and the flags. */
  readonly reserved?: number
}

export function segmentBytes(ends: Ends, segment: Segment): Buffer {
  const { options = [], data = Buffer.alloc(0), window = 0xffff, urgent = 0, reserved = 0 } = segment
  const header = [
    ...u16(segment.sourcePort),
    ...u16(segment.destinationPort),
    ...u32(segment.sequence >>> 0),
    ...u32(segment.acknowledged >>> 0),
    ((20 + options.length) << 2) | reserved,
    segment.flags,
    ...u16(window),
    0,
    0,
    ...u16(urgent),
    ...options,
  ]
  return summed(ends, protocols.tcp, 16, Buffer.concat([Buffer.from(header), data]), segment.hasBadChecksum)
}

export function datagramBytes(ends: Ends, sourcePort: number, destinationPort: number, data: Buffer): Buffer {
  const header = Buffer.from([...u16(sourcePort), ...u16(destinationPort), ...u16(8 + data.length), 0, 0])
  return summed(ends, protocols.udp, 6, Buffer.concat([header, data]))
}

/** A router of IPv6 that offers itself and a network of 64 bits. */
export function advertisement(ends: Ends, prefix: string): Buffer {
  const [hour, lifetime] = [u32(3_600), u16(1_800)]
  const router = [134, 0, 0, 0, 64, 0, ...lifetime, ...u32(0), ...u32(0)]
  const network = [3, 4, 64, 0xc0, ...hour, ...hour, ...u32(0), ...addressBytes(prefix)]
  return summed(ends, protocols.icmp6, 2, Buffer.from([...router, ...network]))
}

export interface IpFields {
  readonly ttl?: number
  /** Of IPv4: a multiple of four bytes. */
  readonly options?: readonly number[]
  readonly id?: number
  /** Of IPv4, in bytes. */
  readonly offset?: number
  readonly hasMore?: boolean
}

export function ipPacket(ends: Ends, protocol: number, payload: Buffer, fields: IpFields = {}): Buffer {
  const { ttl = 64, options = [], id = 0, offset = 0, hasMore = false } = fields
  const addresses = Buffer.concat([addressBytes(ends.source), addressBytes(ends.destination)])
  if (isIPv6(ends.source))
    return Buffer.concat([Buffer.from([0x60, 0, 0, 0, ...u16(payload.length), protocol, ttl]), addresses, payload])
  const length = 20 + options.length
  const start = [0x40 | (length / 4), 0, ...u16(length + payload.length), ...u16(id)]
  const place = u16((hasMore ? 0x2000 : 0) | (offset >>> 3))
  const header = Buffer.concat([
    Buffer.from([...start, ...place, ttl, protocol, 0, 0]),
    addresses,
    Buffer.from(options),
  ])
  header.writeUInt16BE(checksum(header), 10)
  return Buffer.concat([header, payload])
}

/** A header between the one of IPv6 and its content; the content's number is put in front. */
export interface Extension {
  readonly number: number
  /** From the second byte on; with the first one a multiple of eight. */
  readonly body: readonly number[]
}

/** Options that say nothing, in as many times eight bytes. */
export const padding = (number: number, times = 1): Extension => {
  const filled = times * 8 - 4
  return { number, body: [times - 1, 1, filled, ...Array<number>(filled).fill(0)] }
}
/** Nothing is left to be visited. */
export const routing = (type: number): Extension => ({
  number: protocols.routing,
  body: [2, type, 0, 0, 0, 0, 0, ...addressBytes('2001:db8::99')],
})
export const fragmentHeader = (id: number, offset: number, hasMore: boolean): Extension => ({
  number: protocols.fragment,
  body: [0, ...u16(offset | (hasMore ? 1 : 0)), ...u32(id)],
})

/** The number that the header before it names, and the bytes. */
export function extended(list: readonly Extension[], protocol: number, payload: Buffer): [number, Buffer] {
  return list.reduceRight<[number, Buffer]>(
    ([next, rest], { number, body }) => [number, Buffer.concat([Buffer.from([next, ...body]), rest])],
    [protocol, payload],
  )
}

/** Bytes of a payload at a place of it. */
export interface Piece {
  readonly offset: number
  readonly data: Buffer
  readonly hasMore: boolean
}

let lastId = 1

export const takeId = (): number => {
  lastId = (lastId % 60_000) + 1
  return lastId
}

/** One packet for each piece, with the same identification. */
export function fragments(
  ends: Ends,
  protocol: number,
  pieces: readonly Piece[],
  before: readonly Extension[] = [],
): Buffer[] {
  const id = takeId()
  return pieces.map(({ offset, data, hasMore }) => {
    if (familyOf(ends) === 4) return ipPacket(ends, protocol, data, { id, offset, hasMore })
    return ipPacket(ends, ...extended([...before, fragmentHeader(id, offset, hasMore)], protocol, data))
  })
}

/** Pieces of a size, which is a multiple of eight. */
export function cut(payload: Buffer, size: number): Piece[] {
  return Array.from({ length: Math.ceil(payload.length / size) }, (_, at) => ({
    offset: at * size,
    data: payload.subarray(at * size, (at + 1) * size),
    hasMore: (at + 1) * size < payload.length,
  }))
}
