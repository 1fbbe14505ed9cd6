// Sums by stretches of time and by the values of a column, as a question to the log server.

import type { LogKindName } from '../../../domain/logs/kinds.ts'
import type { SumQuestion, Sums } from '../../../domain/logs/store.ts'
import * as sql from './clickhouse.ts'
import type { Selection } from './selection.ts'

type Sql = sql.Sql

const sumName = (index: number): string => `log_sum_${index}`

export function sumsQuery(
  selection: Selection,
  { bounds, by, ends, sums, order, limit }: SumQuestion,
): { readonly query: Sql; readonly forms: readonly sql.ReadForm[] } {
  const time = sql.name('time')
  const seconds = sql.call('intDiv', time, sql.number(1_000_000))
  const names = sums.map((_, index) => sumName(index))
  const what = (kind: LogKindName): Readonly<Record<string, Sql>> => ({
    log_begin: beginOf(seconds, bounds),
    log_value: by === null ? sql.text('') : cellValue(selection, kind, by, ends),
    log_records: sql.call('toInt64', sql.call('count')),
    ...Object.fromEntries(
      sums.map((column, index) => {
        const { form, shown } = selection.cells(kind, column)
        const number = form === 'number' ? shown : sql.number(0)
        return [sumName(index), sql.call('toInt64', sql.call('sum', sql.call('toInt64', number)))]
      }),
    ),
  })
  const within = [
    sql.compare(time, '>=', sql.number((bounds[0] ?? 0) * 1_000_000)),
    sql.compare(time, '<', sql.number((bounds.at(-1) ?? 0) * 1_000_000)),
  ]
  const added = ['log_records', ...names].map((name) => [name, sql.call('toInt64', sql.call('sum', sql.name(name)))])
  const keys = ['log_begin', 'log_value']
  const grouped = sql.select({
    what: { ...Object.fromEntries(keys.map((name) => [name, sql.name(name)])), ...renamed(added) },
    from: selection.union(what, within, keys),
    group: keys,
  })
  const all = [...keys, 'log_records', ...names]
  const size = sums.includes(order) ? sumName(sums.indexOf(order)) : 'log_records'
  const query = sql.select({
    what: Object.fromEntries(all.map((name) => [name, sql.name(keys.includes(name) ? name : `all_${name}`)])),
    from: sql.union([grouped]),
    order: [
      ['log_begin', 'asc'],
      [`all_${size}`, 'desc'],
      ['log_value', 'asc'],
    ],
    limitBy: [limit, 'log_begin'],
  })
  return { query, forms: ['number', 'text', 'number', ...names.map(() => 'number' as const)] }
}

/** A sum may not have the name of what it sums. */
const renamed = (columns: readonly (readonly (string | Sql)[])[]): Record<string, Sql> =>
  Object.fromEntries(columns.map(([name, of]) => [`all_${name}`, of as Sql]))

/** The beginning of the stretch of a time: halves of the bounds, as old servers have no function for it. */
function beginOf(seconds: Sql, bounds: readonly number[]): Sql {
  const between = (low: number, high: number): Sql => {
    if (high - low <= 1) return sql.call('toInt64', sql.number(bounds[low] ?? 0))
    const middle = (low + high) >>> 1
    const isBefore = sql.compare(seconds, '<', sql.number(bounds[middle] ?? 0))
    return sql.call('if', isBefore, between(low, middle), between(middle, high))
  }
  return between(0, bounds.length - 1)
}

function cellValue(selection: Selection, kind: LogKindName, by: string, ends: string | null): Sql {
  const { form, shown } = selection.cells(kind, by)
  const text = form === 'text' ? shown : sql.call('toString', shown)
  if (ends === null) return text
  const none = sql.array([sql.text('')])
  const entries = sql.call('arrayPopBack', sql.call('splitByChar', sql.text(ends), text))
  return sql.call('arrayJoin', sql.call('if', sql.compare(text, '=', sql.text('')), none, entries))
}

export function readSums({ bounds }: SumQuestion, rows: readonly sql.ReadRow[]): Sums {
  const indexes = new Map(bounds.slice(0, -1).map((bound, at) => [bound, at]))
  return {
    // Without anything to group by, a server sums no records as one row.
    rows: rows
      .filter(([, , records]) => Number(records) > 0)
      .map(([begin, value, records, ...sums]) => ({
        at: indexes.get(Number(begin)) ?? 0,
        value: String(value),
        records: Number(records),
        sums: sums.map(Number),
      })),
    isComplete: true,
  }
}
