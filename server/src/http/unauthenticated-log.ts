// Refused requests of unauthenticated clients. The first of each minute get a record each; further ones from the same
// source become one record with their count, so that a client without a session cannot fill the disk.

import type { AuditEntry } from '../runtime/logs/audit.ts'
import { type Source, sourceOf } from '../runtime/source.ts'

const recordedEach = 60
const periodSeconds = 60
/** Up to this many sources are counted separately; further ones share one count. */
const maxSources = 10_000
const others = '(other addresses)'

interface Count {
  readonly since: number
  recorded: number
  unrecorded: number
}

export class UnauthenticatedLog {
  readonly #note: (entry: AuditEntry) => void
  readonly #elapsed: () => number
  readonly #counts = new Map<Source | typeof others, Count>()
  #sweeper: NodeJS.Timeout | null = null

  constructor(note: (entry: AuditEntry) => void, elapsed: () => number) {
    this.#note = note
    this.#elapsed = elapsed
  }

  refused(entry: AuditEntry): void {
    this.sweep()
    const own = sourceOf(entry.address)
    const source = this.#counts.has(own) || this.#counts.size < maxSources ? own : others
    const count = this.#counts.get(source) ?? { since: this.#elapsed(), recorded: 0, unrecorded: 0 }
    this.#counts.set(source, count)
    this.#sweeper ??= setInterval(() => this.sweep(), periodSeconds * 1000).unref()
    if (count.recorded < recordedEach) {
      count.recorded++
      this.#note(entry)
    } else count.unrecorded++
  }

  /** Records the counts of periods that have ended. */
  sweep(): void {
    this.#summarise((count) => this.#elapsed() - count.since >= periodSeconds)
  }

  /** Records all counts. */
  close(): void {
    this.#summarise(() => true)
  }

  #summarise(isOver: (count: Count) => boolean): void {
    for (const [source, count] of this.#counts) {
      if (!isOver(count)) continue
      this.#counts.delete(source)
      if (count.unrecorded > 0) this.#note(summary(source, count.unrecorded))
    }
    if (this.#counts.size > 0 || !this.#sweeper) return
    clearInterval(this.#sweeper)
    this.#sweeper = null
  }
}

const summary = (address: string, count: number): AuditEntry => ({
  event: 'refused',
  who: '',
  address,
  what: '(several)',
  result: 'unauthenticated',
  message: `${count} more requests without a session were refused within ${periodSeconds} s.`,
  request_id: '',
  revision: null,
  changes: [],
})
