// Columns of a grid from the declaration of a page and the schema of its rows, and the search over them. Pure.

import { compareTexts } from '../util/address.ts'
import type { Collection, ColumnSpec, Item } from './define.ts'
import { rowSchema, rowsOfSchema } from './plan.ts'
import { type FormField, formFields, type Schema } from './schema.ts'
import { type Speaking, valueText } from './values.ts'

export interface ShownColumn {
  readonly id: string
  readonly spec: ColumnSpec
  /** The field of the row, where the column is one. */
  readonly field: FormField | null
  readonly isExtra: boolean
}

const asSpec = (column: string | ColumnSpec): ColumnSpec => (typeof column === 'string' ? { id: column } : column)

/** The declared columns, then every other field of a row as one that can be chosen. */
export function columnsOf(
  collection: Pick<Collection, 'endpoints' | 'rowsIn' | 'columns' | 'fields' | 'idField' | 'states'>,
): readonly ShownColumn[] {
  const own = formFields(rowSchema(collection), collection.fields)
  const names = new Set(own.map(({ name }) => name))
  const states = collection.states
    ? formFields(rowsOfSchema(collection.states.endpoint.reply as Schema | null, undefined), collection.fields)
    : []
  const added = states.filter(({ name }) => !names.has(name))
  const declared = [...collection.columns, ...added.map(({ name }) => name)]
  return columnsFrom(declared, [...own, ...added], collection.idField ?? 'id')
}

export function columnsFrom(
  declared: readonly (string | ColumnSpec)[],
  fields: readonly FormField[],
  idField: string,
): readonly ShownColumn[] {
  const own = declared.map(asSpec).map((spec) => ({
    id: spec.id,
    spec,
    field: fields.find(({ name }) => name === spec.id) ?? null,
    isExtra: spec.isExtra === true,
  }))
  const named = new Set(own.map(({ id }) => id))
  const extra = fields
    .filter(({ name, kind }) => !named.has(name) && name !== idField && kind !== 'json')
    .map((field) => ({ id: field.name, spec: { id: field.name }, field, isExtra: true }))
  return [...own, ...extra]
}

export function columnText({ spec, field }: ShownColumn, row: Item, speaking: Speaking): string {
  if (spec.text) return spec.text(row)
  const value = row[spec.id]
  return field
    ? valueText(value, field.schema, field.spec, speaking)
    : value === null || value === undefined
      ? ''
      : String(value)
}

const widths: Readonly<Record<string, number>> = { switch: 84, number: 88, bytes: 88, radio: 104, select: 120 }

const isTitle = (id: string): boolean => /^(name|title|login|recipient|domain|description)$/.test(id)

/** The column that takes the room that the others leave: the comment, else the title, else the last one. */
export function restColumn(columns: readonly ShownColumn[]): string | undefined {
  const free = columns.filter(({ spec }) => spec.width === undefined)
  if (columns.some(({ spec }) => spec.width === 'rest')) return undefined
  return (free.find(({ id }) => id === 'comment') ?? free.find(({ id }) => isTitle(id)) ?? free.at(-1))?.id
}

export function widthOf({ id, spec, field }: ShownColumn, rest: string | undefined): number | 'rest' {
  if (spec.width !== undefined) return spec.width
  if (id === rest) return 'rest'
  if (field?.schema['x-time']) return 128
  if (field && widths[field.kind] !== undefined) return widths[field.kind] ?? 128
  if (field?.kind === 'objects' || field?.kind === 'lines' || field?.kind === 'chips') return 168
  if (/country|code$/.test(id)) return 88
  if (/(^|_)mac$/.test(id)) return 160
  return isTitle(id) ? 168 : 136
}

/** Rows with the fields of their states; what a row says itself stays. */
export function withStates(
  rows: readonly Item[],
  states: readonly Item[],
  idField: string,
  stateId: string,
): readonly Item[] {
  if (states.length === 0) return rows
  const byId = new Map(states.map((state) => [String(state[stateId]), state]))
  return rows.map((row) => ({ ...byId.get(String(row[idField])), ...row }))
}

/** All words must be in the row, in any column and any case. */
export const isFound = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word))

export const wordsOf = (query: string): readonly string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

export function compareRows(column: ShownColumn, speaking: Speaking): (a: Item, b: Item) => number {
  return (a, b) => {
    const [one, other] = [a[column.id], b[column.id]]
    if (typeof one === 'number' && typeof other === 'number' && !column.spec.text) return one - other
    return compareTexts(columnText(column, a, speaking), columnText(column, b, speaking), speaking.language)
  }
}

/** `name` and `-name` of the address. */
export const readSort = (text: string | undefined): { readonly id: string; readonly isDown: boolean } | null => {
  if (text === undefined || text === '') return null
  return text.startsWith('-') ? { id: text.slice(1), isDown: true } : { id: text, isDown: false }
}

export const writeSort = (sort: { readonly id: string; readonly isDown: boolean } | null): string | null =>
  sort === null ? null : `${sort.isDown ? '-' : ''}${sort.id}`
