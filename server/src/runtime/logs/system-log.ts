// The system journal as a table: what the audit trail, the firewall log and the services wrote, gathered in small steps. It
// can be lost: it is gathered again from its sources. Queries are answered by log-reader.ts.

import { setImmediate as others } from 'node:timers/promises'
import type { Row } from '../../contract/table-query.ts'
import type { Database } from '../../database/database.ts'
import type { Migration } from '../../database/migrations.ts'

/** Steps of log.db beside those of the firewall log. A step is never edited once released. */
export const systemLogMigrations: readonly Migration[] = [
  {
    title: 'the system journal, gathered',
    statements: [
      // `folded` was the message in lower case; it is no longer written.
      `CREATE TABLE records (
        place INTEGER PRIMARY KEY, source TEXT NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL,
        date_time INTEGER NOT NULL, microseconds INTEGER NOT NULL, priority INTEGER NOT NULL, message TEXT NOT NULL,
        syslog_id TEXT NOT NULL, unit TEXT NOT NULL, folded TEXT, UNIQUE (source, number)
      )`,
      `CREATE INDEX records_by_time ON records (date_time, microseconds, id)`,
      // Rows depend on the time zone and the brand: when these change, the rows are gathered again.
      `CREATE TABLE records_kind (one INTEGER PRIMARY KEY CHECK (one = 1), kind TEXT NOT NULL)`,
    ],
  },
]

export interface LogRow extends Row {
  readonly id: string
  readonly date_time: number
  readonly microseconds: number
  readonly priority: number
  readonly message: string
  readonly syslog_id: string
  readonly unit: string
}

export interface NumberedRow {
  /** Rising within its source. */
  readonly number: number
  readonly row: LogRow
}

export interface LogNews {
  /** Oldest first. */
  readonly rows: readonly NumberedRow[]
  /** Records before this number are not to be shown any more. */
  readonly keptFrom: number
  /** The source has begun anew: nothing of it that was gathered before holds. */
  readonly isFullReload: boolean
  /** There is more, although there are fewer rows than asked for. */
  readonly isMore?: boolean
}

/** One of those whose records make up the system journal. */
export interface LogSource {
  readonly name: string
  /** What came after the record with this number, about `limit` of it; null: nothing is known yet. */
  news(last: number | null, limit: number): Promise<LogNews> | LogNews
}

export interface SystemLogParts {
  readonly database: Database
  /** Identifies what the rows depend on beside their sources. */
  readonly kind: () => string
  readonly sources: readonly LogSource[]
  /** Rows of a time before this one are not kept (docs/behaviour/logs.md 3). */
  readonly keptSince: (source: string) => number
  /** Called once for each failure that begins. */
  readonly onFault: (error: unknown) => void
}

/** Rows asked for at once, and rows written or removed before others get their turn: a few milliseconds. */
const askedAtOnce = 500
const writtenAtOnce = 100
const removedAtOnce = 500
/** What a query looks at in the worst case. */
const maxRecords = 500_000
const pollMilliseconds = 1_000

export class SystemLog {
  readonly #parts: SystemLogParts
  #gathering: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #isFailing = false
  /** Sources that were asked under the present kind. */
  readonly #begun = new Set<string>()

  constructor(parts: SystemLogParts) {
    this.#parts = parts
  }

  start(): void {
    const poll = async (): Promise<void> => {
      await this.refresh()
      if (this.#timer !== null) this.#timer = setTimeout(poll, pollMilliseconds).unref()
    }
    this.#timer = setTimeout(poll, pollMilliseconds).unref()
  }

  /** Resolves when nothing is being written any more; the database may then be closed. */
  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    await this.#gathering
  }

  /** Gathers what has come since the last time. */
  refresh(): Promise<void> {
    this.#gathering ??= this.#gather().finally(() => {
      this.#gathering = null
    })
    return this.#gathering
  }

  async #gather(): Promise<void> {
    try {
      this.#restartUnder(this.#parts.kind())
      for (const source of this.#parts.sources) await this.#gatherFrom(source)
      this.#isFailing = false
    } catch (error) {
      // What was gathered is answered; the rest is tried again the next time.
      if (!this.#isFailing) this.#parts.onFault(error)
      this.#isFailing = true
    }
  }

  #restartUnder(kind: string): void {
    const { database } = this.#parts
    const known = database.prepare('SELECT kind FROM records_kind').get()?.kind
    if (known === kind) return
    this.#begun.clear()
    database.transact(() => {
      database.prepare('DELETE FROM records').run()
      database
        .prepare('INSERT INTO records_kind (one, kind) VALUES (1, ?) ON CONFLICT DO UPDATE SET kind = excluded.kind')
        .run(kind)
    })
  }

  async #gatherFrom(source: LogSource): Promise<void> {
    const { database, keptSince } = this.#parts
    const { name } = source
    for (;;) {
      const { rows, keptFrom, isFullReload, isMore } = await source.news(this.#lastOf(name), askedAtOnce)
      this.#begun.add(name)
      await this.#removeBefore(name, isFullReload ? Number.MAX_SAFE_INTEGER : keptFrom)
      for (let at = 0; at < rows.length; at += writtenAtOnce) {
        database.transact(() => {
          for (const { number, row } of rows.slice(at, at + writtenAtOnce)) this.#put(name, number, row)
        })
        await others()
      }
      if (!isMore && rows.length < askedAtOnce) break
    }
    // By time: most often there is nothing so old, and the source has two hundred thousand rows.
    await this.#removeAll(() =>
      database
        .prepare(
          `DELETE FROM records WHERE place IN (
             SELECT place FROM records INDEXED BY records_by_time WHERE date_time < ? AND source = ? LIMIT ?
           )`,
        )
        .run(keptSince(name), name, removedAtOnce),
    )
    await this.#removeAll(() =>
      database
        .prepare(
          `DELETE FROM records WHERE place IN (
             SELECT place FROM records WHERE place <= (SELECT max(place) FROM records) - ? ORDER BY place LIMIT ?
           )`,
        )
        .run(maxRecords, removedAtOnce),
    )
  }

  #removeBefore(source: string, number: number): Promise<void> {
    return this.#removeAll(() =>
      this.#parts.database
        .prepare(
          `DELETE FROM records WHERE place IN (
             SELECT place FROM records WHERE source = ? AND number < ? LIMIT ?
           )`,
        )
        .run(source, number, removedAtOnce),
    )
  }

  /** Some at a time, until there are none left. */
  async #removeAll(removeSome: () => { readonly changes: number | bigint }): Promise<void> {
    while (Number(removeSome().changes) >= removedAtOnce) await others()
  }

  #lastOf(source: string): number | null {
    const row = this.#parts.database.prepare('SELECT max(number) AS last FROM records WHERE source = ?').get(source)
    return this.#begun.has(source) || row?.last !== null ? Number(row?.last ?? 0) : null
  }

  #put(source: string, number: number, row: LogRow): void {
    const { id, date_time, microseconds, priority, message, syslog_id, unit } = row
    this.#parts.database
      .prepare(
        `INSERT OR REPLACE INTO records
           (source, number, id, date_time, microseconds, priority, message, syslog_id, unit)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(source, number, id, date_time, microseconds, priority, message, syslog_id, unit)
  }
}
