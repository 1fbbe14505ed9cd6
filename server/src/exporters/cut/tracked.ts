// The kernel's table of connections by netlink: a dump finds those that a request names, each is then deleted by its original
// ends and its id (linux/netfilter/nfnetlink_conntrack.h). Pure, but for the socket that is given.

import { isIPv4 } from 'node:net'
import type { CutTarget } from '../../core/plan/artifacts.ts'
import { attribute, envelope, flags, locate, nested, parseReplies, type Reply } from '../../shared/netlink.ts'

export interface TrackedSocket {
  readonly send: (bytes: Buffer) => void
  readonly receive: () => Buffer
}

const types = { get: (1 << 8) | 1, remove: (1 << 8) | 2 } as const
const families = { four: 2, six: 10 } as const
const numbers = {
  original: 1,
  reply: 2,
  id: 12,
  zone: 18,
  filter: 25,
  filterOriginal: 1,
  filterReply: 2,
  addresses: 1,
  protocol: 2,
  source4: 1,
  destination4: 2,
  source6: 3,
  destination6: 4,
  protocolNumber: 1,
  sourcePort: 2,
  destinationPort: 3,
} as const
const protocols = { tcp: 6, udp: 17 } as const
/** Compare the source only; in the order of this machine. */
const filterSource = 1
/** With more of them one list of all connections is less work. */
const filteredHosts = 4
const noEntry = -2
/** Older kernels do not end what is in a flowtable. */
const busy = -16
/** Their answers have room in the buffer of the socket. */
const removalsAtOnce = 100

/** By what connections are recognised; each of the requests has the position of its count. */
interface Wanted {
  readonly hosts: ReadonlyMap<string, number>
  readonly ends: ReadonlyMap<string, number>
}

interface Found {
  readonly request: number
  readonly family: number
  readonly parts: readonly Buffer[]
}

/** For each of the requests: how many connections ended, and how many the kernel holds. */
export interface Cuts {
  readonly counts: readonly number[]
  readonly held: readonly number[]
}

export function cutConnections(socket: TrackedSocket, requests: readonly (readonly CutTarget[])[]): Cuts {
  const wanted = wantedOf(requests)
  const found: Found[] = []
  let sequence = 0
  for (const { family, parts } of questionsFor(wanted)) {
    sequence += 1
    socket.send(envelope(types.get, family, 0, flags.request | flags.dump, sequence, parts))
    readReplies(socket, ({ kind, error, body }) => {
      if (kind === 'data') {
        const one = match(body, wanted)
        if (one) found.push(one)
      } else if (error !== 0) throw new Error(`the kernel does not list them (error ${-error})`)
      return kind !== 'data'
    })
  }
  const [counts, held] = [requests.map(() => 0), requests.map(() => 0)]
  for (let at = 0; at < found.length; at += removalsAtOnce) {
    const part = found.slice(at, at + removalsAtOnce)
    const first = sequence + 1
    const removals = part.map(({ family, parts }, index) =>
      envelope(types.remove, family, 0, flags.request | flags.acknowledge, first + index, parts),
    )
    sequence += part.length
    socket.send(Buffer.concat(removals))
    let left = part.length
    readReplies(socket, ({ sequence: answered, error }) => {
      const one = part[answered - first]
      if (!one) return false
      if (error === 0) counts[one.request] = (counts[one.request] ?? 0) + 1
      else if (error === busy) held[one.request] = (held[one.request] ?? 0) + 1
      // It ended by itself in the meantime.
      else if (error !== noEntry) throw new Error(`the kernel does not end them (error ${-error})`)
      left -= 1
      return left === 0
    })
  }
  return { counts, held }
}

/** Of a few hosts the kernel shows only theirs; a connection that it shows twice is gone at the second removal. */
function questionsFor({ hosts, ends }: Wanted): { readonly family: number; readonly parts: readonly Buffer[] }[] {
  if (ends.size > 0 || hosts.size > filteredHosts) return [{ family: 0, parts: [] }]
  return [...hosts.keys()].flatMap((host) => {
    const isFour = host.length === 4
    const address = attribute(isFour ? numbers.source4 : numbers.source6, Buffer.from(host, 'latin1'))
    return [[numbers.original, numbers.filterOriginal] as const, [numbers.reply, numbers.filterReply] as const].map(
      ([tuple, filter]) => ({
        family: isFour ? families.four : families.six,
        parts: [
          nested(tuple, nested(numbers.addresses, address)),
          nested(numbers.filter, attribute(filter, Buffer.from([filterSource, 0, 0, 0]))),
        ],
      }),
    )
  })
}

function readReplies(socket: TrackedSocket, take: (reply: Reply) => boolean): void {
  for (;;) for (const reply of parseReplies(socket.receive())) if (take(reply)) return
}

function wantedOf(requests: readonly (readonly CutTarget[])[]): Wanted {
  const [hosts, ends] = [new Map<string, number>(), new Map<string, number>()]
  for (const [request, targets] of requests.entries())
    for (const target of targets) {
      const [map, key] = 'host' in target ? [hosts, bytesOf(target.host)] : [ends, endsOf(target)]
      if (!map.has(key)) map.set(key, request)
    }
  return { hosts, ends }
}

const endsOf = ({ protocol, source, sourcePort, destination, destinationPort }: Exclude<CutTarget, { host: string }>) =>
  joined(protocols[protocol], bytesOf(source), sourcePort, bytesOf(destination), destinationPort)

const joined = (protocol: number, source: string, sourcePort: number, destination: string, port: number): string =>
  `${protocol} ${sourcePort} ${port} ${source}${destination}`

/** The address as the kernel has it, each byte as a character. */
function bytesOf(address: string): string {
  if (isIPv4(address)) return String.fromCharCode(...address.split('.').map(Number))
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const [, head = '', ...numbersOf] = dotted ?? []
  const [a = 0, b = 0, c = 0, d = 0] = numbersOf.map(Number)
  const text = dotted ? `${head}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}` : address
  const [before = '', after] = text.split('::')
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((one) => Number.parseInt(one, 16)))
  const [front, back] = [groups(before), groups(after ?? '')]
  const all = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back]
  return String.fromCharCode(...all.flatMap((group) => [group >> 8, group & 255]))
}

type Place = readonly [from: number, to: number]

/** An address of a tuple as characters; empty when it has none of these. */
function addressAt(body: Buffer, addresses: Place, four: number, six: number): string {
  const place = locate(body, four, ...addresses) ?? locate(body, six, ...addresses)
  return place ? body.toString('latin1', ...place) : ''
}

function numberAt(body: Buffer, place: Place | null, type: number, size: 1 | 2): number {
  const found = place && locate(body, type, ...place)
  return found ? body.readUIntBE(found[0], size) : 0
}

/** A host opened the connection, or is where it goes: the source of the answers, whatever the destination was rewritten to. */
function match(body: Buffer, { hosts, ends }: Wanted): Found | null {
  const original = locate(body, numbers.original, 0, body.length)
  const addresses = original && locate(body, numbers.addresses, ...original)
  if (!original || !addresses) return null
  const source = addressAt(body, addresses, numbers.source4, numbers.source6)
  let request = hosts.get(source)
  if (request === undefined && hosts.size > 0) {
    const reply = locate(body, numbers.reply, 0, body.length)
    const answering = reply && locate(body, numbers.addresses, ...reply)
    if (answering) request = hosts.get(addressAt(body, answering, numbers.source4, numbers.source6))
  }
  if (request === undefined && ends.size > 0) {
    const protocol = locate(body, numbers.protocol, ...original)
    const destination = addressAt(body, addresses, numbers.destination4, numbers.destination6)
    const port = (type: number): number => numberAt(body, protocol, type, 2)
    request = ends.get(
      joined(
        numberAt(body, protocol, numbers.protocolNumber, 1),
        source,
        port(numbers.sourcePort),
        destination,
        port(numbers.destinationPort),
      ),
    )
  }
  return request === undefined ? null : { request, ...identityOf(body, original, source.length === 4) }
}

/** Copies: the next message takes the place of this one. */
function identityOf(body: Buffer, original: Place, isFour: boolean): Omit<Found, 'request'> {
  const parts = [attribute(numbers.original, body.subarray(...original), true)]
  for (const type of [numbers.id, numbers.zone]) {
    const place = locate(body, type, 0, body.length)
    if (place) parts.push(attribute(type, body.subarray(...place)))
  }
  return { family: isFour ? families.four : families.six, parts }
}
