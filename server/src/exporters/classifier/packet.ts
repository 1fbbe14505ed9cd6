// What the classifier reads of a packet itself: the two ends of its connection. Everything else is for ndpiReader. IPv4 with TCP
// or UDP only, as the traffic monitor shows no other. Pure.

export interface Packet {
  /** Of the connection: the same for both directions. */
  readonly key: string
  /** The first packet of a TCP connection. */
  readonly isFirst: boolean
  /** Carries something beyond headers. */
  readonly hasContent: boolean
  /** A copy, with the lengths of what is there. */
  readonly bytes: Buffer
}

const [tcp, udp] = [6, 17]
const [synchronise, acknowledge] = [0x02, 0x10]

/** Null for what is not whole, a later fragment, or of another protocol. */
export function parsePacket(bytes: Buffer): Packet | null {
  if (bytes.length < 28 || bytes.readUInt8(0) >> 4 !== 4) return null
  const head = (bytes.readUInt8(0) & 0x0f) * 4
  const protocol = bytes.readUInt8(9)
  const least = protocol === tcp ? 20 : protocol === udp ? 8 : Number.POSITIVE_INFINITY
  const isLaterFragment = (bytes.readUInt16BE(6) & 0x1fff) !== 0
  const length = Math.min(bytes.readUInt16BE(2) || bytes.length, bytes.length)
  if (head < 20 || isLaterFragment || length < head + least) return null
  const flags = protocol === tcp ? bytes.readUInt8(head + 13) : 0
  const headers = protocol === tcp ? (bytes.readUInt8(head + 12) >> 4) * 4 : least
  const copy = Buffer.from(bytes.subarray(0, length))
  // The kernel joins packets, and the copy is cut: a reader would skip what says that it is longer than it is.
  copy.writeUInt16BE(length, 2)
  if (protocol === udp) copy.writeUInt16BE(length - head, head + 4)
  const source = end(bytes.readUInt32BE(12), bytes.readUInt16BE(head))
  const destination = end(bytes.readUInt32BE(16), bytes.readUInt16BE(head + 2))
  return {
    key: connectionKey(protocol === tcp ? 'tcp' : 'udp', source, destination),
    isFirst: (flags & (synchronise | acknowledge)) === synchronise,
    hasContent: length > head + headers,
    bytes: copy,
  }
}

const end = (address: number, port: number): string =>
  `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}:${port}`

/** `tcp 10.0.0.2:51000 192.0.2.9:443`: the same text, no matter who opened the connection. */
export const connectionKey = (protocol: string, one: string, other: string): string =>
  one < other ? `${protocol} ${one} ${other}` : `${protocol} ${other} ${one}`

const [rawPackets, maxPacketBytes] = [101, 65_535]

/** Packets without a link layer as a capture file; only their order says when they came. */
export function printCapture(packets: Iterable<Buffer>): Buffer {
  const head = Buffer.alloc(24)
  head.writeUInt32LE(0xa1b2c3d4, 0)
  head.writeUInt16LE(2, 4)
  head.writeUInt16LE(4, 6)
  head.writeUInt32LE(maxPacketBytes, 16)
  head.writeUInt32LE(rawPackets, 20)
  const parts: Buffer[] = [head]
  let count = 0
  for (const packet of packets) {
    const record = Buffer.alloc(16)
    record.writeUInt32LE(1 + Math.floor(count / 1_000_000), 0)
    record.writeUInt32LE(count++ % 1_000_000, 4)
    record.writeUInt32LE(packet.length, 8)
    record.writeUInt32LE(packet.length, 12)
    parts.push(record, packet)
  }
  return Buffer.concat(parts)
}
