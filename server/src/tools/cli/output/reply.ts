// Prints replies: a list of objects as a table, a page of a journal too, an object as names with values, anything else as it is.

import { listFields, type Schema } from '../contract/schema.ts'
import { showPairs, showTable } from './table.ts'
import type { Terminal } from './terminal.ts'
import { escapeText, showJson } from './text.ts'

type Row = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** One value on one line; sentences follow each other as such. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'string') return value
  if (Array.isArray(value) && !value.some((entry) => typeof entry === 'object' && entry !== null)) {
    const words = value.map(showValue)
    return words.join(words.every((word) => word.endsWith('.')) ? ' ' : ', ')
  }
  return showJson(value)
}

export function printReply(value: unknown, terminal: Terminal, schema: Schema = {}): void {
  if (value === undefined) return
  if (Array.isArray(value)) printList(value, terminal, schema)
  else if (isPage(value)) printPage(value, terminal, schema)
  else if (isObject(value)) terminal.out(showPairs(flatten(value), terminal))
  else terminal.out(`${escapeText(showValue(value))}\n`)
}

/** How journals answer: some of their records, and how many there are. */
interface Page {
  readonly data: readonly unknown[]
  readonly rows: number
  readonly rows_before_limit_at_least?: number
}

const isPage = (value: unknown): value is Page =>
  isObject(value) && Array.isArray(value.data) && typeof value.rows === 'number'

function printPage(page: Page, terminal: Terminal, schema: Schema): void {
  printList(page.data, terminal, schema.properties?.data)
  const all = page.rows_before_limit_at_least ?? page.rows
  if (all > page.rows) terminal.note(`${page.rows} of ${all} records.\n`)
}

function printList(values: readonly unknown[], terminal: Terminal, schema: Schema = {}): void {
  if (values.length === 0) terminal.note('The list is empty.\n')
  else if (values.every(isObject)) terminal.out(showTable(tableOf(values, columnsOf(values, schema)), terminal))
  else terminal.out(values.map((value) => `${escapeText(showValue(value))}\n`).join(''))
}

/** In the order of the contract; fields it does not know come last, and those that repeat another one are left out. */
function columnsOf(rows: readonly Row[], schema: Schema): string[] {
  const properties = schema.items?.properties ?? {}
  const declared = Object.keys(properties)
  const isRepeated = (name: string): boolean => properties[name]?.['x-synonym-of'] !== undefined
  const present = new Set(rows.flatMap((row) => Object.keys(row)).filter((name) => !isRepeated(name)))
  return [...declared.filter((name) => present.has(name)), ...[...present].filter((name) => !declared.includes(name))]
}

export const tableOf = (rows: readonly Row[], columns: readonly string[]) => ({
  columns,
  rows: rows.map((row) => columns.map((column) => showValue(row[column]))),
})

/** Objects inside objects become names with dots, as they are typed in a change. */
function flatten(object: Row, prefix = ''): [string, string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] =>
    isObject(value) && Object.keys(value).length > 0
      ? flatten(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, showValue(value)]],
  )
}

/** For help: the fields a reply has. */
export const replyFields = (schema: Schema): string[] => listFields(schema.items ?? schema).map((field) => field.name)
