// What the cells of a view are in SQL, for the records of one kind, and how they are compared. Cells that do not depend on a
// record are judged here, by the same test as everywhere else.

import { type Cell, type Condition, queryOf } from '../../../core/contract/table-query.ts'
import { columnsOf, type LogKindName, noNumber } from '../../../domain/logs/kinds.ts'
import type { ViewColumn, ViewScope } from '../../../domain/logs/view.ts'
import { parseMoment } from '../../../domain/policy/schedule.ts'
import * as sql from './clickhouse.ts'
import { foldedCells, foldedNames, formOf } from './schema.ts'

type Sql = sql.Sql
export type Leaf = Extract<Condition, { readonly column: string }>
type Comparison = Extract<Condition, { kind: 'compare' }>['operator']

/** The cells of a column. */
export interface Cells {
  readonly form: sql.ReadForm
  /** As shown; an empty text in a column of numbers is 0. */
  readonly shown: Sql
  readonly holds: (leaf: Leaf) => Sql
}

const time = sql.name('time')
const place = sql.name('place')
const seconds = sql.call('toDateTime', sql.call('intDiv', time, sql.number(1_000_000)))
const daySeconds = 86_400

/** The cell of a stored column; '' where the kind does not have it. */
export const storedForm = (kind: LogKindName, column: string): sql.ReadForm | null => {
  const stored = columnsOf(kind).find(({ name }) => name === column)
  return stored ? formOf(stored) : null
}

export function cellsOf(kind: LogKindName, column: ViewColumn, scope: ViewScope): Cells {
  switch (column.from) {
    case 'stamp':
      return stampCells(scope.timeZone)
    case 'microseconds':
      return numberCells(sql.call('toInt64', sql.call('modulo', time, sql.number(1_000_000))))
    case 'iso':
      return isoCells()
    case 'id':
      return placeCells(sql.call('concat', sql.text(`${kind}.`), sql.call('toString', place)), `${kind}.`)
    case 'place':
      return placeCells(sql.call('toString', place), '')
    case 'constant':
      return constantCells(column.cell)
    case 'column':
      return columnCells(kind, column, scope)
    case 'span':
      return spanCells(column, scope)
  }
}

function spanCells({ since, until }: Extract<ViewColumn, { from: 'span' }>, { now }: ViewScope): Cells {
  const [begin, end] = [sql.name(since), sql.name(until)]
  const isOpen = sql.compare(end, '=', sql.number(noNumber))
  const last = sql.call('if', isOpen, now === undefined ? begin : sql.call('toInt64', sql.number(now)), end)
  return numberCells(sql.call('toInt64', sql.call('minus', last, begin)))
}

/** Of Unix seconds. */
const stampSql = (secondsSql: Sql, timeZone: string): Sql =>
  sql.call('toInt64', sql.call('toYYYYMMDDhhmmss', sql.call('toDateTime', secondsSql), sql.text(timeZone)))

/** What the test of all journals says of a cell. */
const judge = (leaf: Leaf, cell: Cell | null): boolean =>
  queryOf({ ...leaf, column: 'cell' }, []).matches({ cell: cell ?? '' })

const constantCells = (cell: Cell): Cells => ({
  form: typeof cell === 'number' ? 'number' : 'text',
  shown: typeof cell === 'number' ? sql.call('toInt64', sql.number(cell)) : sql.text(cell),
  holds: (leaf) => sql.literal(judge(leaf, cell)),
})

const numberCells = (shown: Sql): Cells => ({
  form: 'number',
  shown,
  holds: (leaf) => {
    switch (leaf.kind) {
      case 'contains':
        return containsOne(sql.call('toString', shown), leaf.texts)
      case 'equals':
        return sql.isOneOf(shown, numbersOf(leaf.cells))
      case 'compare':
        return compareNumber(shown, leaf.operator, Number(leaf.bound))
    }
  },
})

const compareNumber = (shown: Sql, operator: Comparison, bound: number): Sql =>
  Number.isNaN(bound) ? sql.literal(false) : sql.compare(shown, operator, sql.number(bound))

const numbersOf = (cells: readonly Cell[]): Sql[] => cells.filter(Number.isSafeInteger).map(sql.cell)

/** `lower`: the same in lower case. `equalTo`: which stored texts are shown as this one. */
const textCells = (shown: Sql, lower: Sql, equals: (texts: readonly string[]) => Sql): Cells => ({
  form: 'text',
  shown,
  holds: (leaf) => {
    switch (leaf.kind) {
      case 'contains':
        return containsOne(lower, leaf.texts)
      case 'equals':
        return equals(leaf.cells.filter((cell) => typeof cell === 'string'))
      case 'compare':
        return sql.compare(shown, leaf.operator, sql.text(String(leaf.bound)))
    }
  },
})

const containsOne = (lower: Sql, texts: readonly string[]): Sql =>
  texts.includes('')
    ? sql.literal(true)
    : sql.or(texts.map((text) => sql.compare(sql.call('position', lower, sql.text(text)), '>', sql.number(0))))

/** The server keeps records by time, so a bound of the clock also becomes one of the time, a day wider than any zone. */
function stampCells(timeZone: string): Cells {
  const shown = stampSql(sql.call('intDiv', time, sql.number(1_000_000)), timeZone)
  const cells = numberCells(shown)
  const near = (stamp: Cell, isLow: boolean): Sql => {
    const clock = parseMoment(Number(stamp))
    if (clock === null) return sql.literal(true)
    const bound = (clock + (isLow ? -daySeconds : daySeconds)) * 1_000_000
    return sql.compare(time, isLow ? '>=' : '<', sql.number(bound))
  }
  return {
    ...cells,
    holds: (leaf) => {
      if (leaf.kind === 'contains') return cells.holds(leaf)
      if (leaf.kind === 'compare') return sql.and([near(leaf.bound, leaf.operator.startsWith('>')), cells.holds(leaf)])
      return sql.or(
        leaf.cells.map((cell) =>
          sql.and([near(cell, true), near(cell, false), cells.holds({ ...leaf, cells: [cell] })]),
        ),
      )
    },
  }
}

const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

function isoCells(): Cells {
  const milliseconds = sql.call('modulo', sql.call('intDiv', time, sql.number(1000)), sql.number(1000))
  const digits = sql.call(
    'substring',
    sql.call('toString', sql.call('plus', milliseconds, sql.number(1000))),
    sql.number(2),
  )
  const written = sql.call('formatDateTime', seconds, sql.text('%Y-%m-%dT%H:%M:%S.'), sql.text('UTC'))
  const shown = sql.call('concat', sql.call('concat', written, digits), sql.text('Z'))
  const cells = textCells(shown, sql.call('lower', shown), (texts) => sql.or(texts.map((text) => equal(text))))
  const first = (text: string): number | null => {
    const found = isoForm.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(found) || new Date(found).toISOString() !== text ? null : found * 1000
  }
  const equal = (text: string): Sql => {
    const from = first(text)
    if (from === null) return sql.literal(false)
    return sql.and([sql.compare(time, '>=', sql.number(from)), sql.compare(time, '<', sql.number(from + 1000))])
  }
  return {
    ...cells,
    holds: (leaf) => {
      const from = leaf.kind === 'compare' ? first(String(leaf.bound)) : null
      if (leaf.kind !== 'compare' || from === null) return cells.holds(leaf)
      const isAfter = leaf.operator === '>' || leaf.operator === '<='
      return sql.compare(time, leaf.operator.startsWith('>') ? '>=' : '<', sql.number(isAfter ? from + 1000 : from))
    },
  }
}

function placeCells(shown: Sql, before: string): Cells {
  const placesOf = (texts: readonly string[]): Sql[] =>
    texts
      .filter((text) => text.startsWith(before) && /^[1-9]\d{0,15}$/.test(text.slice(before.length)))
      .map((text) => sql.number(Number(text.slice(before.length))))
  return textCells(shown, shown, (texts) => sql.isOneOf(place, placesOf(texts)))
}

function columnCells(kind: LogKindName, column: Extract<ViewColumn, { from: 'column' }>, scope: ViewScope): Cells {
  const form = storedForm(kind, column.column)
  const words = Object.entries(column.words ?? {})
  if (form === null) {
    const word = column.words?.['']
    return constantCells(word === undefined ? (column.otherwise ?? '') : (word ?? ''))
  }
  const stored = sql.name(column.column)
  const shownNumber = column.as === 'stamp' ? stampSql(stored, scope.timeZone) : stored
  const plain = form === 'number' ? numberCells(shownNumber) : brandedCells(stored, column.column, scope.brand)
  const rest = column.otherwise === undefined ? plain : constantCells(column.otherwise)
  if (words.length === 0) return rest
  const keyOf = (key: string): Sql => (form === 'number' ? sql.number(Number(key)) : sql.text(key))
  const shownForm = rest.form === 'number' && words.every(([, cell]) => typeof cell !== 'string') ? 'number' : 'text'
  const inForm = (cells: Cells): Sql => (cells.form === shownForm ? cells.shown : sql.call('toString', cells.shown))
  return {
    form: shownForm,
    shown: words.reduce(
      (other, [key, cell]) =>
        sql.call(
          'if',
          sql.compare(stored, '=', keyOf(key)),
          inForm(constantCells(cell ?? (shownForm === 'number' ? 0 : ''))),
          other,
        ),
      inForm(rest),
    ),
    holds: (leaf) =>
      sql.or([
        sql.isOneOf(
          stored,
          words.filter(([, cell]) => judge(leaf, cell)).map(([key]) => keyOf(key)),
        ),
        sql.and([
          sql.not(
            sql.isOneOf(
              stored,
              words.map(([key]) => keyOf(key)),
            ),
          ),
          rest.holds(leaf),
        ]),
      ]),
  }
}

const mark = '{brand}'
/** Where the mark is in a text in lower case. No such text has a capital. */
export const foldedMark = '{Brand}'

function brandedCells(stored: Sql, column: string, brand: string): Cells {
  const low = sql.text(brand.toLowerCase())
  const folded = sql.call(
    'arrayElement',
    sql.name(foldedCells),
    sql.call('indexOf', sql.name(foldedNames), sql.text(column)),
  )
  const lower = sql.call(
    'if',
    sql.call('has', sql.name(foldedNames), sql.text(column)),
    sql.call('replaceOne', folded, sql.text(foldedMark), low),
    sql.call('lower', sql.call('replaceOne', stored, sql.text(mark), low)),
  )
  return textCells(sql.call('replaceOne', stored, sql.text(mark), sql.text(brand)), lower, (texts) =>
    sql.isOneOf(stored, texts.flatMap((text) => storedAs(text, brand)).map(sql.text)),
  )
}

/** The stored texts that are shown as this one. */
function storedAs(text: string, brand: string): string[] {
  const candidates = [text]
  for (let at = text.indexOf(brand); at >= 0; at = text.indexOf(brand, at + 1)) {
    candidates.push(text.slice(0, at) + mark + text.slice(at + brand.length))
  }
  return candidates.filter((one) => one.replace(mark, brand) === text)
}

/** A text in lower case where the server's own is not enough; null where it is. */
export function foldedOf(text: string): string | null {
  if (Buffer.byteLength(text) === text.length) return null
  const at = text.indexOf(mark)
  if (at < 0) return text.toLowerCase()
  return text.slice(0, at).toLowerCase() + foldedMark + text.slice(at + mark.length).toLowerCase()
}
