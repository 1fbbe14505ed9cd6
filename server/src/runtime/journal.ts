// The journal: every change, sign-in and refusal as a record in a SHA-256 chain. Records of changes are written in the
// change's own transaction; refusals are gathered and follow within a moment, so that a flood of them costs one sync.

import { createHash } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Checkpoint } from '../plan/artifacts.ts'

export interface JournalEntry {
  readonly event: 'change' | 'sign-in' | 'sign-out' | 'session-ended' | 'refused' | 'action' | 'system'
  readonly who: string
  readonly address: string
  /** The endpoint, or what the gateway did by itself. */
  readonly what: string
  readonly result: string
  readonly message: string
  readonly request_id: string
  readonly revision: number | null
  /** What changed, before and after, secrets masked. */
  readonly changes: readonly unknown[]
}

export interface JournalRecord extends JournalEntry {
  readonly sequence: number
  readonly time: string
}

export interface JournalFault {
  readonly sequence: number
  readonly message: string
}

interface Row {
  sequence: number
  record: string
  hash: Uint8Array
}

const genesis = Buffer.alloc(32)
const flushMilliseconds = 200
const checkpointEvery = 1_000

export class Journal {
  readonly #database: Database
  readonly #now: () => Date
  #last: { sequence: number; hash: Uint8Array }
  #waiting: JournalEntry[] = []
  #timer: NodeJS.Timeout | null = null
  /** Told when enough records have gathered for a checkpoint. */
  onCheckpointDue: () => void = () => {}
  #checkpointed: number

  constructor(database: Database, now: () => Date) {
    this.#database = database
    this.#now = now
    this.#last = this.#readLast()
    this.#checkpointed = this.#last.sequence
  }

  #readLast(): { sequence: number; hash: Uint8Array } {
    const row = this.#database
      .prepare('SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1')
      .get() as unknown as Row | undefined
    return row ?? { sequence: 0, hash: genesis }
  }

  get head(): { readonly sequence: number; readonly hash: string } {
    return { sequence: this.#last.sequence, hash: Buffer.from(this.#last.hash).toString('hex') }
  }

  /** Durable when this returns, together with everything else in the surrounding transaction. */
  write(entries: readonly JournalEntry[]): void {
    const all = [...this.#waiting, ...entries]
    if (all.length === 0) return
    const last = this.#database.transact(() => {
      let { sequence, hash } = this.#last
      for (const entry of all) {
        sequence++
        const record = JSON.stringify({ sequence, time: this.#now().toISOString(), ...entry })
        hash = recordHash(hash, record)
        this.#database
          .prepare('INSERT INTO journal (sequence, record, hash) VALUES (?, ?, ?)')
          .run(sequence, record, hash)
      }
      return { sequence, hash }
    })
    this.#waiting = []
    this.#last = last
    if (last.sequence - this.#checkpointed >= checkpointEvery) {
      this.#checkpointed = last.sequence
      this.onCheckpointDue()
    }
  }

  /** For what is not part of a change: written soon, together with what else has gathered. */
  note(entry: JournalEntry): void {
    this.#waiting.push(entry)
    this.#timer ??= setTimeout(() => this.flush(), flushMilliseconds).unref()
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.write([])
  }

  /** After a transaction around write() failed: the chain goes on from what is on disk. */
  reload(): void {
    this.#last = this.#readLast()
  }

  list(limit: number, offset: number): JournalRecord[] {
    this.flush()
    const rows = this.#database
      .prepare('SELECT record FROM journal ORDER BY sequence DESC LIMIT ? OFFSET ?')
      .all(limit, offset) as unknown as Row[]
    return rows.map((row) => JSON.parse(row.record) as JournalRecord)
  }

  /** Walks the chain and holds it against the signed checkpoints; null when nothing was altered or is missing. */
  verify(checkpoints: readonly Checkpoint[]): JournalFault | null {
    this.flush()
    const forged = checkpoints.find((checkpoint) => !checkpoint.authentic)
    if (forged) return { sequence: forged.sequence, message: 'The signed checkpoint of this record was altered.' }
    const signed = new Map(checkpoints.map((checkpoint) => [checkpoint.sequence, checkpoint.hash]))
    let expected = 1
    let hash: Uint8Array = genesis
    for (const row of this.#database
      .prepare('SELECT sequence, record, hash FROM journal ORDER BY sequence')
      .iterate()) {
      const { sequence, record, hash: stored } = row as unknown as Row
      if (sequence !== expected) return { sequence: expected, message: 'This record is missing.' }
      hash = recordHash(hash, record)
      if (!Buffer.from(hash).equals(stored) || !carries(record, sequence)) {
        return { sequence, message: 'This record was altered.' }
      }
      const checkpoint = signed.get(sequence)
      if (checkpoint !== undefined && checkpoint !== Buffer.from(hash).toString('hex')) {
        return {
          sequence,
          message: 'This record or one before it was replaced: it does not fit the signed checkpoint.',
        }
      }
      expected++
    }
    const lastSigned = Math.max(0, ...signed.keys())
    return lastSigned >= expected ? { sequence: expected, message: 'This record and all after it are missing.' } : null
  }
}

const recordHash = (previous: Uint8Array, record: string): Buffer =>
  createHash('sha256').update(previous).update(record).digest()

const carries = (record: string, sequence: number): boolean => record.startsWith(`{"sequence":${sequence},`)
