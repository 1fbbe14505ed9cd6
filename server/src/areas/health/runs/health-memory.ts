// What must survive a restart: the level on which every check settled, and notifications that are not delivered yet. Both are
// in one small file that is replaced as a whole, so that a crash leaves the old state or the new one. On a full disk they
// stay in memory and are written later: a full disk itself must be reported.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Level, Notice, Settled, Target } from '../../../core/contract/health.ts'
import { writeDurably } from '../../../shared/files/durable-file.ts'

interface Stored {
  readonly settled: readonly Settled[]
  readonly notices: readonly Notice[]
  readonly lastNumber: number
}

/** A target that is away for long gets the newest ones. */
const maxNoticesOfTarget = 100
const noticeSeconds = 3 * 86_400

export class HealthMemory {
  readonly #path: string
  #settled: Map<string, Settled>
  #notices: Notice[]
  #lastNumber: number
  #isWritten = true
  #lost = 0

  constructor(path: string) {
    this.#path = path
    const { settled, notices, lastNumber } = readStored(path)
    this.#settled = new Map(settled.map((one) => [one.id, one]))
    this.#notices = [...notices]
    this.#lastNumber = lastNumber
  }

  get settled(): readonly Settled[] {
    return [...this.#settled.values()]
  }

  /** Notices that were dropped because their target was away for too long. */
  get lost(): number {
    return this.#lost
  }

  waiting(target: string): readonly Notice[] {
    return this.#notices.filter((notice) => notice.target === target)
  }

  /** Targets that something waits for. */
  get targets(): ReadonlySet<string> {
    return new Set(this.#notices.map(({ target }) => target))
  }

  /** The check settled on another level: those who want to know get one notice, with the level in one write. */
  settle(change: Settled, before: Level, targets: readonly Target[]): void {
    if (change.level === 0) this.#settled.delete(change.id)
    else this.#settled.set(change.id, change)
    for (const { id: target, from } of targets) {
      const [wasBad, isBad] = [before >= from, change.level >= from]
      if (wasBad === isBad) continue
      const kind = isBad ? 'failed' : 'recovered'
      this.#notices.push({ id: randomUUID(), number: ++this.#lastNumber, target, kind, change })
      this.#bound(target)
    }
    this.#write()
  }

  #bound(target: string): void {
    const own = this.waiting(target)
    const surplus = new Set(own.slice(0, Math.max(0, own.length - maxNoticesOfTarget)))
    this.#lost += surplus.size
    this.#notices = this.#notices.filter((notice) => !surplus.has(notice))
  }

  /** They were delivered, or no one wants them any more. */
  remove(notices: readonly Notice[]): void {
    if (notices.length === 0) return
    const ids = new Set(notices.map(({ id }) => id))
    this.#notices = this.#notices.filter(({ id }) => !ids.has(id))
    this.#write()
  }

  /** Drops what is too old to be news, and writes what could not be written before. */
  tidy(now: number): void {
    const old = this.#notices.filter(({ change }) => now - change.time > noticeSeconds)
    this.#lost += old.length
    this.remove(old)
    if (!this.#isWritten) this.#write()
  }

  /** False while the disk takes nothing. */
  get isWritten(): boolean {
    return this.#isWritten
  }

  #write(): void {
    const stored: Stored = { settled: this.settled, notices: this.#notices, lastNumber: this.#lastNumber }
    try {
      writeDurably(this.#path, JSON.stringify(stored))
      this.#isWritten = true
    } catch {
      this.#isWritten = false
    }
  }
}

const nothing: Stored = { settled: [], notices: [], lastNumber: 0 }

/** A damaged file is as good as none: checks settle again. */
function readStored(path: string): Stored {
  try {
    const stored = JSON.parse(readFileSync(path, 'utf8')) as Partial<Stored>
    return Array.isArray(stored.settled) && Array.isArray(stored.notices) && Number.isInteger(stored.lastNumber)
      ? (stored as Stored)
      : nothing
  } catch {
    return nothing
  }
}
