// The audit trail: every change, sign-in and refusal as a record in a SHA-256 chain. Records of changes are written in the
// transaction of the change; refusals are collected and written together shortly after, so that a flood costs one sync.

import { createHash } from 'node:crypto'
import { type ErrorCode, isUnavailable } from '../../contract/error.ts'
import type { Database } from '../../database/database.ts'
import type { Checkpoint } from '../../plan/artifacts.ts'

/** How it ended: successful, failed, or the code of the refusal. */
export type AuditResult = 'ok' | 'failed' | ErrorCode

export interface AuditEntry {
  readonly event: 'change' | 'sign-in' | 'sign-out' | 'lock' | 'session-ended' | 'refused' | 'action' | 'system'
  readonly who: string
  readonly address: string
  /** The endpoint, or what the gateway did on its own. */
  readonly what: string
  readonly result: AuditResult
  readonly message: string
  readonly request_id: string
  readonly revision: number | null
  /** What changed, before and after, secrets masked. */
  readonly changes: readonly unknown[]
}

/** Records of earlier versions can have other results. */
export interface AuditRecord extends Omit<AuditEntry, 'result'> {
  readonly result: string
  readonly sequence: number
  readonly time: string
}

export interface AuditFault {
  readonly sequence: number
  readonly message: string
}

interface TimedEntry extends AuditEntry {
  readonly time: string
}

interface Row {
  sequence: number
  record: string
  hash: Uint8Array
}

const genesis = Buffer.alloc(32)
const ownActor = { who: 'system', address: '127.0.0.1' } as const
const flushMilliseconds = 200
/** How long to wait before trying again when the disk is full, and how many records can wait for that. */
const retryMilliseconds = 2_000
const maxWaiting = 10_000
const checkpointEvery = 1_000
const verifiedAtOnce = 500

export class AuditTrail {
  readonly #database: Database
  readonly #now: () => Date
  #last: { sequence: number; hash: Uint8Array }
  #waiting: TimedEntry[] = []
  #dropped = 0
  #timer: NodeJS.Timeout | null = null
  /** Called when there are enough new records for a checkpoint. */
  onCheckpointDue: () => void = () => {}
  #checkpointed: number

  constructor(database: Database, now: () => Date) {
    this.#database = database
    this.#now = now
    this.#last = this.#readLast()
    this.#checkpointed = this.#last.sequence
    database.onRolledBack(() => this.#reload())
  }

  #readLast(): { sequence: number; hash: Uint8Array } {
    const row = this.#database
      .prepare('SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1')
      .get() as unknown as Row | undefined
    return row ?? { sequence: 0, hash: genesis }
  }

  get head(): { readonly sequence: number; readonly hash: string } {
    return { sequence: this.#last.sequence, hash: Buffer.from(this.#last.hash).toString('hex') }
  }

  /**
   * Durable when this returns, together with everything else in the surrounding transaction. Without one, records that the
   * disk does not take are kept until it does: what they record is done already, or must not depend on the disk.
   */
  write(entries: readonly AuditEntry[]): void {
    const time = this.#now().toISOString()
    const timed = entries.map((entry) => ({ time, ...entry }))
    const isAlone = !this.#database.isInTransaction
    try {
      this.#append(timed)
    } catch (error) {
      if (!isAlone || !isUnavailable(error)) throw error
      for (const entry of timed) this.#keep(entry)
    }
  }

  #append(entries: readonly TimedEntry[]): void {
    if (entries.length === 0) return
    const last = this.#database.transact(() => {
      let { sequence, hash } = this.#last
      for (const entry of entries) {
        sequence++
        const record = JSON.stringify({ sequence, ...entry })
        hash = recordHash(hash, record)
        this.#database
          .prepare('INSERT INTO audit (sequence, record, hash) VALUES (?, ?, ?)')
          .run(sequence, record, hash)
      }
      return { sequence, hash }
    })
    this.#last = last
    // After the surrounding transaction: a record that is rolled back must not be signed.
    if (last.sequence - this.#checkpointed >= checkpointEvery) queueMicrotask(() => this.#askForCheckpoint())
  }

  #askForCheckpoint(): void {
    if (this.#last.sequence - this.#checkpointed < checkpointEvery) return
    this.#checkpointed = this.#last.sequence
    this.onCheckpointDue()
  }

  /** For what is not part of a change: written shortly after, together with other such records. */
  note(entry: AuditEntry): void {
    this.#keep({ time: this.#now().toISOString(), ...entry })
  }

  #keep(entry: TimedEntry): void {
    if (this.#waiting.length >= maxWaiting) this.#dropped++
    else this.#waiting.push(entry)
    this.#timer ??= setTimeout(() => this.#tryFlush(), flushMilliseconds).unref()
  }

  /** What the gateway did on its own. */
  noteOwn(what: string, result: AuditResult, message: string): void {
    this.note({ ...ownActor, event: 'system', what, result, message, request_id: '', revision: null, changes: [] })
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const dropped = this.#dropped === 0 ? [] : [droppedEntry(this.#dropped, this.#now())]
    this.#append([...this.#waiting, ...dropped])
    this.#waiting = []
    this.#dropped = 0
  }

  /** Where no caller waits for the result: a full disk is tried again later, and records can still be read. */
  #tryFlush(): void {
    try {
      this.flush()
    } catch {
      this.#timer = setTimeout(() => this.#tryFlush(), retryMilliseconds).unref()
    }
  }

  /** After a transaction around write() failed: the chain goes on from what is on disk. */
  #reload(): void {
    this.#last = this.#readLast()
  }

  /** Newest first, as the JSON it was stored as: reading ten thousand records only to print them again takes too long. */
  listJson(limit: number, offset: number): string {
    this.#tryFlush()
    const rows = this.#database
      .prepare('SELECT record FROM audit ORDER BY sequence DESC LIMIT ? OFFSET ?')
      .all(limit, offset) as unknown as Row[]
    return `[${rows.map((row) => row.record).join(',')}]`
  }

  /** Oldest first, after the record with this number; for readers that follow the trail in steps. */
  pageAfter(sequence: number, limit: number): AuditRecord[] {
    this.#tryFlush()
    const rows = this.#database
      .prepare('SELECT record FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?')
      .all(sequence, limit) as unknown as Row[]
    return rows.map(({ record }) => JSON.parse(record) as AuditRecord)
  }

  /**
   * Walks the chain and compares it with the signed checkpoints; null when nothing was altered or is missing. In small
   * steps, because the trail has no maximum length and other requests must not wait for it.
   */
  async verify(checkpoints: readonly Checkpoint[]): Promise<AuditFault | null> {
    this.#tryFlush()
    const forged = checkpoints.find((checkpoint) => !checkpoint.authentic)
    if (forged) return { sequence: forged.sequence, message: 'The signed checkpoint of this record was altered.' }
    const signed = new Map(checkpoints.map((checkpoint) => [checkpoint.sequence, checkpoint.hash]))
    const lastKnown = checkpoints.reduce((last, { sequence }) => Math.max(last, sequence), this.#last.sequence)
    let expected = 1
    let hash: Uint8Array = genesis
    for (let rows = this.#rowsAfter(null); rows.length > 0; rows = this.#rowsAfter(expected - 1)) {
      for (const { sequence, record, hash: stored } of rows) {
        if (sequence !== expected) return { sequence: expected, message: 'This record is missing.' }
        hash = recordHash(hash, record)
        if (!Buffer.from(hash).equals(stored) || !carries(record, sequence)) {
          return { sequence, message: 'This record was altered.' }
        }
        const checkpoint = signed.get(sequence)
        if (checkpoint !== undefined && checkpoint !== Buffer.from(hash).toString('hex')) {
          return { sequence, message: replaced }
        }
        expected++
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    return lastKnown >= expected ? { sequence: expected, message: 'This record and all after it are missing.' } : null
  }

  #rowsAfter(sequence: number | null): Row[] {
    return this.#database
      .prepare('SELECT sequence, record, hash FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?')
      .all(sequence ?? Number.MIN_SAFE_INTEGER, verifiedAtOnce) as unknown as Row[]
  }
}

const replaced = 'This record or one before it was replaced: it does not match the signed checkpoint.'

const droppedEntry = (count: number, now: Date): TimedEntry => ({
  time: now.toISOString(),
  event: 'system',
  who: 'system',
  address: '127.0.0.1',
  what: 'audit trail',
  result: 'failed',
  message: `${count} audit records were lost while the disk was full.`,
  request_id: '',
  revision: null,
  changes: [],
})

const recordHash = (previous: Uint8Array, record: string): Buffer =>
  createHash('sha256').update(previous).update(record).digest()

const carries = (record: string, sequence: number): boolean => record.startsWith(`{"sequence":${sequence},`)
