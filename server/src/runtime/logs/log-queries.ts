// Queries over the tables of log.db, as the worker of the log runs them. Statements are a fixed set of texts that only walk a
// table; conditions and order are judged here, row by row, so that a query can be ended at any moment.

import { type Condition, queryOf, type Row, type SortItem } from '../../contract/table-query.ts'
import type { ReadDatabase } from '../../database/database.ts'
import type { FirewallRecord } from './firewall-log-line.ts'
import type { LogRow } from './system-log.ts'

/** What of a table a query is about, beside its conditions. */
export interface Scope {
  /** Rows of this source are left out. */
  readonly hiddenSource?: string
  /** Times are shown in this zone. */
  readonly timeZone?: string
}

/** A table that can be queried: its rows as conditions see them, and one of them as replies show it. */
export interface LogTable {
  /** Newest first. */
  scan(database: ReadDatabase, scope: Scope, bounds: Bounds): Iterable<Placed>
  show(database: ReadDatabase, scope: Scope, place: number): object | null
}

/** A row with its place in its table. */
export interface Placed {
  readonly place: number
  readonly row: Row
}

/** Times that the conditions leave. */
export interface Bounds {
  readonly low: number
  readonly high: number
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
  const { matches, compare } = queryOf(where, order)
  const rows = table.scan(database, scope, boundsOf(where))
  const end = offset + limit
  const places: number[] = []
  let total = 0
  if (order.length === 0) {
    for (const { place, row } of rows) {
      if (!matches(row)) continue
      if (total >= offset && total < end) places.push(place)
      total++
    }
    return { places, total }
  }
  const first = createFirst<Placed>(end, (a, b) => compare(a.row, b.row) || b.place - a.place)
  for (const { place, row } of rows) {
    if (!matches(row)) continue
    first.add({ place, row: cellsOf(row, order) })
    total++
  }
  const page = first.sorted().slice(offset)
  return { places: page.map(({ place }) => place), total }
}

/** Only what they are sorted by: hundreds of thousands of messages need not be held. */
const cellsOf = (row: Row, order: readonly SortItem[]): Row =>
  Object.fromEntries(order.map(({ field }) => [field, row[field] ?? '']))

/** Keeps the first `count` in order out of any number, holding not many more. */
function createFirst<T>(count: number, compare: (a: T, b: T) => number) {
  const most = 2 * count + 10_000
  let kept: T[] = []
  return {
    add(value: T): void {
      kept.push(value)
      if (kept.length >= most) kept = kept.sort(compare).slice(0, count)
    },
    sorted: (): T[] => kept.sort(compare).slice(0, count),
  }
}

/** The times outside of which no row matches; most queries are about a day or an hour. */
export function boundsOf(where: Condition): Bounds {
  if (where.kind === 'all') {
    const all = where.of.map(boundsOf)
    return { low: Math.max(0, ...all.map(({ low }) => low)), high: Math.min(lastTime, ...all.map(({ high }) => high)) }
  }
  if (where.kind !== 'compare' || where.column !== 'date_time') return { low: 0, high: lastTime }
  const bound = Number(where.bound)
  return where.operator.startsWith('>') ? { low: bound, high: lastTime } : { low: 0, high: bound }
}

const lastTime = Number.MAX_SAFE_INTEGER

/** The system journal (system-log.ts). */
export const recordsTable: LogTable = {
  *scan(database, { hiddenSource = null }, { low, high }) {
    const rows = database
      .prepare(
        `SELECT place, id, date_time, microseconds, priority, message, syslog_id, unit FROM records
         WHERE date_time BETWEEN ? AND ? AND source IS NOT ? ORDER BY date_time DESC, microseconds DESC, id DESC`,
      )
      .iterate(low, high, hiddenSource) as Iterable<unknown> as Iterable<LogRow & { readonly place: number }>
    for (const row of rows) yield { place: row.place, row }
  },
  show: (database, _scope, place) =>
    (database
      .prepare('SELECT id, date_time, microseconds, priority, message, syslog_id, unit FROM records WHERE place = ?')
      .get(place) as unknown as LogRow | undefined) ?? null,
}

export type KeptHit = FirewallRecord & { readonly sequence: number }

/** Hits of the firewall (firewall-log.ts), as a report shows them; `read` leaves out hits that are not part of it. */
export function hitsTable(
  read: (hit: KeptHit, scope: Scope) => Row | null,
  show: (hit: KeptHit, scope: Scope) => object,
): LogTable {
  return {
    *scan(database, scope) {
      const hits = database
        .prepare(
          `SELECT sequence, time, table_name AS "table", rule_id, action, protocol, source_ip, source_port,
             destination_ip, destination_port, in_interface, out_interface, length, lost
           FROM hits ORDER BY sequence DESC`,
        )
        .iterate() as Iterable<unknown> as Iterable<KeptHit>
      for (const hit of hits) {
        const row = read(hit, scope)
        if (row) yield { place: hit.sequence, row }
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
