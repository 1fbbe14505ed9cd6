// Connections that the kernel tracks, from /proc/net/nf_conntrack, and how fast they are. Where the table cannot be read,
// for want of the right or of the module, there is nothing to tell.

import { readFile } from 'node:fs/promises'

export interface Tracked {
  /** What tells it from others: protocol and both ends. */
  readonly key: string
  readonly protocol: string
  readonly source: string
  /** Null where the protocol has no ports. */
  readonly sourcePort: number | null
  readonly destination: string
  readonly destinationPort: number | null
  /** Zero where the kernel does not count (net.netfilter.nf_conntrack_acct). */
  readonly bytesOut: number
  readonly packetsOut: number
  readonly bytesIn: number
  readonly packetsIn: number
}

/** One line of the table; null for what is not IPv4 or not whole. */
export function parseTracked(line: string): Tracked | null {
  const words = line.trim().split(/\s+/)
  if (words[0] !== 'ipv4') return null
  const pairs = words.filter((word) => word.includes('=')).map((word) => word.split('=') as [string, string])
  const all = (name: string): string[] => pairs.filter(([key]) => key === name).map(([, value]) => value)
  const [source, destination] = [all('src')[0], all('dst')[0]]
  const protocol = (words[2] ?? '').toUpperCase()
  if (source === undefined || destination === undefined || protocol === '') return null
  const [sourcePort, destinationPort] = [portOf(all('sport')[0]), portOf(all('dport')[0])]
  const count = (name: string, way: 0 | 1): number => Number(all(name)[way] ?? 0) || 0
  return {
    key: [protocol, source, sourcePort, destination, destinationPort, all('id')[0] ?? ''].join(' '),
    protocol,
    source,
    sourcePort,
    destination,
    destinationPort,
    bytesOut: count('bytes', 0),
    packetsOut: count('packets', 0),
    bytesIn: count('bytes', 1),
    packetsIn: count('packets', 1),
  }
}

const portOf = (text: string | undefined): number | null => (text === undefined ? null : Number(text))

/** Empty where there is no table or no right to it. */
async function readTable(): Promise<string> {
  try {
    return await readFile('/proc/net/nf_conntrack', 'utf8')
  } catch {
    return ''
  }
}

export interface TrafficSource {
  readonly elapsed: () => number
  readonly now: () => Date
  readonly random: () => Uint8Array
  readonly read?: () => Promise<string>
}

interface Known {
  readonly id: string
  readonly firstSeen: number
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
export function createTrafficReader({ elapsed, now, random, read = readTable }: TrafficSource) {
  let known = new Map<string, Known>()
  return {
    async sessions() {
      const text = await read()
      const at = elapsed()
      const next = new Map<string, Known>()
      for (const line of text.split('\n')) {
        const tracked = parseTracked(line)
        if (tracked) next.set(tracked.key, observed(known.get(tracked.key), { at, tracked }))
      }
      known = next
      return [...next.values()].map(shown)
    },
  }

  function observed(old: Known | undefined, last: Reading): Known {
    if (!old) return { id: ulid(now().getTime(), random()), firstSeen: last.at, before: null, last }
    const isNews = last.at - old.last.at >= leastSeconds
    return { ...old, before: isNews ? old.last : old.before, last }
  }
}

function shown({ id, firstSeen, before, last }: Known) {
  const { key: _key, bytesIn, bytesOut, packetsIn, packetsOut, ...ends } = last.tracked
  const seconds = before ? last.at - before.at : 0
  const rate = (field: 'bytesIn' | 'bytesOut' | 'packetsIn' | 'packetsOut', value: number): number =>
    before && seconds > 0 ? Math.max(0, Math.round((value - before.tracked[field]) / seconds)) : 0
  return {
    id,
    ...ends,
    seconds: Math.floor(last.at - firstSeen),
    bytesIn: rate('bytesIn', bytesIn),
    bytesOut: rate('bytesOut', bytesOut),
    packetsIn: rate('packetsIn', packetsIn),
    packetsOut: rate('packetsOut', packetsOut),
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
