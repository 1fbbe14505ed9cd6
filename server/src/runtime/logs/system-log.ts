// The system journal as a table: what the journal, the firewall log and the services wrote, gathered in small steps so that
// questions over two hundred thousand records are answered by SQLite. It can be lost: it is gathered again from its sources.

import { setImmediate as others } from 'node:timers/promises'
import type { JournalQuery, ReadQuery, Row, SortItem } from '../../contract/table-query.ts'
import type { Database } from '../../database/database.ts'
import type { Migration } from '../../database/migrations.ts'
import { orderSql, sqlOf } from './log-sql.ts'

/** Steps of log.db beside those of the firewall log. A step is never edited once released. */
export const systemLogMigrations: readonly Migration[] = [
  {
    title: 'the system journal, gathered',
    statements: [
      // `folded` is the message in small letters where SQLite would not find them: it knows only those of ASCII.
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

/** Rows written or looked at before others get their turn: some ten milliseconds. */
const writtenAtOnce = 500
const lookedAtOnce = 20_000
const pollMilliseconds = 1_000

const newest: SortItem = { field: 'date_time', direction: 'desc' }

const shown = 'id, date_time, microseconds, priority, message, syslog_id, unit'
const folded = (column: string): string =>
  column === 'message' ? 'coalesce(folded, lower(message))' : `lower(CAST(${column} AS TEXT))`

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
      const { rows, keptFrom, isFullReload } = await source.news(this.#lastOf(name), writtenAtOnce)
      this.#begun.add(name)
      if (isFullReload) database.prepare('DELETE FROM records WHERE source = ?').run(name)
      else database.prepare('DELETE FROM records WHERE source = ? AND number < ?').run(name, keptFrom)
      for (let at = 0; at < rows.length; at += writtenAtOnce) {
        database.transact(() => {
          for (const { number, row } of rows.slice(at, at + writtenAtOnce)) this.#put(name, number, row)
        })
        await others()
      }
      if (rows.length < writtenAtOnce) break
    }
    // By time: most often there is nothing so old, and the source has two hundred thousand rows.
    database
      .prepare('DELETE FROM records INDEXED BY records_by_time WHERE source = ? AND date_time < ?')
      .run(name, keptSince(name))
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
           (source, number, id, date_time, microseconds, priority, message, syslog_id, unit, folded)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(source, number, id, date_time, microseconds, priority, message, syslog_id, unit, foldedOf(message))
  }

  /** The page that was asked for, and how many rows there are without limit and offset. */
  async find(asked: ReadQuery, query: JournalQuery, most: number): Promise<{ data: LogRow[]; total: number }> {
    await this.refresh()
    const [offset, limit] = [query.offset ?? 0, query.limit ?? most]
    const isWhole = asked.where.kind === 'all' && asked.where.of.length === 0
    return isWhole && !query.sort ? this.#newest(asked, limit, offset) : this.#search(asked, offset, offset + limit)
  }

  /** Along the index, whatever the offset. */
  #newest({ order }: ReadQuery, limit: number, offset: number): { data: LogRow[]; total: number } {
    const { database } = this.#parts
    return {
      data: database
        .ask(`SELECT ${shown} FROM records ORDER BY ${orderSql(order)} LIMIT ? OFFSET ?`)
        .all(limit, offset) as unknown as LogRow[],
      total: Number(database.prepare('SELECT count(*) AS total FROM records').get()?.total),
    }
  }

  /** One stretch of the table after the other, the newest first; of each its own first rows and their number. */
  async #search({ where, order, compare }: ReadQuery, offset: number, most: number) {
    const { database } = this.#parts
    const { text, values } = sqlOf(where, folded)
    const [leading = newest] = order
    // Without an index: it would be walked from end to end for every stretch.
    const stretch = 'FROM records NOT INDEXED WHERE place > ? AND place <= ?'
    const beaten = `(? IS NULL OR ${leading.field} ${leading.direction === 'asc' ? '<=' : '>='} ?)`
    const first = database.ask(
      `SELECT ${shown} ${stretch} AND ${beaten} AND ${text} ORDER BY ${orderSql(order)} LIMIT ?`,
    )
    const count = database.ask(`SELECT count(*) AS total ${stretch} AND ${text}`)
    const ends = database.prepare('SELECT min(place) AS low, max(place) AS high FROM records').get()
    let best: LogRow[] = []
    let total = 0
    for (let high = Number(ends?.high ?? 0); high >= Number(ends?.low ?? 1); high -= lookedAtOnce) {
      const within = [high - lookedAtOnce, high]
      // Once the page is full, most rows are excluded by one comparison.
      const bound = best.length < most ? null : (best.at(-1)?.[leading.field] ?? null)
      const rows = first.all(...within, bound, bound, ...values, most) as unknown as LogRow[]
      best = best.concat(rows).sort(compare).slice(0, most)
      const isAll = bound === null && rows.length < most
      total += isAll ? rows.length : Number(count.get(...within, ...values)?.total)
      await others()
    }
    return { data: best.slice(offset), total }
  }
}

/** Null where SQLite's own small letters are the right ones. */
function foldedOf(message: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  return /^[\x00-\x7f]*$/.test(message) ? null : message.toLowerCase()
}
