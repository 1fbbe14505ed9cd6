// Answers queries over log.db from a worker thread, so that no query holds the event loop. Each owner has a few places, a
// query has a time limit, and its rows are sent in pieces, whatever their number.

import { GatewayError } from '../../core/contract/error.ts'
import { maxRows } from '../../core/contract/table-query.ts'
import { WorkerPool } from '../../core/workers/pool.ts'
import type { Handed, Tasks } from '../../core/workers/tasks.ts'
import type { LogPage, LogQuestion, Scope } from './log-queries.ts'

/** `auth` is the journal of the portal, the others are its values. */
export type LogTableName = 'auth' | 'authAddresses' | 'authCountries'

export interface LogText {
  readonly table: LogTableName
  readonly scope: Scope
  readonly places: readonly number[]
  /** Of the CSV form; null: JSON. */
  readonly columns: readonly string[] | null
}

/** What the worker can do (log-worker.ts). */
export interface LogTasks extends Tasks {
  readonly find: (input: { readonly table: LogTableName; readonly question: LogQuestion }) => LogPage
  /** Rows as text: JSON objects between commas, or lines of CSV. Those that were deleted meanwhile are left out. */
  readonly show: (input: LogText) => Handed<TextPiece>
}

export interface TextPiece {
  readonly bytes: Uint8Array
  readonly rows: number
}

/** Who asks, and until when the answer is of use. */
export interface Asker {
  readonly owner: string
  readonly signal: AbortSignal
}

export interface LogReaderOptions {
  readonly entry: URL
  readonly path: string
  readonly timeLimitMs?: number
}

/** A query takes a second or two over all that is kept. */
const timeLimitMs = 20_000
/** Queries of one owner at once, and how many more of them may wait (docs/behaviour/security.md 35). */
const atOncePerOwner = 4
const waitingPerOwner = 12
/** Rows turned into text in one go; at most about one megabyte. */
const shownAtOnce = 200

export interface FoundRows {
  readonly total: number
  /** JSON objects between commas, or lines of CSV without their header, in pieces. */
  texts(columns: readonly string[] | null): AsyncIterable<TextPiece>
}

export class LogReader {
  readonly #pool: WorkerPool<LogTasks>
  readonly #owners = new Map<string, { running: number; readonly waiting: (() => void)[] }>()

  constructor({ entry, path, timeLimitMs: limit = timeLimitMs }: LogReaderOptions) {
    this.#pool = new WorkerPool({ entry, data: path, atOnce: 2, maxWaiting: 1_024, timeLimitMs: limit })
  }

  /** The place of the asker is free again when all texts were read, or when the client has left. */
  async find(table: LogTableName, question: LogQuestion, asker: Asker): Promise<FoundRows> {
    const leave = await this.#enter(asker)
    try {
      const bounded = { ...question, limit: Math.min(question.limit, maxRows) }
      const page = await this.#pool.run('find', { table, question: bounded }, asker)
      const texts = (columns: readonly string[] | null) =>
        this.#texts(table, question.scope, page, columns, asker, leave)
      return { total: page.total, texts }
    } catch (error) {
      leave()
      throw error
    }
  }

  async *#texts(
    table: LogTableName,
    scope: Scope,
    { places }: LogPage,
    columns: readonly string[] | null,
    asker: Asker,
    leave: () => void,
  ) {
    try {
      for (let at = 0; at < places.length; at += shownAtOnce) {
        const piece = { table, scope, columns, places: places.slice(at, at + shownAtOnce) }
        yield await this.#pool.run('show', piece, asker)
      }
    } finally {
      leave()
    }
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #enter({ owner, signal }: Asker): Promise<() => void> {
    const own = this.#owners.get(owner) ?? { running: 0, waiting: [] }
    this.#owners.set(owner, own)
    if (own.running >= atOncePerOwner) {
      if (own.waiting.length >= waitingPerOwner) throw tooMany()
      // The place is handed over, so `running` stays as it is.
      await new Promise<void>((resolve) => own.waiting.push(resolve))
    } else own.running++
    let hasLeft = false
    const leave = (): void => {
      if (hasLeft) return
      hasLeft = true
      signal.removeEventListener('abort', leave)
      const next = own.waiting.shift()
      if (next) next()
      else if (--own.running === 0) this.#owners.delete(owner)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return leave
  }
}

const tooMany = (): GatewayError =>
  new GatewayError('unavailable', 'Too many of your log queries are running. Try again in a moment.', {
    retryAfterSeconds: 2,
  })
