// Small recordings of traffic for a rule engine: a conversation over TCP, datagrams in both directions, or packets that no
// ordinary program sends. The same traffic can be replayed over a real network (support/replay.ts).

const inside = [10, 10, 0, 5]
/** Hosts outside take turns, so that ordinary visitors are not taken for one that scans. */
const outsideOf = (index: number): Address => [203, 0, 113, 10 + (index % 200)]

export interface Turn {
  readonly from: 'client' | 'server'
  readonly data: Buffer
}

/** Who speaks first, over what, and what both sides say. */
export interface Traffic {
  readonly protocol: 'tcp' | 'udp'
  /** Whether the client is inside. */
  readonly isFromInside: boolean
  readonly port: number
  readonly turns: readonly Turn[]
  /** The whole of it, one after the other, each time from another port; once unless given. */
  readonly times?: number
}

/** Packets that the TCP of a kernel never makes, or that are no conversation: they are judged from the recording alone. */
export interface RawTraffic {
  readonly protocol: 'raw'
  readonly isFromInside: boolean
  /** Number of the protocol in IP. */
  readonly number: number
  /** Header and content behind the one of IP, for the port of the client. */
  readonly packets: readonly ((clientPort: number) => RawPacket)[]
  readonly times?: number
}

export interface RawPacket {
  readonly from: 'client' | 'server'
  readonly data: Buffer
}

type Address = readonly number[]

interface Side {
  readonly address: Address
  readonly port: number
}

export const u16 = (value: number): number[] => [(value >> 8) & 255, value & 255]
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)]

/** Checksums stay empty: the engine is told not to look at them. */
function packet(from: Side, to: Side, protocol: number, header: readonly number[], data: Buffer): Buffer {
  const length = 20 + header.length + data.length
  const ip = [0x45, 0, ...u16(length), 0, 1, 0x40, 0, 64, protocol, 0, 0, ...from.address, ...to.address]
  const ethernet = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]
  return Buffer.concat([Buffer.from([...ethernet, ...ip, ...header]), data])
}

const flags = { syn: 0x02, synAck: 0x12, ack: 0x10, data: 0x18, finAck: 0x11 }
const empty = Buffer.alloc(0)
/** What fits into a packet. */
const mostData = 1_400

/** The header of TCP for packets that are made by hand. */
export const tcpHeader = (source: number, destination: number, flag: number): number[] => [
  ...u16(source),
  ...u16(destination),
  ...u32(1_000),
  ...u32(0),
  0x50,
  flag,
  0xff,
  0xff,
  0,
  0,
  0,
  0,
]

const pieces = (data: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(data.length / mostData) }, (_, at) =>
    data.subarray(at * mostData, (at + 1) * mostData),
  )

function conversation({ turns }: Traffic, client: Side, server: Side): Buffer[] {
  const sent = new Map<Side, number>([
    [client, 1_000],
    [server, 9_000],
  ])
  const say = (from: Side, to: Side, flag: number, data: Buffer = empty): Buffer => {
    const sequence = sent.get(from) ?? 0
    const acknowledged = flag === flags.syn ? 0 : (sent.get(to) ?? 0)
    sent.set(from, sequence + data.length + (flag & 3 ? 1 : 0))
    const header = [...u16(from.port), ...u16(to.port), ...u32(sequence), ...u32(acknowledged), 0x50, flag, 0xff, 0xff]
    return packet(from, to, 6, [...header, 0, 0, 0, 0], data)
  }
  const begin = [say(client, server, flags.syn), say(server, client, flags.synAck), say(client, server, flags.ack)]
  const said = turns.flatMap(({ from, data }) => {
    const [near, far] = from === 'client' ? [client, server] : [server, client]
    return pieces(data).flatMap((piece) => [say(near, far, flags.data, piece), say(far, near, flags.ack)])
  })
  const end = [say(client, server, flags.finAck), say(server, client, flags.finAck), say(client, server, flags.ack)]
  return [...begin, ...said, ...end]
}

function datagrams({ turns }: Traffic, client: Side, server: Side): Buffer[] {
  return turns.map(({ from, data }) => {
    const [near, far] = from === 'client' ? [client, server] : [server, client]
    return packet(near, far, 17, [...u16(near.port), ...u16(far.port), ...u16(8 + data.length), 0, 0], data)
  })
}

const rawPackets = ({ packets, number }: RawTraffic, client: Side, server: Side): Buffer[] =>
  packets.map((make) => {
    const { from, data } = make(client.port)
    const [near, far] = from === 'client' ? [client, server] : [server, client]
    return packet(near, far, number, [], data)
  })

const packetsOf = (traffic: Traffic | RawTraffic, client: Side, server: Side): Buffer[] => {
  if (traffic.protocol === 'raw') return rawPackets(traffic, client, server)
  return traffic.protocol === 'tcp' ? conversation(traffic, client, server) : datagrams(traffic, client, server)
}

export interface Recording {
  /** A file in the format of pcap, with one conversation after another. */
  readonly file: Buffer
  /** For each traffic the ports of its client, by which alerts are told to belong to it. */
  readonly ports: readonly ReadonlySet<number>[]
}

/** None of the servers has one of the ports from here on. */
const firstPort = 50_000

export function recordTraffic(all: readonly (Traffic | RawTraffic)[]): Recording {
  let next = firstPort
  const ports: Set<number>[] = []
  const packets = all.flatMap((traffic, index) => {
    const own = new Set<number>()
    ports.push(own)
    return Array.from({ length: traffic.times ?? 1 }, () => {
      const clientPort = next++
      own.add(clientPort)
      const outside = outsideOf(index)
      const [near, far] = traffic.isFromInside ? [inside, outside] : [outside, inside]
      const client = { address: near, port: clientPort }
      const server = { address: far, port: traffic.protocol === 'raw' ? 0 : traffic.port }
      return packetsOf(traffic, client, server)
    }).flat()
  })
  const header = Buffer.alloc(24)
  header.writeUInt32LE(0xa1b2c3d4, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(262_144, 16)
  header.writeUInt32LE(1, 20)
  const records = packets.map((bytes, index) => {
    const record = Buffer.alloc(16)
    record.writeUInt32LE(1_700_000_000 + Math.floor(index / 1_000), 0)
    record.writeUInt32LE((index % 1_000) * 1_000, 4)
    record.writeUInt32LE(bytes.length, 8)
    record.writeUInt32LE(bytes.length, 12)
    return Buffer.concat([record, bytes])
  })
  return { file: Buffer.concat([header, ...records]), ports }
}
