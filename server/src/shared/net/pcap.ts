// Packets in the form of capture files: their frame, and of which connection a packet is. Pure.

import { printAddress } from './ipv4.ts'
import { plainAddress } from './plain-address.ts'

export interface CapturedPacket {
  /** Unix microseconds. */
  readonly time: number
  /** As it was; `bytes` may be only its beginning. */
  readonly length: number
  /** From the IP header on. */
  readonly bytes: Uint8Array
}

export interface ConnectionEnds {
  /** TCP, UDP, ICMP, ICMPV6 or another word, which every protocol matches. */
  readonly protocol: string
  readonly source: string
  /** 0: the protocol has no ports. */
  readonly sourcePort: number
  readonly destination: string
  readonly destinationPort: number
}

export const pcapHeaderBytes = 24
/** Packets begin with their IP header. */
const rawLink = 101
const magic = 0xa1b2c3d4

/** Null for what is not a capture file with packets from their IP header on. */
export function readPcapHeader(bytes: Buffer): { readonly isLittleEndian: boolean } | null {
  if (bytes.length < pcapHeaderBytes) return null
  const isLittleEndian = bytes.readUInt32LE(0) === magic
  if (!isLittleEndian && bytes.readUInt32BE(0) !== magic) return null
  const link = isLittleEndian ? bytes.readUInt32LE(20) : bytes.readUInt32BE(20)
  return link === rawLink ? { isLittleEndian } : null
}

/** A capture file of these packets. */
export function printPcap(packets: readonly CapturedPacket[]): Buffer {
  const header = Buffer.alloc(pcapHeaderBytes)
  header.writeUInt32LE(magic, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(0x4_0000, 16)
  header.writeUInt32LE(rawLink, 20)
  const parts: Uint8Array[] = [header]
  for (const { time, length, bytes } of packets) {
    const frame = Buffer.alloc(16)
    frame.writeUInt32LE(Math.floor(time / 1_000_000) >>> 0, 0)
    frame.writeUInt32LE(time % 1_000_000, 4)
    frame.writeUInt32LE(bytes.length, 8)
    frame.writeUInt32LE(Math.max(length, bytes.length), 12)
    parts.push(frame, bytes)
  }
  return Buffer.concat(parts)
}

const protocolNumbers: Readonly<Record<string, number>> = { TCP: 6, UDP: 17, ICMP: 1, ICMPV6: 58 }
const withPorts: ReadonlySet<number> = new Set([6, 17])

interface Read {
  readonly protocol: number
  readonly source: string
  readonly destination: string
  /** Null for a later fragment, or a protocol without ports. */
  readonly ports: readonly [number, number] | null
}

/** Tells packets of the connection, in either direction. */
export function connectionTest(ends: ConnectionEnds): (packet: Buffer) => boolean {
  const number = protocolNumbers[ends.protocol]
  const own = { address: plainAddress(ends.source), port: ends.sourcePort }
  const other = { address: plainAddress(ends.destination), port: ends.destinationPort }
  const fits = ({ source, destination, ports }: Read, from: typeof own, to: typeof own): boolean =>
    source === from.address &&
    destination === to.address &&
    (ports === null || (ports[0] === from.port && ports[1] === to.port))
  return (packet) => {
    const read = readPacket(packet)
    if (!read || (number !== undefined && read.protocol !== number)) return false
    return fits(read, own, other) || fits(read, other, own)
  }
}

function readPacket(packet: Buffer): Read | null {
  const version = (packet[0] ?? 0) >>> 4
  if (version === 4) return readFour(packet)
  return version === 6 ? readSix(packet) : null
}

function readFour(packet: Buffer): Read | null {
  const headerBytes = ((packet[0] ?? 0) & 15) * 4
  if (packet.length < 20 || headerBytes < 20) return null
  const protocol = packet[9] ?? 0
  const isLaterPart = (packet.readUInt16BE(6) & 0x1fff) !== 0
  return {
    protocol,
    source: printAddress(packet.readUInt32BE(12)),
    destination: printAddress(packet.readUInt32BE(16)),
    ports: isLaterPart ? null : portsAt(packet, headerBytes, protocol),
  }
}

/** Headers that may come before the one of the protocol, each with its length in eights. */
const extensions: ReadonlySet<number> = new Set([0, 43, 60])

function readSix(packet: Buffer): Read | null {
  if (packet.length < 40) return null
  let [protocol, at] = [packet[6] ?? 0, 40]
  for (let count = 0; count < 8 && extensions.has(protocol) && at + 2 <= packet.length; count++) {
    protocol = packet[at] ?? 0
    at += ((packet[at + 1] ?? 0) + 1) * 8
  }
  return {
    protocol,
    source: sixAt(packet, 8),
    destination: sixAt(packet, 24),
    ports: portsAt(packet, at, protocol),
  }
}

function sixAt(packet: Buffer, at: number): string {
  const groups = Array.from({ length: 8 }, (_, index) => packet.readUInt16BE(at + 2 * index).toString(16))
  return plainAddress(groups.join(':')) ?? ''
}

const portsAt = (packet: Buffer, at: number, protocol: number): readonly [number, number] | null =>
  withPorts.has(protocol) && at + 4 <= packet.length ? [packet.readUInt16BE(at), packet.readUInt16BE(at + 2)] : null

/** Bytes that an IP packet says it has; a part of it may be missing. */
export function lengthOfPacket(packet: Buffer): number {
  const version = (packet[0] ?? 0) >>> 4
  const said = version === 4 && packet.length >= 4 ? packet.readUInt16BE(2) : 0
  return Math.max(packet.length, version === 6 && packet.length >= 6 ? packet.readUInt16BE(4) + 40 : said)
}
