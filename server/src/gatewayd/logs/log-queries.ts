// Queries over the tables of log.db, as the worker of the log runs them. Statements are a fixed set of texts that only walk a
// table; conditions and order are judged here, row by row, so that a query can be ended at any moment.

import { type Cell, type Condition, queryOf, type Row, type SortItem } from '../../core/contract/table-query.ts'
import type { ReadDatabase } from '../../core/database/database.ts'

/** What of a table a query is about, beside its conditions. */
export interface Scope {
  /** Times are shown in this zone. */
  readonly timeZone?: string
  /** Unix seconds of the query, for what is not over. */
  readonly now?: number
}

/** A table that can be queried: its rows as conditions see them, and one of them as replies show it. */
export interface LogTable {
  /** Newest first. */
  scan(database: ReadDatabase, scope: Scope): Iterable<Placed>
  show(database: ReadDatabase, scope: Scope, place: number): object | null
}

/** A row with its place in its table. */
export interface Placed {
  readonly place: number
  readonly row: Row
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
  const { matches } = queryOf(where, order)
  const end = offset + limit
  const places: number[] = []
  const first = createFirst(end, order)
  let total = 0
  for (const { place, row } of table.scan(database, scope)) {
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
