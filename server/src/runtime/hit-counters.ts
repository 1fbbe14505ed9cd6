// How often each rule matched, over all restarts. The kernel counts from the load of its tables on; what it counted before
// is kept here, in a separate file that is rarely written: a power cut costs at most half a minute of counting.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Hits } from '../plan/artifacts.ts'
import { type Clock, unixSeconds } from './clock.ts'

export interface RuleHits {
  readonly packets: number
  /** Unix seconds since when the rule is counted. */
  readonly since: number
  /** Unix seconds of the reading that first showed the latest hit; null when there was none. */
  readonly lastHit: number | null
}

interface Entry {
  /** Counted by kernels and tables that are gone. */
  readonly before: number
  /** Counted by the present ones, as last read. */
  readonly now: number
  readonly since: number
  readonly lastHit: number | null
}

interface Stored {
  readonly epoch: string
  readonly rules: Readonly<
    Record<string, readonly [before: number, now: number, since: number, lastHit: number | null]>
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
    const counted = new Map(counts.map(({ origin, packets }) => [origin, packets]))
    const isFullReload = epoch !== this.#epoch
    this.#entries = new Map(
      this.#parts.origins().map((origin) => {
        const known = this.#entries.get(origin) ?? { before: 0, now: 0, since: time, lastHit: null }
        return [origin, advance(known, counted.get(origin) ?? 0, isFullReload, time)]
      }),
    )
    this.#shown = null
    this.#epoch = epoch
    this.#isSaved = false
  }

  #load(): void {
    try {
      const { epoch, rules } = JSON.parse(readFileSync(this.#parts.path, 'utf8')) as Stored
      const entries = Object.entries(rules).map(([origin, [before, now, since, lastHit]]): [string, Entry] => {
        if (![before, now, since, lastHit ?? 0].every(Number.isSafeInteger)) throw new Error('not a counter')
        return [origin, { before, now, since, lastHit }]
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
        [...this.#entries].map(([origin, entry]) => [origin, [entry.before, entry.now, entry.since, entry.lastHit]]),
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

const shown = ({ before, now, since, lastHit }: Entry): RuleHits => ({ packets: before + now, since, lastHit })

/** A count that fell, or one of another epoch, has restarted: its old value is added to the total. */
function advance(known: Entry, now: number, isFullReload: boolean, time: number): Entry {
  if (!isFullReload && now === known.now) return known
  const hasRestarted = isFullReload || now < known.now
  const hits = hasRestarted ? now : now - known.now
  return {
    before: hasRestarted ? known.before + known.now : known.before,
    now,
    since: known.since,
    lastHit: hits > 0 ? time : known.lastHit,
  }
}
