// Records as a view shows them.

import { type Cell, printStamp } from '../../core/contract/table-query.ts'
import { clockOffsets } from '../policy/schedule.ts'
import { noNumber, columnsOf as storedColumns } from './kinds.ts'
import type { KeptRecord } from './record.ts'
import { type Shown, spanOf, type View, type ViewColumn, type ViewScope } from './view.ts'

const microsecondsOf = (time: number): number => time - Math.floor(time / 1_000_000) * 1_000_000

type Show = (record: KeptRecord) => Cell | null

/** Makes what shows the records of a view. Records of other kinds, or left out by `only`, are the caller's business. */
export function showerOf(view: View, scope: ViewScope): (record: KeptRecord) => Shown {
  const offsetAt = clockOf(scope)
  const shows = Object.entries(view.columns).map(([name, column]) => [name, showOf(column, scope, offsetAt)] as const)
  return (record) => Object.fromEntries(shows.map(([name, show]) => [name, show(record)]))
}

function showOf(column: ViewColumn, scope: ViewScope, offsetAt: (seconds: number) => number): Show {
  switch (column.from) {
    case 'stamp':
      return ({ time }) => stampOf(time, offsetAt)
    case 'microseconds':
      return ({ time }) => microsecondsOf(time)
    case 'iso':
      return ({ time }) => new Date(Math.floor(time / 1000)).toISOString()
    case 'id':
      return ({ kind, place }) => `${kind}.${place}`
    case 'place':
      return ({ place }) => String(place)
    case 'constant':
      return () => column.cell
    case 'column':
      return (record) => shownCell(column, storedCell(record, column.column), scope)
    case 'span':
      return (record) =>
        spanOf(Number(storedCell(record, column.since)), Number(storedCell(record, column.until)), scope)
  }
}

/** There is one zone at a time. */
let lastClock: { readonly timeZone: string; readonly offsetAt: (unix: number) => number } = {
  timeZone: 'UTC',
  offsetAt: () => 0,
}

/** Seconds by which the clock of a scope is ahead of UTC. */
export function clockOf({ timeZone }: ViewScope): (seconds: number) => number {
  if (lastClock.timeZone !== timeZone) lastClock = { timeZone, offsetAt: clockOffsets(timeZone) }
  return lastClock.offsetAt
}

export function stampOf(time: number, offsetAt: (seconds: number) => number): number {
  const seconds = Math.floor(time / 1_000_000)
  return printStamp(seconds + offsetAt(seconds))
}

/** What a stored cell is shown as; the same for every record, so that a store can ask once for each different cell. */
export function shownCell(
  { words, otherwise, as }: Extract<ViewColumn, { from: 'column' }>,
  cell: Cell,
  scope: ViewScope,
): Cell | null {
  if (words && Object.hasOwn(words, String(cell))) return words[String(cell)] ?? null
  if (otherwise !== undefined) return otherwise
  if (as === 'stamp' && typeof cell === 'number') return printStamp(cell + clockOf(scope)(cell))
  return typeof cell === 'string' ? cell.replace('{brand}', scope.brand) : cell
}

const common: Readonly<Record<string, (record: KeptRecord) => Cell>> = {
  time: ({ time }) => time,
  priority: ({ priority }) => priority,
  unit: ({ unit }) => unit,
  syslog_id: ({ syslogId }) => syslogId,
  message: ({ message }) => message,
}

/** The cell of a stored column, with what stands for no value. */
export function storedCell(record: KeptRecord, name: string): Cell {
  const known = common[name]?.(record) ?? record.fields[name]
  if (known !== undefined) return known
  const form = storedColumns(record.kind).find((column) => column.name === name)?.form
  return form === 'number' ? noNumber : ''
}
