// The audit trail: every change, sign-in and refusal as a record in a SHA-256 chain. Records of changes are written in the
// transaction of the change, those of actions before they are answered; refusals are collected and written together shortly
// after, so that a flood costs one sync.

import { isUnavailable } from '../contract/error.ts'
import type { Database } from '../database/database.ts'
import type { Checkpoint } from '../plan/artifacts.ts'
import { type AuditEntry, type AuditResult, boundedEntry, ownEntry } from './audit-entry.ts'
import { type AuditHeader, readHeader, recordsBack, rowsAfter } from './audit-rows.ts'
import { type AuditSearch, matchingBack } from './audit-search.ts'
import { type AuditFault, genesis, recordHash, verifyTrail } from './audit-verify.ts'

interface TimedEntry extends AuditEntry {
  readonly time: string
}

interface Recording {
  readonly entries: readonly TimedEntry[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Head {
  readonly sequence: number
  readonly hash: Uint8Array
}

const flushMilliseconds = 200
/** How long to wait before trying again when the disk is full, and how many records can wait for that. */
const retryMilliseconds = 2_000
const maxWaiting = 10_000
/** Written before others get their turn. */
const flushedAtOnce = 500

export class AuditTrail {
  readonly #database: Database
  readonly #now: () => Date
  /** How far the trail went when it was opened. */
  readonly loaded: { readonly sequence: number; readonly hash: string }
  #last: Head
  #waiting: TimedEntry[] = []
  #recording: Recording[] = []
  #dropped = 0
  #droppedEver = 0
  #timer: NodeJS.Timeout | null = null
  #verifying: Promise<AuditFault | null> | null = null
  /** Called when there is something new for a checkpoint; what `head` is may still be undone in the same turn. */
  onWritten: () => void = () => {}

  constructor(database: Database, now: () => Date) {
    this.#database = database
    this.#now = now
    this.#last = this.#readLast()
    this.loaded = this.head
    database.onRolledBack(() => this.#reload())
  }

  #readLast(): Head {
    const newest = this.#database.prepare<Head>('SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1').get()
    return newest ?? { sequence: 0, hash: genesis }
  }

  /** Records that are not written yet, and those that found no room to wait since the start. */
  get queue(): { readonly waiting: number; readonly limit: number; readonly dropped: number } {
    return { waiting: this.#waiting.length, limit: maxWaiting, dropped: this.#droppedEver }
  }

  get head(): { readonly sequence: number; readonly hash: string } {
    return { sequence: this.#last.sequence, hash: Buffer.from(this.#last.hash).toString('hex') }
  }

  /** The number of the oldest record that is still kept; 0 when there are no records. */
  get first(): number {
    return Number(this.#database.prepare('SELECT min(sequence) AS first FROM audit').get()?.first ?? 0)
  }

  /**
   * Durable when this returns, together with everything else in the surrounding transaction. Without one, records that the
   * disk does not take are kept until it does: what they record is done already, or must not depend on the disk.
   */
  write(entries: readonly AuditEntry[]): void {
    const timed = this.#timed(entries)
    const isAlone = !this.#database.isInTransaction
    try {
      this.#append(timed)
    } catch (error) {
      if (!isAlone || !isUnavailable(error)) throw error
      for (const entry of timed) this.#keep(entry)
    }
  }

  #timed(entries: readonly AuditEntry[]): TimedEntry[] {
    const time = this.#now().toISOString()
    return entries.map((entry) => ({ time, ...boundedEntry(entry) }))
  }

  #append(entries: readonly TimedEntry[]): void {
    if (entries.length === 0) return
    this.#last = this.#database.transact(() => {
      let { sequence, hash } = this.#last
      for (const entry of entries) {
        sequence++
        const record = `{"sequence":${sequence},${JSON.stringify(entry).slice(1)}`
        hash = recordHash(hash, record)
        this.#database
          .prepare('INSERT INTO audit (sequence, record, hash) VALUES (?, ?, ?)')
          .run(sequence, record, hash)
      }
      return { sequence, hash }
    })
    this.onWritten()
  }

  /** Resolves when they are durable; those that come together share one sync. Rejects when the disk takes nothing. */
  record(entries: readonly AuditEntry[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#recording.length === 0) setImmediate(() => this.#commitRecorded())
      this.#recording.push({ entries: this.#timed(entries), resolve, reject })
    })
  }

  #commitRecorded(): void {
    const recorded = this.#recording
    this.#recording = []
    try {
      this.#append(recorded.flatMap(({ entries }) => entries))
      for (const { resolve } of recorded) resolve()
    } catch (error) {
      for (const { reject } of recorded) reject(error)
    }
  }

  /** For what no one waits for: written shortly after, together with other such records. */
  note(entry: AuditEntry): void {
    for (const timed of this.#timed([entry])) this.#keep(timed)
  }

  #keep(entry: TimedEntry): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#dropped++
      this.#droppedEver++
    } else this.#waiting.push(entry)
    this.#flushIn(flushMilliseconds)
  }

  #flushIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#flushSome()
    }, milliseconds).unref()
  }

  /** What the gateway did on its own. */
  noteOwn(what: string, result: AuditResult, message: string): void {
    this.note(ownEntry(what, result, message))
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    while (this.#waiting.length > 0 || this.#dropped > 0) this.#flushStep()
  }

  #flushStep(): void {
    const step = this.#waiting.slice(0, flushedAtOnce)
    const isLast = step.length === this.#waiting.length
    const lost = isLast && this.#dropped > 0 ? this.#timed([droppedEntry(this.#dropped)]) : []
    this.#append([...step, ...lost])
    this.#waiting = this.#waiting.slice(step.length)
    if (isLast) this.#dropped = 0
  }

  /** Where no caller waits for the result: a full disk is tried again later, and records can still be read. */
  #flushSome(): void {
    try {
      if (this.#waiting.length > 0 || this.#dropped > 0) this.#flushStep()
      if (this.#waiting.length > 0) this.#flushIn(0)
    } catch {
      this.#flushIn(retryMilliseconds)
    }
  }

  /** After a transaction around write() failed: the chain goes on from what is on disk. */
  #reload(): void {
    this.#last = this.#readLast()
  }

  /** A list in JSON, newest first, in pieces: reading the records only to print them again takes too long. */
  *listJson(limit: number, offset: number, search: AuditSearch | null = null): Generator<string> {
    this.#flushSome()
    yield '['
    let isFirst = true
    const { sequence } = this.#last
    // Numbers have no gaps, so without a search the offset need not be walked.
    const pieces = search
      ? matchingBack(this.#database, sequence, search, { limit, offset })
      : recordsBack(this.#database, sequence - offset, limit)
    for (const records of pieces) {
      // Empty where nothing of a step matches: others get their turn all the same.
      const text = records.join(',')
      yield text === '' || isFirst ? text : `,${text}`
      if (text !== '') isFirst = false
    }
    yield ']'
  }

  /** Oldest first, after the record with this number; for readers that follow the trail in steps. */
  pageAfter(sequence: number, limit: number): { readonly records: AuditHeader[]; readonly isMore: boolean } {
    this.#flushSome()
    const records = rowsAfter(this.#database, sequence, limit).map(({ record }) => readHeader(record))
    const last = records.at(-1)?.sequence ?? sequence
    return { records, isMore: last < this.#last.sequence && records.length > 0 }
  }

  /**
   * Walks the chain and compares it with the signed checkpoints and the revisions; null when nothing was altered or is
   * missing. Those who ask at the same time share one walk.
   */
  verify(checkpoints: readonly Checkpoint[]): Promise<AuditFault | null> {
    this.#flushSome()
    this.#verifying ??= verifyTrail(this.#database, () => this.#last.sequence, checkpoints).finally(() => {
      this.#verifying = null
    })
    return this.#verifying
  }
}

const droppedEntry = (count: number): AuditEntry =>
  ownEntry('audit trail', 'failed', `${count} audit records were lost while the disk was full.`)
