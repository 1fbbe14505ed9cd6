// What of each connection has been reported. Turns connections as the kernel shows them into flows: two for each, one for
// either way. A connection is in the books only when a part of it has been reported, or when it is older than the export: of
// all others the kernel has the whole sum when they end. Pure: the time comes with each call.

import type { Flow } from './flow.ts'
import type { End } from './places.ts'
import type { Tracked } from './tracked.ts'

/** How long the kernel keeps a connection without traffic, in seconds. */
export interface Timeouts {
  readonly timeWait: number
  readonly close: number
  readonly udp: number
  readonly udpStream: number
  readonly icmp: number
  readonly generic: number
}

export interface LedgerParts {
  readonly endOf: (address: number, used: number) => End
  readonly activeMs: number
  readonly timeouts: Timeouts
}

interface Entry {
  tracked: Tracked
  reported: Sums
  /** Until when it has been reported, Unix milliseconds. */
  reportedAt: number
  look: number
}

type Sums = Pick<Tracked, 'packetsOut' | 'bytesOut' | 'packetsIn' | 'bytesIn'>

const tcp = 6
const udp = 17
const icmp = 1
const tcpStates = { synSent: 1, synReceived: 2, established: 3, timeWait: 7, close: 8, synSent2: 9 } as const
const nothing: Sums = { packetsOut: 0, bytesOut: 0, packetsIn: 0, bytesIn: 0 }

/** With more of them connections are reported only when they end. */
const maxEntries = 1_000_000

/** A reading of the table can miss a connection that is there, so one is gone when it is missing twice. */
const missesUntilGone = 2

export class Ledger {
  readonly #entries = new Map<number, Entry>()
  #parts: LedgerParts
  #since: number
  #look = 0

  /** Traffic of before `since`, Unix milliseconds, is not reported. */
  constructor(parts: LedgerParts, since: number) {
    this.#parts = parts
    this.#since = since
  }

  get size(): number {
    return this.#entries.size
  }

  /** Other settings. What they count for the first time is counted from now on; report everything open before. */
  change(parts: LedgerParts, since: number): void {
    this.#parts = parts
    this.#since = since
  }

  /** Begins a reading of the table: each connection goes through `seen`, and `finish` ends it. */
  begin(): void {
    this.#look += 1
  }

  /** `isLast`: everything that is open is reported up to now. */
  seen(tracked: Tracked, now: number, isLast = false): Flow[] {
    if (!this.#isCounted(tracked)) return []
    const entry = this.#entries.get(tracked.key)
    if (entry) {
      entry.tracked = tracked
      entry.look = this.#look
    }
    if (!entry && (tracked.began === null || tracked.began < this.#since)) {
      // Older than the export: only what it carries from now on counts.
      this.#add(tracked, now, tracked)
      return []
    }
    const from = entry?.reportedAt ?? tracked.began ?? now
    const isDue = isLast || isOver(tracked) || now - from >= this.#parts.activeMs
    if (!isDue || (!entry && this.#entries.size >= maxEntries)) return []
    const flows = this.#flows(tracked, entry?.reported ?? nothing, from, now - this.#idleMs(tracked))
    if (flows.length === 0 && entry) return []
    if (entry) {
      entry.reported = tracked
      entry.reportedAt = now
    } else this.#add(tracked, now, tracked)
    return flows
  }

  /** Flows of connections that went without a message of the kernel. Every message so far must have gone through `ended`. */
  *finish(): Generator<Flow> {
    for (const [key, { tracked, reported, reportedAt, look }] of this.#entries) {
      if (this.#look - look < missesUntilGone) continue
      this.#entries.delete(key)
      yield* this.#flows(tracked, reported, reportedAt, reportedAt)
    }
  }

  /** The kernel has ended it; the sums are the last ones. */
  ended(tracked: Tracked, now: number): Flow[] {
    const entry = this.#entries.get(tracked.key)
    this.#entries.delete(tracked.key)
    if (!this.#isCounted(tracked)) return []
    if (!entry && (tracked.began === null || tracked.began < this.#since)) return []
    const from = entry?.reportedAt ?? tracked.began ?? now
    const last = (tracked.ended ?? now) - this.#keptMs(tracked)
    return this.#flows(tracked, entry?.reported ?? nothing, from, last)
  }

  #add(tracked: Tracked, reportedAt: number, reported: Sums): void {
    if (this.#entries.size < maxEntries)
      this.#entries.set(tracked.key, { tracked, reported, reportedAt, look: this.#look })
  }

  #isCounted({ source, destination, calledAs, seenAs }: Tracked): boolean {
    const { endOf } = this.#parts
    return endOf(source, calledAs).isExported || endOf(destination, seenAs).isExported
  }

  #flows(tracked: Tracked, before: Sums, first: number, last: number): Flow[] {
    const { source, destination, sourcePort, destinationPort, protocol } = tracked
    const [here, there] = [this.#parts.endOf(source, tracked.calledAs), this.#parts.endOf(destination, tracked.seenAs)]
    const isIcmp = protocol === icmp
    const common = { protocol, first, last: Math.max(first, last), tcpFlags: flagsOf(tracked) }
    const out: Flow = {
      ...common,
      source,
      destination,
      sourcePort: isIcmp ? 0 : sourcePort,
      destinationPort,
      input: here.index,
      output: there.index,
      sourcePrefix: here.prefix,
      destinationPrefix: there.prefix,
      packets: tracked.packetsOut - before.packetsOut,
      bytes: tracked.bytesOut - before.bytesOut,
    }
    const back: Flow = {
      ...common,
      source: destination,
      destination: source,
      sourcePort: isIcmp ? 0 : destinationPort,
      destinationPort: sourcePort,
      input: there.index,
      output: here.index,
      sourcePrefix: there.prefix,
      destinationPrefix: here.prefix,
      packets: tracked.packetsIn - before.packetsIn,
      bytes: tracked.bytesIn - before.bytesIn,
    }
    return [out, back].filter(({ packets }) => packets > 0)
  }

  /** How long nothing has passed, where the time that is left shows it. */
  #idleMs(tracked: Tracked): number {
    const kept = this.#keptMs(tracked)
    if (kept === 0 || tracked.secondsLeft === null) return 0
    return Math.max(0, kept - tracked.secondsLeft * 1000)
  }

  /** How long the kernel keeps it after its last packet; 0 where it rather ends by other means. */
  #keptMs({ protocol, state, isAssured }: Tracked): number {
    const { timeWait, close, udp: udpSeconds, udpStream, icmp: icmpSeconds, generic } = this.#parts.timeouts
    if (protocol === tcp)
      return (state === tcpStates.timeWait ? timeWait : state === tcpStates.close ? close : 0) * 1000
    if (protocol === udp) return (isAssured ? udpStream : udpSeconds) * 1000
    return (protocol === icmp ? icmpSeconds : generic) * 1000
  }
}

/** Nothing will pass any more, although the kernel remembers it for stray packets. */
const isOver = ({ protocol, state }: Tracked): boolean =>
  protocol === tcp && (state === tcpStates.timeWait || state === tcpStates.close)

const flags = { fin: 1, syn: 2, rst: 4, ack: 16 } as const

/** The kernel shows the state of TCP and not the flags, so these are those that lead to it. */
function flagsOf({ protocol, state, packetsIn }: Tracked): number {
  if (protocol !== tcp) return 0
  if (state === tcpStates.synSent || state === tcpStates.synSent2) return flags.syn
  const open = packetsIn > 0 ? flags.syn | flags.ack : flags.syn
  if (state === tcpStates.close) return open | flags.rst
  return state <= tcpStates.established ? open : open | flags.fin
}
