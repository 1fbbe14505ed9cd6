// Queries over the tables of log.db, as the worker of the log runs them. Statements are a fixed set of texts that only walk a
// table; conditions and order are judged here, row by row, so that a query can be ended at any moment.

import { type Cell, type Condition, queryOf, type Row, type SortItem } from '../../contract/table-query.ts'
import type { ReadDatabase } from '../../database/database.ts'
import type { FirewallRecord } from './firewall-log-line.ts'
import type { LogRow } from './system-log.ts'

/** What of a table a query is about, beside its conditions. */
export interface Scope {
  /** Rows of this source are left out. */
  readonly hiddenSource?: string
  /** Times are shown in this zone. */
  readonly timeZone?: string
  /** Unix seconds of the query, for what is not over. */
  readonly now?: number
}

/** A table that can be queried: its rows as conditions see them, and one of them as replies show it. */
export interface LogTable {
  /** Newest first. */
  scan(database: ReadDatabase, scope: Scope, bounds: Bounds): Iterable<Placed>
  show(database: ReadDatabase, scope: Scope, place: number): object | null
  /** All of them, newest first, without looking at each. */
  newest?(database: ReadDatabase, scope: Scope, limit: number, offset: number): LogPage
}

/** A row with its place in its table. */
export interface Placed {
  readonly place: number
  readonly row: Row
}

/** What SQLite can leave out by itself: no row outside of this matches. */
export interface Bounds {
  /** Times. */
  readonly low: number
  readonly high: number
  /** A text that the message contains, in lower case and ASCII, or null. */
  readonly text: string | null
}

export interface LogQuestion {
  readonly scope: Scope
  readonly where: Condition
  /** Empty: newest first. */
  readonly order: readonly SortItem[]
  readonly offset: number
  readonly limit: number
}

export interface LogPage {
  /** The places of the rows, in order. */
  readonly places: readonly number[]
  /** Rows there are without limit and offset. */
  readonly total: number
}

export function findPage(database: ReadDatabase, table: LogTable, question: LogQuestion): LogPage {
  const { scope, where, order, offset, limit } = question
  const isWhole = where.kind === 'all' && where.of.length === 0
  if (isWhole && order.length === 0 && table.newest) return table.newest(database, scope, limit, offset)
  const { matches } = queryOf(where, order)
  const end = offset + limit
  const places: number[] = []
  const first = createFirst(end, order)
  let total = 0
  for (const { place, row } of table.scan(database, scope, boundsOf(where))) {
    if (!matches(row)) continue
    if (order.length > 0) first.add(place, row)
    else if (total >= offset && total < end) places.push(place)
    total++
  }
  return { places: order.length > 0 ? first.places().slice(offset) : places, total }
}

interface Kept {
  readonly place: number
  /** Only what they are sorted by: hundreds of thousands of messages need not be held. */
  readonly cells: readonly Cell[]
}

/** Keeps the first `count` in order out of any number, holding not many more. */
function createFirst(count: number, order: readonly SortItem[]) {
  const signs = order.map(({ direction }) => (direction === 'asc' ? 1 : -1))
  const compare = (a: Kept, b: Kept): number => {
    for (const [index, sign] of signs.entries()) {
      const [one, other] = [a.cells[index] ?? '', b.cells[index] ?? '']
      if (one !== other) return one < other ? -sign : sign
    }
    return b.place - a.place
  }
  const most = 2 * count + 10_000
  let kept: Kept[] = []
  /** What does not come before it cannot be among the first. */
  let worst: Kept | undefined
  return {
    add(place: number, row: Row): void {
      const one = { place, cells: order.map(({ field }) => row[field] ?? '') }
      if (worst && compare(one, worst) >= 0) return
      kept.push(one)
      if (kept.length < most) return
      kept = kept.sort(compare).slice(0, count)
      worst = kept.at(-1)
    },
    places: (): number[] =>
      kept
        .sort(compare)
        .slice(0, count)
        .map(({ place }) => place),
  }
}

/** Most queries are about a day or an hour, or look for one text. */
export function boundsOf(where: Condition): Bounds {
  switch (where.kind) {
    case 'all': {
      const all = where.of.map(boundsOf)
      return {
        low: Math.max(0, ...all.map(({ low }) => low)),
        high: Math.min(lastTime, ...all.map(({ high }) => high)),
        text: all.find(({ text }) => text !== null)?.text ?? null,
      }
    }
    case 'contains': {
      const [text = '', ...more] = where.texts
      return { ...unbounded, text: where.column === 'message' && more.length === 0 && isAscii(text) ? text : null }
    }
    case 'compare': {
      if (where.column !== 'date_time') return unbounded
      const bound = Number(where.bound)
      return where.operator.startsWith('>') ? { ...unbounded, low: bound } : { ...unbounded, high: bound }
    }
    default:
      return unbounded
  }
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

const lastTime = Number.MAX_SAFE_INTEGER
const unbounded: Bounds = { low: 0, high: lastTime, text: null }

/** Rows read in one go. One by one they would take three times as long. */
const readAtOnce = 2_000

type RecordCells = readonly [number, string, number, number, number, string, string, string]

/** The system journal (system-log.ts). */
export const recordsTable: LogTable = {
  *scan(database, { hiddenSource = null }, { low, high, text }) {
    const page = database.prepareArrays(
      `SELECT place, id, date_time, microseconds, priority, message, syslog_id, unit FROM records
       WHERE (date_time, microseconds, id) < (?, ?, ?) AND date_time >= ? AND source IS NOT ?
         AND (? IS NULL OR instr(lower(message), ?) > 0 OR length(message) <> octet_length(message))
       ORDER BY date_time DESC, microseconds DESC, id DESC LIMIT ?`,
    )
    // SQLite knows only the lower case of ASCII, so other messages are always looked at. No record has so many microseconds.
    let last: readonly Cell[] = [high, Number.MAX_SAFE_INTEGER, '']
    for (;;) {
      const rows = page.all(...last, low, hiddenSource, text, text, readAtOnce) as unknown as RecordCells[]
      for (const [place, id, date_time, microseconds, priority, message, syslog_id, unit] of rows) {
        yield { place, row: { id, date_time, microseconds, priority, message, syslog_id, unit } }
      }
      const [, id, date_time, microseconds] = rows.at(-1) ?? []
      if (rows.length < readAtOnce || id === undefined) return
      last = [date_time ?? 0, microseconds ?? 0, id]
    }
  },
  show: (database, _scope, place) =>
    (database
      .prepare('SELECT id, date_time, microseconds, priority, message, syslog_id, unit FROM records WHERE place = ?')
      .get(place) as unknown as LogRow | undefined) ?? null,
  newest: (database, { hiddenSource = null }, limit, offset) => {
    const rows = database
      .prepareArrays(
        `SELECT place FROM records WHERE source IS NOT ?
         ORDER BY date_time DESC, microseconds DESC, id DESC LIMIT ? OFFSET ?`,
      )
      .all(hiddenSource, limit, offset) as unknown as readonly (readonly [number])[]
    const count = database.prepare('SELECT count(*) AS total FROM records WHERE source IS NOT ?').get(hiddenSource)
    return { places: rows.map(([place]) => place), total: Number(count?.total) }
  },
}

export type KeptHit = FirewallRecord & { readonly sequence: number }

/** Hits of the firewall (firewall-log.ts), as a report shows them; `read` leaves out hits that are not part of it. */
export function hitsTable(
  read: (hit: KeptHit, scope: Scope) => Row | null,
  show: (hit: KeptHit, scope: Scope) => object,
): LogTable {
  return {
    *scan(database, scope) {
      const page = database.prepare(
        `SELECT sequence, time, table_name AS "table", rule_id, action, protocol, source_ip, source_port,
           destination_ip, destination_port, in_interface, out_interface, length, lost
         FROM hits WHERE sequence < ? ORDER BY sequence DESC LIMIT ?`,
      )
      let last = Number.MAX_SAFE_INTEGER
      for (;;) {
        const hits = page.all(last, readAtOnce) as unknown as KeptHit[]
        for (const hit of hits) {
          const row = read(hit, scope)
          if (row) yield { place: hit.sequence, row }
        }
        if (hits.length < readAtOnce) return
        last = hits.at(-1)?.sequence ?? 0
      }
    },
    show: (database, scope, place) => {
      const hit = database
        .prepare(
          `SELECT sequence, time, table_name AS "table", rule_id, action, protocol, source_ip, source_port,
             destination_ip, destination_port, in_interface, out_interface, length, lost
           FROM hits WHERE sequence = ?`,
        )
        .get(place) as unknown as KeptHit | undefined
      return hit ? show(hit, scope) : null
    },
  }
}
