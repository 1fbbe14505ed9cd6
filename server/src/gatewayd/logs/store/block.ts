// A block: some thousand records of one kind, column by column. In memory it is made of records or of other blocks; on the disk
// it is a row and its pieces (packed-block.ts).

import type { Cell } from '../../../core/contract/table-query.ts'
import { columnsOf, type LogKindName, noNumber, type StoredColumn } from '../../../domain/logs/kinds.ts'
import { type KeptRecord, maxMessage, type NewRecord } from '../../../domain/logs/record.ts'
import { type CellList, KnownCells } from './cell-list.ts'
import { type Codes, type Words, WordsBuilder } from './words.ts'

/** The first column, which has other pieces than words have. */
export const timeColumn = 'time'

export interface BlockRange {
  readonly kind: LogKindName
  readonly records: number
  /** Places of its first and its last record. */
  readonly first: number
  readonly last: number
  /** Microseconds of its oldest and of its newest record. */
  readonly oldest: number
  readonly newest: number
}

/** How a column of texts is looked through. */
export interface TextSearch {
  readonly needles: readonly Buffer[]
  /** For texts whose bytes do not decide. */
  readonly holds: (text: string) => boolean
}

export interface Block extends BlockRange {
  times(): Float64Array
  places(): Float64Array
  placeAt(at: number): number
  /** The index of the record of a place; -1 when it is not there. */
  indexOf(place: number): number
  /** The different cells of a column of words or numbers. */
  list(column: StoredColumn): CellList
  /** For each record the index of its cell in the list; null: all have the first. */
  codes(column: StoredColumn): Codes | null
  /** All of both. */
  words(column: StoredColumn): Words
  /** How many records have each of the entries; null where that costs more than counting. */
  counts(column: StoredColumn): Float64Array | null
  /** False: certainly no record has one of the cells. */
  mayHave(column: StoredColumn, cells: readonly Cell[]): boolean
  textAt(column: StoredColumn, at: number): string
  texts(column: StoredColumn): Iterable<string>
  /** Marks records whose text contains a needle. Those that are not among the given ones need not be looked at. */
  search(column: StoredColumn, search: TextSearch, among: Uint8Array | null): Uint8Array
}

export const emptyCell = ({ form }: StoredColumn): Cell => (form === 'number' ? noNumber : '')

/** Of a column in which all records have the same cell. */
export const constantWords = (cell: Cell): Words => ({ entries: [cell], codes: null })

export interface Columns {
  readonly kind: LogKindName
  readonly times: Float64Array
  readonly places: Float64Array
  readonly words: ReadonlyMap<string, Words>
  readonly texts: ReadonlyMap<string, readonly string[]>
}

const commonCells = {
  priority: ({ priority }: NewRecord) => priority,
  unit: ({ unit }: NewRecord) => unit,
  syslog_id: ({ syslogId }: NewRecord) => syslogId,
  message: ({ message }: NewRecord) => message,
} as const
export const isCommon = (name: string): name is keyof typeof commonCells => Object.hasOwn(commonCells, name)

/** A cell in the form of its column. */
export function cellIn({ form }: StoredColumn, cell: Cell | undefined): Cell {
  if (form === 'number') return typeof cell === 'number' && Number.isFinite(cell) ? cell : noNumber
  return typeof cell === 'string' ? cell : cell === undefined ? '' : String(cell)
}

function cellReader(column: StoredColumn): (record: NewRecord) => Cell {
  const { name } = column
  if (isCommon(name)) return (record) => cellIn(column, commonCells[name](record))
  return ({ fields }) => cellIn(column, fields[name])
}

/** Columns of records of one kind, in the order of their places. */
export function columnsFrom(kind: LogKindName, records: readonly NewRecord[], placesOf: readonly number[]): Columns {
  const { length } = records
  const times = Float64Array.from(records, ({ time }) => time)
  const places = Float64Array.from(placesOf)
  const words = new Map<string, Words>()
  const texts = new Map<string, readonly string[]>()
  for (const column of columnsOf(kind)) {
    if (column.name === timeColumn) continue
    const read = cellReader(column)
    if (column.form === 'text') {
      texts.set(
        column.name,
        records.map((record) => cleanText(String(read(record)))),
      )
      continue
    }
    const builder = new WordsBuilder(emptyCell(column), length)
    for (let at = 0; at < length; at++) builder.set(at, read(records[at] as NewRecord))
    words.set(column.name, builder.words(0, length))
  }
  return { kind, times, places, words, texts }
}

/** One after the other. */
export function joinBlocks(kind: LogKindName, blocks: readonly Block[]): Columns {
  const length = blocks.reduce((sum, { records }) => sum + records, 0)
  const times = new Float64Array(length)
  const places = new Float64Array(length)
  let offset = 0
  for (const block of blocks) {
    times.set(block.times(), offset)
    places.set(block.places(), offset)
    offset += block.records
  }
  const words = new Map<string, Words>()
  const texts = new Map<string, readonly string[]>()
  for (const column of columnsOf(kind)) {
    if (column.name === timeColumn) continue
    if (column.form === 'text')
      texts.set(
        column.name,
        blocks.flatMap((block) => [...block.texts(column)]),
      )
    else words.set(column.name, joinWords(blocks, column, length))
  }
  return { kind, times, places, words, texts }
}

function joinWords(blocks: readonly Block[], column: StoredColumn, length: number): Words {
  const known = new Map<Cell, number>()
  const entries: Cell[] = []
  const codes = new Uint16Array(length)
  let offset = 0
  for (const block of blocks) {
    const { entries: own, codes: ownCodes } = block.words(column)
    const codeOf = Uint16Array.from(own, (cell) => {
      const code = known.get(cell) ?? entries.length
      if (code === entries.length) {
        known.set(cell, code)
        entries.push(cell)
      }
      return code
    })
    if (ownCodes)
      for (let at = 0; at < block.records; at++) codes[offset + at] = codeOf[ownCodes[at] as number] as number
    else codes.fill(codeOf[0] as number, offset, offset + block.records)
    offset += block.records
  }
  return { entries, codes: entries.length > 1 ? codes : null }
}

/** The newest records, which are not in a block on the disk yet. */
export class MemoryBlock implements Block {
  readonly kind: LogKindName
  readonly records: number
  readonly first: number
  readonly last: number
  readonly oldest: number
  readonly newest: number
  readonly #columns: Columns

  constructor(columns: Columns) {
    const { kind, places, times } = columns
    this.kind = kind
    this.records = places.length
    this.first = places[0] ?? 0
    this.last = places.at(-1) ?? 0
    const [oldest, newest] = boundsOf(times)
    this.oldest = oldest
    this.newest = newest
    this.#columns = columns
  }

  times = (): Float64Array => this.#columns.times
  places = (): Float64Array => this.#columns.places
  words = (column: StoredColumn): Words => this.#columns.words.get(column.name) ?? constantWords(emptyCell(column))
  list = (column: StoredColumn): CellList => new KnownCells(this.words(column).entries)
  codes = (column: StoredColumn): Codes | null => this.words(column).codes
  placeAt = (at: number): number => this.places()[at] as number
  indexOf = (place: number): number => indexIn(this.places(), place)
  counts = (): null => null
  mayHave = (): boolean => true
  textAt = ({ name }: StoredColumn, at: number): string => this.#columns.texts.get(name)?.[at] ?? ''
  texts = ({ name }: StoredColumn): Iterable<string> => this.#columns.texts.get(name) ?? []

  search(column: StoredColumn, { holds }: TextSearch, among: Uint8Array | null): Uint8Array {
    const found = new Uint8Array(this.records)
    for (let at = 0; at < this.records; at++) {
      if (!among || among[at] === 1) found[at] = holds(this.textAt(column, at)) ? 1 : 0
    }
    return found
  }
}

/** The index of the first place that is higher. */
export function firstAbove(places: Float64Array, place: number): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((places[middle] as number) > place) high = middle
    else low = middle + 1
  }
  return low
}

/** -1 when it is not there. */
export function indexIn(places: Float64Array, place: number): number {
  const at = firstAbove(places, place - 1)
  return places[at] === place ? at : -1
}

export function boundsOf(values: Float64Array): [least: number, most: number] {
  let least = Infinity
  let most = -Infinity
  for (const value of values) {
    if (value < least) least = value
    if (value > most) most = value
  }
  return [least, most]
}

/** What the store keeps of a message: one line, never too long. */
export function cleanText(text: string): string {
  const short = text.length > maxMessage ? text.slice(0, maxMessage) : text
  return control.test(short) ? short.replaceAll(controls, ' ') : short
}

// Finds the same as \p{Cc}, which is far slower.
const control = /[^ -~\u00a0-\uffff]/
const controls = /\p{Cc}/gu

/** A record of a block, with all columns or those that are named. */
export function createRecordReader(block: Block, names: ReadonlySet<string> | null): (at: number) => KeptRecord {
  const times = block.times()
  const { kind } = block
  const columns = columnsOf(kind).filter(({ name }) => name !== timeColumn && (!names || names.has(name)))
  const readers = columns.map((column) => [column.name, readerOf(block, column)] as const)
  const common = new Map(readers)
  const fields = readers.filter(([name]) => !isCommon(name))
  const [priority, unit, syslogId, message] = ['priority', 'unit', 'syslog_id', 'message'].map((name) =>
    common.get(name),
  )
  return (at) => {
    const own: Record<string, Cell> = {}
    for (const [name, read] of fields) {
      const cell = read(at)
      if (cell !== '' && cell !== noNumber) own[name] = cell
    }
    return {
      kind,
      place: block.placeAt(at),
      time: times[at] as number,
      priority: Number(priority?.(at) ?? noNumber),
      unit: String(unit?.(at) ?? ''),
      syslogId: String(syslogId?.(at) ?? ''),
      message: String(message?.(at) ?? ''),
      fields: own,
    }
  }
}

function readerOf(block: Block, column: StoredColumn): (at: number) => Cell {
  if (column.form === 'text') return (at) => block.textAt(column, at)
  const [list, codes] = [block.list(column), block.codes(column)]
  if (codes) return (at) => list.at(codes[at] as number)
  const only = list.at(0)
  return () => only
}
