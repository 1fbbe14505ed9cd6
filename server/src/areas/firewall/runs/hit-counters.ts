// How often each rule matched, over all restarts. The kernel counts from the load of its tables on; what it counted before
// is kept here, in a separate file that is rarely written: a power cut costs at most half a minute of counting.

import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Hits } from '../../../core/plan/artifacts.ts'
import { type Clock, unixSeconds } from '../../../shared/time/clock.ts'

export interface RuleHits {
  readonly packets: number
  readonly bytes: number
  /** Unix seconds since when the rule is counted. */
  readonly since: number
  /** Unix seconds of the reading that first showed the latest hit; null when there was none. */
  readonly lastHit: number | null
  /** The reading that last found it changed. */
  readonly reading: number
}

interface Count {
  readonly packets: number
  readonly bytes: number
}

interface Entry {
  /** Counted by kernels and tables that are gone. */
  readonly before: Count
  /** Counted by the present ones, as last read. */
  readonly now: Count
  readonly since: number
  readonly lastHit: number | null
  readonly reading: number
}

/** What was counted, and how to ask for what changes after it. */
export interface CounterReading {
  readonly hits: ReadonlyMap<string, RuleHits>
  readonly cursor: string
  /** The reading that a cursor names; null when it is not one of this process. */
  readingOf(cursor: string): number | null
}

interface Stored {
  readonly epoch: string
  readonly rules: Readonly<
    Record<
      string,
      readonly [
        before: number,
        now: number,
        since: number,
        lastHit: number | null,
        // Files of earlier releases do not have them.
        bytesBefore?: number,
        bytesNow?: number,
      ]
    >
  >
}

export interface HitCounterParts {
  readonly path: string
  readonly clock: Clock
  /** Reads the kernel. */
  readonly hits: () => Promise<Hits>
  /** Origins of the rules there are; counters of others are dropped. */
  readonly origins: () => readonly string[]
}

/** A reading is trusted for twice the time it took: a small table is always fresh, a large one not read without end. */
const trustFactor = 2
const saveEverySeconds = 30
/** A listing of ten thousand rules takes half a second, so without requests it is read only once a minute. */
const pollMilliseconds = 60_000

export class HitCounters {
  readonly #parts: HitCounterParts
  /** Cursors of another process name other readings. */
  readonly #start = randomUUID()
  #readings = 0
  #epoch = ''
  #entries = new Map<string, Entry>()
  /** Of these entries, made when it is first asked for. */
  #shown: ReadonlyMap<string, RuleHits> | null = null
  #trustedUntil = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null
  #savedAt: number
  #isSaved = true
  #timer: NodeJS.Timeout | null = null

  constructor(parts: HitCounterParts) {
    this.#parts = parts
    this.#savedAt = parts.clock.elapsed()
    this.#load()
  }

  /** Reads from time to time even without requests, so that a reboot loses little. */
  start(): void {
    this.#timer = setInterval(() => void this.current(), pollMilliseconds).unref()
  }

  /** By origin of the rule. When the kernel cannot be read, what was last known. */
  async current(): Promise<ReadonlyMap<string, RuleHits>> {
    if (this.#parts.clock.elapsed() >= this.#trustedUntil) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null
      })
    }
    await this.#reading
    this.#shown ??= new Map([...this.#entries].map(([origin, entry]) => [origin, shown(entry)]))
    return this.#shown
  }

  /** The same for those who ask again and again, and want to know only what changed. */
  async reading(): Promise<CounterReading> {
    const hits = await this.current()
    const prefix = `${this.#start}.`
    return {
      hits,
      cursor: `${prefix}${this.#readings}`,
      readingOf: (cursor) => (cursor.startsWith(prefix) ? Number(cursor.slice(prefix.length)) : null),
    }
  }

  async #read(): Promise<void> {
    const begun = this.#parts.clock.elapsed()
    let hits: Hits
    try {
      hits = await this.#parts.hits()
    } catch {
      // The firewall's status shows that applyd does not answer; the last known totals are still valid.
      return
    }
    const now = this.#parts.clock.elapsed()
    this.#trustedUntil = now + trustFactor * (now - begun)
    this.#update(hits)
    if (now - this.#savedAt >= saveEverySeconds) this.#save()
  }

  #update({ epoch, counts }: Hits): void {
    const time = unixSeconds(this.#parts.clock.now())
    const counted = new Map(counts.map(({ origin, packets, bytes }) => [origin, { packets, bytes }]))
    const isFullReload = epoch !== this.#epoch
    const reading = this.#readings + 1
    this.#entries = new Map(
      this.#parts.origins().map((origin) => {
        const known = this.#entries.get(origin) ?? { before: none, now: none, since: time, lastHit: null, reading }
        return [origin, advance(known, counted.get(origin) ?? none, isFullReload, { time, reading })]
      }),
    )
    // Without a change the cursor is still the one that was given out.
    if (this.#entries.values().some((entry) => entry.reading === reading)) this.#readings = reading
    this.#shown = null
    this.#epoch = epoch
    this.#isSaved = false
  }

  #load(): void {
    try {
      const { epoch, rules } = JSON.parse(readFileSync(this.#parts.path, 'utf8')) as Stored
      const entries = Object.entries(rules).map(([origin, stored]): [string, Entry] => {
        const [before, now, since, lastHit, bytesBefore = 0, bytesNow = 0] = stored
        const numbers = [before, now, since, lastHit ?? 0, bytesBefore, bytesNow]
        if (!numbers.every(Number.isSafeInteger)) throw new Error('not a counter')
        const counts = {
          before: { packets: before, bytes: bytesBefore },
          now: { packets: now, bytes: bytesNow },
        }
        return [origin, { ...counts, since, lastHit, reading: 0 }]
      })
      this.#epoch = String(epoch)
      this.#entries = new Map(entries)
    } catch {
      // Missing or damaged: counting starts again, which `since` shows.
    }
  }

  #save(): void {
    const stored: Stored = {
      epoch: this.#epoch,
      rules: Object.fromEntries(
        [...this.#entries].map(([origin, { before, now, since, lastHit }]) => [
          origin,
          [before.packets, now.packets, since, lastHit, before.bytes, now.bytes],
        ]),
      ),
    }
    try {
      writeFileSync(`${this.#parts.path}.new`, JSON.stringify(stored), { mode: 0o600 })
      renameSync(`${this.#parts.path}.new`, this.#parts.path)
      this.#isSaved = true
    } catch {
      // A full disk must not stop the counting; the next save tries again.
    }
    this.#savedAt = this.#parts.clock.elapsed()
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer)
    if (!this.#isSaved) this.#save()
  }
}

const none: Count = { packets: 0, bytes: 0 }

const sum = (a: Count, b: Count): Count => ({ packets: a.packets + b.packets, bytes: a.bytes + b.bytes })

const shown = ({ before, now, since, lastHit, reading }: Entry): RuleHits => ({
  ...sum(before, now),
  since,
  lastHit,
  reading,
})

/** A count that fell, or one of another epoch, has restarted: its old value is added to the total. */
function advance(
  known: Entry,
  now: Count,
  isFullReload: boolean,
  { time, reading }: { readonly time: number; readonly reading: number },
): Entry {
  if (!isFullReload && now.packets === known.now.packets) return known
  const hasRestarted = isFullReload || now.packets < known.now.packets
  const hits = hasRestarted ? now.packets : now.packets - known.now.packets
  return {
    before: hasRestarted ? sum(known.before, known.now) : known.before,
    now,
    since: known.since,
    lastHit: hits > 0 ? time : known.lastHit,
    reading: hits > 0 ? reading : known.reading,
  }
}
