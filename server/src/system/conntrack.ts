// Connections that the kernel tracks and how fast they are, from the lines of its table, which applyd reads for us.

import type { SessionTable } from '../plan/artifacts.ts'
import type { TrackedEnds, TrackedSession, TrafficReading } from '../plan/facts.ts'

/** What the kernel says of one connection; counters are totals, zero where it does not count. */
export interface Tracked extends Omit<TrackedSession, 'id' | 'seconds'> {
  /** Its identity: protocol and both ends. */
  readonly key: string
  /** Since it began; null where the kernel does not say. */
  readonly age: number | null
}

/** States of TCP in which nothing will pass any more; the kernel only remembers them for stray packets. */
const ended: ReadonlySet<string | undefined> = new Set(['TIME_WAIT', 'CLOSE'])

/** One line of the table; null for what is not IPv4, not whole, over, or of the gateway with itself. */
export function parseTracked(line: string): Tracked | null {
  const words = line.trim().split(/\s+/)
  if (words[0] !== 'ipv4' || ended.has(words[5])) return null
  const pairs = words.filter((word) => word.includes('=')).map((word) => word.split('=') as [string, string])
  const all = (name: string): string[] => pairs.filter(([key]) => key === name).map(([, value]) => value)
  const [source, answered] = all('src')
  const [calledAs, seenAs] = all('dst')
  const protocol = (words[2] ?? '').toUpperCase()
  if (!source || !calledAs || !answered || !seenAs || protocol === '' || source.startsWith('127.')) return null
  const [sourcePort, answeredPort] = all('sport')
  const count = (name: string, way: 0 | 1): number => Number(all(name)[way] ?? 0) || 0
  return {
    key: [protocol, source, sourcePort, calledAs, all('dport')[0], all('id')[0]].join(' '),
    age: numberOf(all('delta-time')[0]),
    protocol,
    source,
    sourcePort: numberOf(sourcePort),
    destination: answered,
    destinationPort: numberOf(answeredPort),
    calledAs,
    seenAs,
    bytesOut: count('bytes', 0),
    packetsOut: count('packets', 0),
    bytesIn: count('bytes', 1),
    packetsIn: count('packets', 1),
  }
}

const protocols: Readonly<Record<string, TrackedEnds['protocol']>> = {
  1: 'icmp',
  6: 'tcp',
  17: 'udp',
  47: 'gre',
  50: 'esp',
  51: 'ah',
}

/** Family, protocol, time left and, for TCP, the state. */
const headForm = /^ipv4 +\d+ +\w+ +(\d+) +\d+ (?: *([A-Z_]+) )?/
/** Each way of the connection, as its first packet has it. */
const waysForm = /src=([\d.]+) dst=([\d.]+)(?: sport=(\d+) dport=(\d+))?/g

/** The ends of one line; null for what is not IPv4, of an unknown protocol, not whole, over, or of the gateway with itself. */
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
  readonly read: () => Promise<SessionTable>
}

interface Known {
  readonly id: string
  readonly began: number
  /** The reading before the last one, to measure against. */
  readonly before: Reading | null
  readonly last: Reading
}

interface Reading {
  readonly at: number
  readonly tracked: Tracked
}

/** Rates are measured over at least this long. */
const leastSeconds = 1

/** Remembers when a connection was first seen and what it had carried by then. */
export function createTrafficReader({ elapsed, now, random, read }: TrafficSource) {
  let known = new Map<string, Known>()
  let reading: Promise<TrafficReading> | null = null

  async function readNow(): Promise<TrafficReading> {
    const { text, ...reading } = await read()
    const at = elapsed()
    const next = new Map<string, Known>()
    for (const line of text.split('\n')) {
      const tracked = parseTracked(line)
      if (tracked) next.set(tracked.key, observed(known.get(tracked.key), { at, tracked }))
    }
    known = next
    return { ...reading, sessions: [...next.values()].map(shown) }
  }

  function observed(old: Known | undefined, last: Reading): Known {
    const began = last.at - (last.tracked.age ?? 0)
    // Younger than what was seen before: the same ends have met again. The kernel shows whole seconds only.
    const isOther = old && last.tracked.age !== null && began - 1 > old.last.at
    if (!old || isOther) return { id: ulid(now().getTime(), random()), began, before: null, last }
    const isNews = last.at - old.last.at >= leastSeconds
    return { ...old, before: isNews ? old.last : old.before, last }
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

/** Since the reading before; on first sight since the connection began, where the kernel says when that was. */
function shown({ id, began, before, last }: Known): TrackedSession {
  const { key: _key, age, ...tracked } = last.tracked
  const seconds = before ? last.at - before.at : Math.max(age ?? 0, leastSeconds)
  const isMeasured = before !== null || age !== null
  const rate = (field: 'bytesIn' | 'bytesOut' | 'packetsIn' | 'packetsOut'): number =>
    isMeasured ? Math.max(0, Math.round((tracked[field] - (before?.tracked[field] ?? 0)) / seconds)) : 0
  return {
    ...tracked,
    id,
    seconds: age ?? Math.floor(last.at - began),
    bytesIn: rate('bytesIn'),
    bytesOut: rate('bytesOut'),
    packetsIn: rate('packetsIn'),
    packetsOut: rate('packetsOut'),
  }
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** 48 bits of time and 80 of chance, five bits a letter. */
export function ulid(milliseconds: number, random: Uint8Array): string {
  let bits =
    (BigInt(milliseconds) << 80n) | BigInt(`0x${Buffer.from(random).toString('hex').padStart(20, '0').slice(-20)}`)
  let text = ''
  for (let letter = 0; letter < 26; letter++) {
    text = `${alphabet[Number(bits & 31n)]}${text}`
    bits >>= 5n
  }
  return text
}
