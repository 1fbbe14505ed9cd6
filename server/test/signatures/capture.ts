// Small recordings of traffic for a rule engine: a TCP conversation, or a datagram, each with addresses of its own.

const inside = [10, 10, 0, 5]
const outside = [203, 0, 113, 9]

/** Who speaks first, over what, and what both sides say. */
export interface Traffic {
  readonly protocol: 'tcp' | 'udp'
  readonly isFromInside: boolean
  readonly port: number
  readonly request: Buffer
  readonly answer?: Buffer
  /** Of a TCP conversation: what the server says before the request. */
  readonly greeting?: Buffer
  /** Of a TCP conversation: what the client says after the answer. */
  readonly more?: Buffer
}

type Address = readonly number[]

interface Side {
  readonly address: Address
  readonly port: number
}

const u16 = (value: number): number[] => [(value >> 8) & 255, value & 255]
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

function conversation(traffic: Traffic, client: Side, server: Side): Buffer[] {
  const { greeting = empty, request, answer = empty, more = empty } = traffic
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
  const tell = (from: Side, to: Side, data: Buffer): Buffer[] =>
    data.length === 0 ? [] : [say(from, to, flags.data, data), say(to, from, flags.ack)]
  return [
    say(client, server, flags.syn),
    say(server, client, flags.synAck),
    say(client, server, flags.ack),
    ...tell(server, client, greeting),
    ...tell(client, server, request),
    ...tell(server, client, answer),
    ...tell(client, server, more),
    say(client, server, flags.finAck),
    say(server, client, flags.finAck),
    say(client, server, flags.ack),
  ]
}

function datagram({ request }: Traffic, client: Side, server: Side): Buffer[] {
  const header = [...u16(client.port), ...u16(server.port), ...u16(8 + request.length), 0, 0]
  return [packet(client, server, 17, header, request)]
}

/** Port of the client by which an alert is told to belong to the traffic at this place. */
export const clientPort = (index: number): number => 20_000 + index

/** A file in the format of pcap, with one conversation after another. */
export function recordTraffic(all: readonly Traffic[]): Buffer {
  const packets = all.flatMap((traffic, index) => {
    const [near, far] = traffic.isFromInside ? [inside, outside] : [outside, inside]
    const client = { address: near, port: clientPort(index) }
    const server = { address: far, port: traffic.port }
    return traffic.protocol === 'tcp' ? conversation(traffic, client, server) : datagram(traffic, client, server)
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
  return Buffer.concat([header, ...records])
}
