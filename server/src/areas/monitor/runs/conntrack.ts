// Connections that the kernel tracks and how fast they are, from the lines of its table, which applyd reads for us.

import type { SessionPart } from '../../../core/plan/artifacts.ts'
import type { TrackedEnds, TrackedSession, TrafficReading } from '../../../core/plan/facts.ts'
import { isClientHalf } from '../../../core/plan/interception.ts'
import { parseAddress, printAddress } from '../../../shared/net/ipv4.ts'

/** What the kernel says of one connection; counters are totals, zero where it does not count. */
export interface Tracked extends Omit<TrackedSession, 'id' | 'seconds'> {
  /** Its identity: protocol and both ends. */
  readonly key: string
  /** Since it began; null where the kernel does not say. */
  readonly age: number | null
}

/** States of TCP in which nothing will pass any more; the kernel only remembers them for stray packets. */
const ended: ReadonlySet<string | undefined> = new Set(['TIME_WAIT', 'CLOSE'])

/** Protocol and, for TCP, the state. What takes the fast path has neither time left nor a state. */
const lineForm = /^ipv4 +\d+ +(\w+) +\d+ +(?:\d+ +)?([A-Z_]+)?/

/** One line of the table; null for what is not IPv4, not whole, over, of the gateway with itself, or counted with its other half. */
export function parseTracked(line: string): Tracked | null {
  const [, name, state] = lineForm.exec(line) ?? []
  if (name === undefined || ended.has(state)) return null
  const mark = line.lastIndexOf(' mark=')
  if (mark >= 0 && isClientHalf(Number(wordAt(line, ' mark=', mark)))) return null
  // What each way has follows its source; there are hundreds of thousands of lines, so nothing else is looked at.
  const [out, back] = [line.indexOf(' src='), line.lastIndexOf(' src=')]
  if (out < 0 || back === out) return null
  const [source, calledAs] = [wordAt(line, ' src=', out, back), wordAt(line, ' dst=', out, back)]
  const [answered, seenAs] = [wordAt(line, ' src=', back), wordAt(line, ' dst=', back)]
  if (!source || !calledAs || !answered || !seenAs || source.startsWith('127.')) return null
  const protocol = name.toUpperCase()
  const sourcePort = wordAt(line, ' sport=', out, back)
  const count = (word: string, from: number, to?: number): number => Number(wordAt(line, word, from, to) ?? 0) || 0
  return {
    key: [
      protocol,
      source,
      sourcePort,
      calledAs,
      wordAt(line, ' dport=', out, back),
      wordAt(line, ' id=', out, back),
    ].join(' '),
    age: numberOf(wordAt(line, ' delta-time=', back)),
    protocol,
    source,
    sourcePort: numberOf(sourcePort),
    destination: answered,
    destinationPort: numberOf(wordAt(line, ' sport=', back)),
    calledAs,
    seenAs,
    bytesOut: count(' bytes=', out, back),
    packetsOut: count(' packets=', out, back),
    bytesIn: count(' bytes=', back),
    packetsIn: count(' packets=', back),
  }
}

/** What follows a name, up to the next space. */
function wordAt(line: string, name: string, from: number, to = line.length): string | undefined {
  const at = line.indexOf(name, from)
  if (at < 0 || at >= to) return undefined
  const end = line.indexOf(' ', at + name.length)
  return line.slice(at + name.length, end < 0 ? line.length : end)
}

const protocols: Readonly<Record<string, TrackedEnds['protocol']>> = {
  1: 'icmp',
  6: 'tcp',
  17: 'udp',
  47: 'gre',
  50: 'esp',
  51: 'ah',
}

/** Family, protocol and, for TCP, the state. */
const headForm = /^ipv4 +\d+ +\w+ +(\d+) +(?:\d+ )?(?: *([A-Z_]+) )?/
/** Each way of the connection, as its first packet has it. */
const waysForm = /src=([\d.]+) dst=([\d.]+)(?: sport=(\d+) dport=(\d+))?/g

/**
 * The ends of one line; null for what is not IPv4, of an unknown protocol, not whole, over, or of the gateway with itself. Both
 * halves of a connection through the web proxy are here: to end it, both must go.
 */
export function parseEnds(line: string): TrackedEnds | null {
  const [, number = '', state] = headForm.exec(line) ?? []
  const [way, back] = line.matchAll(waysForm)
  if (way === undefined || back === undefined || ended.has(state)) return null
  const [, source = '', destination = '', sourcePort, destinationPort] = way
  const [, answeredBy = '', , answeredPort] = back
  const protocol = protocols[number]
  if (protocol === undefined || source.startsWith('127.')) return null
  return {
    protocol,
    source,
    sourcePort: numberOf(sourcePort),
    destination,
    destinationPort: numberOf(destinationPort),
    answeredBy,
    answeredPort: numberOf(answeredPort),
  }
}

const numberOf = (text: string | undefined): number | null => (text === undefined ? null : Number(text))

export interface TrafficSource {
  readonly elapsed: () => number
  readonly now: () => Date
  readonly random: () => Uint8Array
  /** The table in parts; 0 for the first one. */
  readonly read: (reading: number) => Promise<SessionPart>
  /** Others get their turn between the steps of a long work: awaited after each. */
  readonly slices: () => () => Promise<void> | undefined
}

/** Rates are measured over at least this long. */
const leastSeconds = 1
/** Each takes about a quarter of a kilobyte. */
const maxSessions = 300_000
/** What was read is forgotten when no one has asked for so long. */
const forgetMs = 600_000

/**
 * A connection and what it had carried at the last readings. Numbers only: addresses and the id become text when they are
 * asked for, because of hundreds of thousands only a page is shown.
 */
class Session implements TrackedSession {
  readonly protocol: string
  readonly sourcePort: number | null
  readonly destinationPort: number | null
  readonly #source: number
  readonly #destination: number
  readonly #calledAs: number
  readonly #seenAs: number
  readonly #makeId: () => string
  #id: string | null = null
  #began: number
  #age: number | null
  /** When the counters were read that rates are measured against; null at first sight. */
  #beforeAt: number | null = null
  #before: Counters = noCounters
  #at: number
  #last: Counters
  /** The number of the reading that it was last seen in. */
  reading: number

  constructor(tracked: Tracked, at: number, reading: number, protocol: string, makeId: () => string) {
    this.protocol = protocol
    this.sourcePort = tracked.sourcePort
    this.destinationPort = tracked.destinationPort
    this.#source = toNumber(tracked.source)
    this.#destination = toNumber(tracked.destination)
    this.#calledAs = toNumber(tracked.calledAs)
    this.#seenAs = toNumber(tracked.seenAs)
    this.#makeId = makeId
    this.#age = tracked.age
    this.#began = at - (tracked.age ?? 0)
    this.#at = at
    this.#last = countersOf(tracked)
    this.reading = reading
  }

  /** Younger than what was seen before: the same ends have met again. The kernel shows whole seconds only. */
  isOther({ age }: Tracked, at: number): boolean {
    return age !== null && at - age - 1 > this.#at
  }

  update(tracked: Tracked, at: number, reading: number): void {
    if (at - this.#at >= leastSeconds) {
      this.#before = this.#last
      this.#beforeAt = this.#at
    }
    this.#age = tracked.age
    this.#at = at
    this.#last = countersOf(tracked)
    this.reading = reading
  }

  get id(): string {
    this.#id ??= this.#makeId()
    return this.#id
  }
  get source(): string {
    return printAddress(this.#source)
  }
  get destination(): string {
    return printAddress(this.#destination)
  }
  get calledAs(): string {
    return printAddress(this.#calledAs)
  }
  get seenAs(): string {
    return printAddress(this.#seenAs)
  }
  get seconds(): number {
    return this.#age ?? Math.floor(this.#at - this.#began)
  }
  get bytesIn(): number {
    return this.#rate('bytesIn')
  }
  get bytesOut(): number {
    return this.#rate('bytesOut')
  }
  get packetsIn(): number {
    return this.#rate('packetsIn')
  }
  get packetsOut(): number {
    return this.#rate('packetsOut')
  }

  /** Since the reading before; on first sight since the connection began, where the kernel says when that was. */
  #rate(field: keyof Counters): number {
    if (this.#beforeAt === null && this.#age === null) return 0
    const seconds = this.#beforeAt === null ? Math.max(this.#age ?? 0, leastSeconds) : this.#at - this.#beforeAt
    return Math.max(0, Math.round((this.#last[field] - this.#before[field]) / seconds))
  }
}

type Counters = Pick<Tracked, 'bytesIn' | 'bytesOut' | 'packetsIn' | 'packetsOut'>

const noCounters: Counters = { bytesIn: 0, bytesOut: 0, packetsIn: 0, packetsOut: 0 }

const countersOf = ({ bytesIn, bytesOut, packetsIn, packetsOut }: Tracked): Counters => ({
  bytesIn,
  bytesOut,
  packetsIn,
  packetsOut,
})

/** With a sign, so that it takes no memory of its own. */
const toNumber = (address: string): number => (parseAddress(address) ?? 0) | 0

/** Remembers when a connection was first seen and what it had carried by then. */
export function createTrafficReader({ elapsed, now, random, read, slices }: TrafficSource) {
  const known = new Map<string, Session>()
  const protocolNames = new Map<string, string>()
  let readings = 0
  let reading: Promise<TrafficReading> | null = null
  let forgetting: NodeJS.Timeout | undefined

  const makeId = (): string => ulid(now().getTime(), random())

  function observe(tracked: Tracked, at: number): void {
    const old = known.get(tracked.key)
    if (old && !old.isOther(tracked, at)) {
      old.update(tracked, at, readings)
      return
    }
    // Those of the reading before are still there.
    if (!old && known.size >= 2 * maxSessions) return
    const protocol = protocolNames.get(tracked.protocol) ?? tracked.protocol
    protocolNames.set(protocol, protocol)
    known.set(tracked.key, new Session(tracked, at, readings, protocol, makeId))
  }

  async function readNow(): Promise<TrafficReading> {
    readings += 1
    const turns = slices()
    let part = await read(0)
    let count = 0
    const at = elapsed()
    for (;;) {
      for (const line of linesOf(part.text)) {
        const tracked = count < maxSessions ? parseTracked(line) : null
        if (tracked) {
          observe(tracked, at)
          count += 1
        }
        // A promise for each of so many lines would cost more than reading them.
        const others = turns()
        if (others) await others
      }
      if (part.next === null || count >= maxSessions) break
      part = await read(part.next)
    }
    const sessions: TrackedSession[] = []
    for (const [key, session] of known) {
      if (session.reading === readings) sessions.push(session)
      else known.delete(key)
      const others = turns()
      if (others) await others
    }
    clearTimeout(forgetting)
    forgetting = setTimeout(() => known.clear(), forgetMs).unref()
    const { isCut, isCounting, limitation } = part
    return { isCut: isCut || part.next !== null, isCounting, limitation, sessions }
  }

  return {
    /** Callers during a running read get the same answer. */
    read(): Promise<TrafficReading> {
      reading ??= readNow().finally(() => {
        reading = null
      })
      return reading
    },
  }
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    yield text.slice(at, end < 0 ? text.length : end)
    at = end < 0 ? text.length : end + 1
  }
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 48 bits of time and 80 of chance, five bits a letter. */
export function ulid(milliseconds: number, random: Uint8Array): string {
  let text = ''
  for (let left = milliseconds, letter = 0; letter < 10; letter++) {
    text = alphabet.charAt(left % 32) + text
    left = Math.floor(left / 32)
  }
  for (let bit = 0; bit < 80; bit += 5) {
    const at = bit >> 3
    const pair = ((random[at] ?? 0) << 8) | (random[at + 1] ?? 0)
    text += alphabet.charAt((pair >> (11 - (bit & 7))) & 31)
  }
  return text
}
