// A DNS server in the lab's internet that means harm. What it does is in the label before its zone: `<anything>.<label>.<zone>`.
// Arguments: its zone, its address, that of an honest server for the zone `honest` below it, and those of its slow companions, which
// say that an answer is too long for UDP and give none over TCP. A line on standard output says that all of them listen.

import { createSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'

const [zone = '', address = '', honest = '', ...companions] = process.argv.slice(2)
const [typeA, typeNs, typeCname, typeTxt] = [1, 2, 5, 16]
const [ttl, mostOverUdp, longest] = [300, 1200, 65_535]

interface Query {
  readonly id: Buffer
  readonly labels: readonly string[]
  readonly question: Buffer
}

interface Reply {
  readonly answer?: readonly Buffer[]
  readonly authority?: readonly Buffer[]
  readonly additional?: readonly Buffer[]
  readonly isCut?: boolean
}

function readQuery(message: Buffer): Query {
  const labels: string[] = []
  let at = 12
  for (let size = message[at] ?? 0; size > 0; size = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + size).toLowerCase())
    at += size + 1
  }
  return { id: message.subarray(0, 2), labels, question: message.subarray(12, at + 5) }
}

const nameOf = (labels: readonly string[]): Buffer =>
  Buffer.concat([...labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label, 'latin1')]), Buffer.of(0)])
const zoneLabels = zone.split('.')
const below = (...labels: readonly string[]): Buffer => nameOf([...labels, ...zoneLabels])
/** The name of the question, compressed. */
const asked = Buffer.of(0xc0, 12)
const ip = (text: string): Buffer => Buffer.from(text.split('.').map(Number))

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(ttl, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, head, data])
}

function print(
  { id, question }: Query,
  { answer = [], authority = [], additional = [], isCut = false }: Reply,
): Buffer {
  const head = Buffer.alloc(12)
  id.copy(head)
  const isReferral = authority.length > 0 && answer.length === 0
  head.writeUInt16BE(0x8000 | (isReferral ? 0 : 0x0400) | (isCut ? 0x0200 : 0), 2)
  for (const [at, count] of [1, answer.length, authority.length, additional.length].entries())
    head.writeUInt16BE(count, 4 + 2 * at)
  return Buffer.concat([head, question, ...answer, ...authority, ...additional]).subarray(0, longest)
}

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
let serial = 0
const fresh = (): string => `f${process.pid}x${serial++}`
const pieceOfText = Buffer.concat([Buffer.of(250), Buffer.alloc(250, 'x')])

function delegation(labels: readonly string[], servers: readonly string[]): Reply {
  const named = servers.map((at, number) => ({ at, name: nameOf([`ns${number}`, ...labels]) }))
  return {
    authority: named.map(({ name }) => record(nameOf(labels), typeNs, name)),
    additional: named.map(({ name, at }) => record(name, typeA, ip(at))),
  }
}

const oddName = below('\0\n"\\.<b>\xff', 'odd2')
const kinds: Record<string, (labels: readonly string[]) => Reply> = {
  // Each name is an alias of a name that no one asked for.
  chain: () => ({ answer: [record(asked, typeCname, below(fresh(), 'chain'))] }),
  loop: () => ({ answer: [record(asked, typeCname, asked)] }),
  long: () => ({ answer: [record(asked, typeTxt, Buffer.concat(many(255, () => pieceOfText)))] }),
  // Servers whose addresses have to be asked for, each of which has as many.
  servers: (labels) => ({
    authority: many(30, () =>
      record(nameOf(labels.slice(-zoneLabels.length - 2)), typeNs, below('x', fresh(), 'servers')),
    ),
  }),
  honest: () => delegation(['honest', ...zoneLabels], [honest]),
  crowd: (labels) => {
    const own = labels.slice(-zoneLabels.length - 2)
    return delegation(own, [companions[Number(own[0])] ?? address])
  },
  local: () => ({ answer: [record(asked, typeA, ip('10.10.0.1'))] }),
  odd: () => ({ answer: [record(asked, typeCname, oddName), record(oddName, typeA, ip('198.51.100.10'))] }),
  // Answers about names that are not in its zone.
  foreign: () => {
    const [victim, mine] = [nameOf(['www', 'example', 'test']), below('ns')]
    return {
      answer: [record(asked, typeCname, victim), record(victim, typeA, ip('198.51.100.66'))],
      authority: [[], ['test'], ['example', 'test']].map((labels) => record(nameOf(labels), typeNs, mine)),
      additional: [record(nameOf(['files', 'example', 'test']), typeA, ip('198.51.100.66'))],
    }
  },
}

function reply({ labels }: Query): Reply {
  const kind = labels.at(-1 - zoneLabels.length) ?? ''
  return kinds[kind]?.(labels) ?? { answer: [record(asked, typeA, ip(address))] }
}

/** Answers over UDP; what is too long for it is cut. */
function serveUdp(at: string, answer: (query: Query) => Reply): Promise<void> {
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const query = readQuery(message)
    const whole = print(query, answer(query))
    socket.send(whole.length > mostOverUdp ? print(query, { isCut: true }) : whole, from.port, from.address)
  })
  return new Promise((done) => socket.bind(53, at, () => done()))
}

function serveTcp(at: string, accept: (socket: Socket) => void): Promise<void> {
  const server = createServer((socket) => accept(socket.on('error', () => socket.destroy())))
  return new Promise((done) => server.listen(53, at, () => done()))
}

function answerAll(socket: Socket): void {
  let read = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    read = Buffer.concat([read, bytes])
    while (read.length >= 2 && read.length >= 2 + read.readUInt16BE(0)) {
      const query = readQuery(read.subarray(2, 2 + read.readUInt16BE(0)))
      read = read.subarray(2 + read.readUInt16BE(0))
      const whole = print(query, reply(query))
      socket.write(Buffer.concat([Buffer.of(whole.length >> 8, whole.length & 255), whole]))
    }
  })
}

await serveUdp(address, reply)
await serveTcp(address, answerAll)
for (const at of companions) {
  await serveUdp(at, () => ({ isCut: true }))
  await serveTcp(at, (socket) => socket.resume())
}
console.log('listening')
