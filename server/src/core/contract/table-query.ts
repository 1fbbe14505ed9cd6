// Queries over journals: the parameters limit, offset, sort, search and filter, and what they mean for a row. Pure; areas
// supply the rows.

import type { Static, TObject } from 'typebox'
import { type SaidText, say } from '../../shared/said.ts'
import { GatewayError, type Problem } from './error.ts'
import { jsonQuery, named, oneOf, strictObject } from './fields.ts'
import { Type } from './schema.ts'

/** A query over a journal returns at most this many rows (docs/behaviour/security.md 35). */
export const maxRows = 10_000

/** What a query costs is its conditions times the rows there are, so both have a limit. A list of texts counts each of them. */
export const maxConditions = 100
/** More rows than any journal keeps. */
export const maxOffset = 1_000_000
const maxSortItems = 10

export const directions = ['asc', 'desc'] as const

export const filterOperators = [
  'contains',
  'not_contains',
  'contains_any',
  'not_contains_any',
  'equals',
  'not_equals',
  'greater',
  'greater_equal',
  'less',
  'less_equal',
  'range',
  'date_range',
] as const
export type FilterOperator = (typeof filterOperators)[number]

export const datePeriods = ['hour', 'today', 'yesterday', 'cur_week', 'prev_week', 'cur_month', 'prev_month'] as const
export type DatePeriod = (typeof datePeriods)[number]

/** Names of a column store; only whether a column is a text matters here. */
export interface Column {
  readonly name: string
  readonly type: 'String' | 'UInt8' | 'UInt32' | 'UInt64' | 'Int64'
}

export type Cell = string | number
export type Row = Readonly<Record<string, Cell>>

const FilterValue = Type.Array(Type.Union([Type.String({ maxLength: 255 }), Type.Integer(), Type.Boolean()]), {
  maxItems: 100,
})

export const sortQuery = <const T extends readonly string[]>(names: T) =>
  Type.Optional(
    jsonQuery(
      Type.Array(strictObject({ field: oneOf(names), direction: oneOf(directions) }), {
        maxItems: maxSortItems,
        description: 'Applied in the order of the list.',
      }),
    ),
  )

/** The parameters every journal takes, for its columns. */
export const journalQuery = <const T extends readonly string[]>(names: T) =>
  strictObject({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxRows, description: `Rows of the answer; ${maxRows} when absent.` }),
    ),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: maxOffset })),
    sort: sortQuery(names),
    search: Type.Optional(
      jsonQuery(
        Type.Array(
          strictObject({
            text: Type.String({ maxLength: 255 }),
            columns: Type.Union([
              Type.Array(oneOf(names), { minItems: 1, maxItems: names.length }),
              Type.Unsafe<T[number]>({ type: 'string', enum: [...names] }),
            ]),
          }),
          { maxItems: 20, description: 'Rows in which one of the columns contains the text; all entries must match.' },
        ),
      ),
    ),
    format_type: Type.Optional(oneOf(['JSON', 'CSV'], 'Form of the answer; JSON when absent.')),
    filter: Type.Optional(
      jsonQuery(
        Type.Array(
          strictObject({
            items: Type.Array(
              strictObject({
                column_name: oneOf(names),
                operator: oneOf(filterOperators),
                value: Type.Optional(FilterValue),
                values: Type.Optional(
                  Type.Unsafe<Static<typeof FilterValue>>({
                    ...FilterValue,
                    'x-synonym-of': 'value',
                    description: 'The same as value.',
                  }),
                ),
              }),
              { maxItems: 50 },
            ),
            link_operator: Type.Optional(oneOf(['and', 'or'], 'What joins the items; and when absent.')),
          }),
          {
            maxItems: 20,
            description: `All entries must match. Filter and search together have at most ${maxConditions} conditions.`,
          },
        ),
      ),
    ),
  })

export interface JournalQuery {
  readonly limit?: number
  readonly offset?: number
  readonly sort?: readonly SortItem[]
  readonly search?: readonly { readonly text: string; readonly columns: readonly string[] | string }[]
  readonly filter?: readonly { readonly items: readonly FilterItem[]; readonly link_operator?: 'and' | 'or' }[]
}

export interface SortItem {
  readonly field: string
  readonly direction: 'asc' | 'desc'
}

type FilterValues = readonly (string | number | boolean)[]

interface FilterItem {
  readonly column_name: string
  readonly operator: FilterOperator
  readonly value?: FilterValues
  readonly values?: FilterValues
}

export const MetaColumn = named('JournalColumn', strictObject({ name: Type.String(), type: Type.String() }))

/** `rows_before_limit_at_least` is absent when neither limit nor offset was sent. */
export const journalReply = <T extends TObject>(record: T) =>
  strictObject({
    meta: Type.Array(MetaColumn, { description: 'The columns and their types.' }),
    data: Type.Array(record),
    rows: Type.Integer({ description: 'Records in data.' }),
    rows_before_limit_at_least: Type.Optional(
      Type.Integer({ description: 'Records there are without limit and offset.' }),
    ),
  })

/** What a row must fulfil, as data: it can be sent to the thread that has the rows, and becomes a test of them there. */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  /** The cell contains one of the texts, which are in lower case; its own case does not matter. */
  | { readonly kind: 'contains'; readonly column: string; readonly texts: readonly string[] }
  | { readonly kind: 'equals'; readonly column: string; readonly cells: readonly Cell[] }
  | { readonly kind: 'compare'; readonly column: string; readonly operator: Comparison; readonly bound: Cell }

export type Comparison = '<' | '<=' | '>' | '>='

type Test = (row: Row) => boolean

/** A query over rows: which of them, in which order. */
export interface ReadQuery {
  readonly where: Condition
  readonly order: readonly SortItem[]
  readonly matches: Test
  readonly compare: (a: Row, b: Row) => number
}

/** `clockSeconds`: now, as seconds of a clock that shows the gateway's own time and knows no zones. */
export function readJournalQuery(
  columns: readonly Column[],
  query: JournalQuery,
  defaultSort: readonly SortItem[],
  clockSeconds: number,
): ReadQuery {
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const problems: Problem[] = []
  const filters = (query.filter ?? []).map(({ items, link_operator }, at): Condition => {
    const conditions = items.map((item, index): Condition => {
      const field = `filter[${at}].items[${index}]`
      const { value, values } = item
      if (value && values)
        problems.push({ field: `${field}.values`, message: say`Only one of value and values may be given.` })
      const read = conditionOf(item, value ?? values ?? [], types.get(item.column_name) === 'String', clockSeconds)
      if (typeof read !== 'string') return read
      problems.push({ field: `${field}.${value || !values ? 'value' : 'values'}`, message: read })
      return all()
    })
    return link_operator === 'or' && conditions.length > 0 ? { kind: 'any', of: conditions } : all(...conditions)
  })
  if (problems.length > 0) throw new GatewayError('invalid', say`The filter is invalid.`, { problems })
  const searches = (query.search ?? []).map(
    ({ text, columns: names }): Condition => ({
      kind: 'any',
      of: [names].flat().map((column) => ({ kind: 'contains', column, texts: [text.toLowerCase()] })),
    }),
  )
  refuseCostly('filter', filters, 0)
  refuseCostly('search', searches, costOf(all(...filters)))
  return queryOf(all(...filters, ...searches), [...(query.sort ?? []), ...defaultSort])
}

/** What was read of a query, from its parts that are data: they can be sent to another thread. */
export const queryOf = (where: Condition, order: readonly SortItem[]): ReadQuery => ({
  where,
  order,
  matches: testOf(where, createFolder()),
  compare: comparison(order),
})

/** Texts that are looked for, and comparisons; a list of values to be equal to is one look into a set. */
export function costOf(condition: Condition): number {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.reduce((sum, one) => sum + costOf(one), 0)
    case 'not':
      return costOf(condition.of)
    case 'contains':
      return condition.texts.length
    default:
      return 1
  }
}

function refuseCostly(field: string, conditions: readonly Condition[], before: number): void {
  let cost = before
  for (const [index, condition] of conditions.entries()) {
    cost += costOf(condition)
    if (cost <= maxConditions) continue
    const message = say`A query has at most ${maxConditions} conditions; each text to look for is one. Ask for less at once.`
    throw new GatewayError('invalid', message, { problems: [{ field: `${field}[${index}]`, message }] })
  }
}

export const all = (...of: readonly Condition[]): Condition => ({ kind: 'all', of })

type Folder = (row: Row, column: string) => string

/** Cells in lower case. Most often many texts are looked for in one column of a row. */
function createFolder(): Folder {
  let last: { readonly row: Row; readonly column: string; readonly text: string } | null = null
  return (row, column) => {
    if (last?.row === row && last.column === column) return last.text
    const text = String(row[column] ?? '').toLowerCase()
    last = { row, column, text }
    return text
  }
}

function testOf(condition: Condition, folded: Folder): Test {
  const testsOf = (of: readonly Condition[]): Test[] => of.map((one) => testOf(one, folded))
  switch (condition.kind) {
    case 'all': {
      const tests = testsOf(condition.of)
      return (row) => tests.every((test) => test(row))
    }
    case 'any': {
      const tests = testsOf(condition.of)
      return (row) => tests.some((test) => test(row))
    }
    case 'not': {
      const test = testOf(condition.of, folded)
      return (row) => !test(row)
    }
    case 'contains':
      return (row) => {
        const text = folded(row, condition.column)
        return condition.texts.some((wanted) => text.includes(wanted))
      }
    case 'equals': {
      const cells = new Set(condition.cells)
      return (row) => cells.has(row[condition.column] ?? '')
    }
    case 'compare': {
      const holds = comparisons[condition.operator]
      return (row) => holds(row[condition.column] ?? '', condition.bound)
    }
  }
}

const comparisons: Readonly<Record<Comparison, (cell: Cell, bound: Cell) => boolean>> = {
  '<': (cell, bound) => cell < bound,
  '<=': (cell, bound) => cell <= bound,
  '>': (cell, bound) => cell > bound,
  '>=': (cell, bound) => cell >= bound,
}

export function comparison(order: readonly SortItem[]): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const { field, direction } of order) {
      const [one, other] = [a[field] ?? '', b[field] ?? '']
      if (one === other) continue
      return one < other === (direction === 'asc') ? -1 : 1
    }
    return 0
  }
}

/** What is asked, or what is wrong with the values. */
function conditionOf(
  item: FilterItem,
  values: FilterValues,
  isText: boolean,
  clockSeconds: number,
): Condition | SaidText {
  const { column_name: column, operator } = item
  if (values.length === 0) return say`Must contain at least one value.`
  if (operator === 'date_range') return isText ? notForText : dateCondition(column, values, clockSeconds)
  if (operator.includes('contains')) {
    const contains = { kind: 'contains', column, texts: values.map((value) => String(value).toLowerCase()) } as const
    return operator.startsWith('not_') ? { kind: 'not', of: contains } : contains
  }
  const read = values.map((value) => (isText ? String(value) : numberOf(value)))
  if (read.includes(null)) return say`Must be numbers: the column contains numbers.`
  const cells = read as Cell[]
  switch (operator) {
    case 'equals':
      return { kind: 'equals', column, cells }
    case 'not_equals':
      return { kind: 'not', of: { kind: 'equals', column, cells } }
    case 'range':
      return rangeCondition(column, cells)
    default:
      return cells.length === 1
        ? { kind: 'compare', column, operator: signs[operator as keyof typeof signs], bound: cells[0] ?? '' }
        : say`Must be exactly one value.`
  }
}

const signs = { greater: '>', greater_equal: '>=', less: '<', less_equal: '<=' } as const

const notForText = say`A date range works only on a column of dates.`

const between = (column: string, low: Cell, operator: '<' | '<=', high: Cell): Condition =>
  all({ kind: 'compare', column, operator: '>=', bound: low }, { kind: 'compare', column, operator, bound: high })

/** Both ends belong to a range (docs/behaviour/tables.md 2). */
function rangeCondition(column: string, [low, high, ...rest]: readonly Cell[]): Condition | SaidText {
  if (low === undefined || high === undefined || rest.length > 0) return say`Must be exactly two values.`
  return between(column, low, '<=', high)
}

/** Left end included, right one not. */
function dateCondition(column: string, values: FilterValues, clockSeconds: number): Condition | SaidText {
  const [first, second, ...rest] = values
  if (rest.length > 0) return say`Must be two dates, or the name of a period.`
  if (second === undefined) {
    const period = datePeriods.find((known) => known === first)
    if (!period) return say`Must be two dates, or one of: ${datePeriods.join(', ')}.`
    const [from, until] = periodBounds(period, clockSeconds)
    return between(column, from, '<', until)
  }
  const [from, until] = [stampOf(first), stampOf(second)]
  if (from === null || until === null) return say`Must be dates written as YYYYMMDDhhmmss.`
  return between(column, from, '<', until)
}

const numberOf = (value: string | number | boolean): number | null => {
  if (typeof value === 'string') return /^-?\d{1,15}$/.test(value) ? Number(value) : null
  return Number(value)
}

const stampOf = (value: string | number | boolean | undefined): number | null =>
  /^\d{14}$/.test(String(value)) ? Number(value) : null

const daySeconds = 86_400

let lastDay = { day: Number.NaN, stamp: 0 }

/** The number YYYYMMDDhhmmss of a clock without zones. Records come day by day, so the date is worked out once. */
export function printStamp(clockSeconds: number): number {
  const day = Math.floor(clockSeconds / daySeconds)
  if (day !== lastDay.day) {
    const date = new Date(day * daySeconds * 1000)
    lastDay = { day, stamp: (date.getUTCFullYear() * 100 + date.getUTCMonth() + 1) * 100 + date.getUTCDate() }
  }
  const second = Math.floor(clockSeconds) - day * daySeconds
  const time = Math.floor(second / 3600) * 10_000 + (Math.floor(second / 60) % 60) * 100 + (second % 60)
  return lastDay.stamp * 1_000_000 + time
}

/** Weeks begin on Monday. */
export function periodBounds(period: DatePeriod, clockSeconds: number): readonly [from: number, until: number] {
  const now = new Date(clockSeconds * 1000)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const today = Math.floor(clockSeconds / daySeconds) * daySeconds
  const week = today - ((now.getUTCDay() + 6) % 7) * daySeconds
  const monthStart = (shift: number): number => Date.UTC(year, month + shift, 1) / 1000
  const bounds: Readonly<Record<DatePeriod, readonly [number, number]>> = {
    hour: [clockSeconds - 3600, clockSeconds + 1],
    today: [today, today + daySeconds],
    yesterday: [today - daySeconds, today],
    cur_week: [week, week + 7 * daySeconds],
    prev_week: [week - 7 * daySeconds, week],
    cur_month: [monthStart(0), monthStart(1)],
    prev_month: [monthStart(-1), monthStart(0)],
  }
  const [from, until] = bounds[period]
  return [printStamp(from), printStamp(until)]
}
