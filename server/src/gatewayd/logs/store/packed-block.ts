// Blocks on the disk: one row and the pieces of its columns. A piece is read when it is first needed, and those that are needed
// often stay in memory.

import type { Cell } from '../../../core/contract/table-query.ts'
import type { LogKindName, StoredColumn } from '../../../domain/logs/kinds.ts'
import { columnsOf } from '../../../domain/logs/kinds.ts'
import {
  type Block,
  type BlockRange,
  boundsOf,
  type Columns,
  constantWords,
  emptyCell,
  indexIn,
  type TextSearch,
  timeColumn,
} from './block.ts'
import { type CellList, KnownCells, NumberCells, SlicedCells, WordCells } from './cell-list.ts'
import { DamagedPieceError, expand, packNumbers, unpackNumbers } from './pieces.ts'
import {
  brandMark,
  type Capitals,
  emptyFrame,
  type Frame,
  gramBytes,
  markContaining,
  mayContain,
  type PackedFrame,
  packFrame,
  readText,
  readTexts,
  unpackCapitals,
  unpackFrame,
} from './texts.ts'
import {
  type Codes,
  mayHave,
  packWords,
  type Slices,
  unpackCodes,
  unpackCounts,
  unpackSlices,
  type Words,
} from './words.ts'

/** The key of a piece is the number of its block, the index of its column and its part. */
const partsPerColumn = 256
const columnsPerBlock = 256
const parts = {
  entries: 0,
  codes: 1,
  counts: 2,
  filter: 3,
  grams: 4,
  /** How many entries there are in each slice, where they are in slices. */
  slices: 5,
  times: 0,
  places: 1,
  frames: 8,
  firstSlice: 8,
  capitals: 128,
} as const
const mostFrames = parts.capitals - parts.frames

export const firstKeyOf = (block: number): number => block * columnsPerBlock * partsPerColumn
const keyOf = (block: number, column: number, part: number): number =>
  firstKeyOf(block) + column * partsPerColumn + part

/** Whether it is the key of a filter, which is not compressed. */
export function isFilter(key: number): boolean {
  const part = key % partsPerColumn
  return part === parts.filter || part === parts.grams
}

export interface BlockRow extends BlockRange {
  readonly id: number
  /** The names of its columns when it was made. */
  readonly columns: readonly string[]
  readonly frameRecords: number
  readonly bytes: number
}

export interface PackedBlock {
  readonly row: Omit<BlockRow, 'id'>
  /** By the index of their column and their part. */
  readonly pieces: readonly { readonly offset: number; readonly bytes: Buffer }[]
}

/** Columns whose texts are in frames. */
export interface PackableBlock extends Omit<Columns, 'texts'> {
  readonly frames: ReadonlyMap<string, readonly PackedFrame[]>
}

export function framed({ texts, ...columns }: Columns, frameRecords: number): PackableBlock {
  const frames = [...texts].map(([name, own]) => {
    const count = Math.ceil(own.length / frameRecords)
    const packed = Array.from({ length: count }, (_, frame) =>
      packFrame(own.slice(frame * frameRecords, (frame + 1) * frameRecords)),
    )
    return [name, packed] as const
  })
  return { ...columns, frames: new Map(frames) }
}

/** `isWhole`: it stays as it is, so that filters are worth their room. */
export function packBlock(columns: PackableBlock, frameRecords: number, isWhole: boolean): PackedBlock {
  const { kind, times, places, words, frames } = columns
  const names = columnsOf(kind).map(({ name }) => name)
  const pieces: { offset: number; bytes: Buffer }[] = []
  const put = (column: number, part: number, bytes: Buffer | null): void => {
    if (bytes) pieces.push({ offset: keyOf(0, column, part), bytes })
  }
  for (const [index, column] of columnsOf(kind).entries()) {
    if (column.name === timeColumn) {
      put(index, parts.times, packNumbers(times))
      put(index, parts.places, packNumbers(places))
    } else if (column.form === 'text') {
      const own = frames.get(column.name) ?? []
      if (own.length > mostFrames) throw new Error('a block has too many frames')
      for (const [frame, { bytes, capitals }] of own.entries()) {
        put(index, parts.frames + frame, bytes)
        put(index, parts.capitals + frame, capitals)
      }
      if (isWhole) put(index, parts.grams, Buffer.concat(own.map(({ grams }) => grams)))
    } else {
      const own = words.get(column.name)
      // A column that is empty everywhere takes no room.
      if (!own || (own.entries.length === 1 && own.entries[0] === emptyCell(column))) continue
      const packed = packWords(own, isWhole)
      put(index, packed.slices ? parts.slices : parts.entries, packed.entries)
      for (const [slice, bytes] of (packed.slices ?? []).entries()) put(index, parts.firstSlice + slice, bytes)
      put(index, parts.codes, packed.codes)
      put(index, parts.counts, packed.counts)
      put(index, parts.filter, packed.filter)
    }
  }
  const [oldest, newest] = boundsOf(times)
  const row = {
    kind,
    records: places.length,
    first: places[0] ?? 0,
    last: places.at(-1) ?? 0,
    oldest,
    newest,
    columns: names,
    frameRecords,
    bytes: pieces.reduce((sum, { bytes }) => sum + bytes.length, 0),
  }
  return { row, pieces }
}

const gramsOf = (grams: Uint8Array, frame: number): Uint8Array =>
  grams.subarray(gramBytes * frame, gramBytes * (frame + 1))

/** Gives the bytes of a piece, if there is one. */
export type ReadPiece = (key: number) => Uint8Array | undefined

/** What was read of pieces and is likely to be read again, up to a number of bytes. */
export class PieceCache {
  readonly #known = new Map<string, { readonly value: unknown; readonly bytes: number }>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get<T>(key: string, make: () => T, sizeOf: (value: T) => number): T {
    const known = this.#known.get(key)
    if (known) {
      this.#known.delete(key)
      this.#known.set(key, known)
      return known.value as T
    }
    const value = make()
    const bytes = sizeOf(value) + 100
    this.#known.set(key, { value, bytes })
    this.#bytes += bytes
    for (const [oldest, { bytes: freed }] of this.#known) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break
      this.#known.delete(oldest)
      this.#bytes -= freed
    }
    return value
  }

  clear(): void {
    this.#known.clear()
    this.#bytes = 0
  }
}

const listOf = (piece: Uint8Array, { form }: StoredColumn): CellList =>
  form === 'number' ? new NumberCells(unpackNumbers(piece)) : new WordCells(expand(piece))
const listBytes = (list: CellList | undefined): number => list?.bytes ?? 0
const sliceBytes = (starts: Slices | undefined): number => 8 * (starts?.length ?? 0)

export class StoredBlock implements Block {
  readonly id: number
  readonly kind: LogKindName
  readonly records: number
  readonly first: number
  readonly last: number
  readonly oldest: number
  readonly newest: number
  readonly #row: BlockRow
  readonly #read: ReadPiece
  readonly #cache: PieceCache

  constructor(row: BlockRow, read: ReadPiece, cache: PieceCache) {
    this.id = row.id
    this.kind = row.kind
    this.records = row.records
    this.first = row.first
    this.last = row.last
    this.oldest = row.oldest
    this.newest = row.newest
    this.#row = row
    this.#read = read
    this.#cache = cache
  }

  times = (): Float64Array => this.#numbers(parts.times)
  places = (): Float64Array => this.#numbers(parts.places)

  placeAt(at: number): number {
    const { first, last, records } = this
    return last - first === records - 1 ? first + at : (this.places()[at] as number)
  }

  indexOf(place: number): number {
    const { first, last, records } = this
    if (place < first || place > last) return -1
    return last - first === records - 1 ? place - first : indexIn(this.places(), place)
  }

  words(column: StoredColumn): Words {
    const list = this.list(column)
    return list.length === 1 ? constantWords(list.at(0)) : { entries: list.all(), codes: this.codes(column) }
  }

  list(column: StoredColumn): CellList {
    const whole = this.#cached(column, parts.entries, (piece) => piece && listOf(piece, column), listBytes)
    if (whole) return whole
    const starts = this.#cached(column, parts.slices, (piece) => piece && unpackSlices(piece), sliceBytes)
    if (!starts) return new KnownCells([emptyCell(column)])
    const slice = (number: number): CellList =>
      this.#cached(column, parts.firstSlice + number, (piece) => listOf(piece ?? missing(), column), listBytes)
    return new SlicedCells(starts, slice)
  }

  /** Null where there is only one cell. */
  codes(column: StoredColumn): Codes | null {
    return this.#cached(column, parts.codes, (piece) => (piece ? unpackCodes(piece, this.records) : null), bytesOf)
  }

  counts(column: StoredColumn): Float64Array | null {
    return this.#cached(column, parts.counts, (piece) => (piece ? unpackCounts(piece) : null), bytesOf)
  }

  mayHave(column: StoredColumn, cells: readonly Cell[]): boolean {
    const filter = this.#cached(column, parts.filter, (piece) => piece ?? null, bytesOf)
    return !filter || cells.some((cell) => mayHave(filter, cell))
  }

  textAt(column: StoredColumn, at: number): string {
    const { frameRecords } = this.#row
    const number = Math.floor(at / frameRecords)
    const { frame, capitals } = this.#cachedFrame(column, number)
    return readText(frame, capitals, at - number * frameRecords)
  }

  *texts(column: StoredColumn): Iterable<string> {
    for (const [number, frame] of this.#frames(column)) yield* this.#readTexts(column, number, frame)
  }

  search(column: StoredColumn, { needles, holds }: TextSearch, among: Uint8Array | null): Uint8Array {
    const found = new Uint8Array(this.records)
    const { frameRecords } = this.#row
    const grams = this.#cached(column, parts.grams, (piece) => piece ?? null, bytesOf)
    for (let number = 0, offset = 0; offset < this.records; number++, offset += frameRecords) {
      const end = Math.min(offset + frameRecords, this.records)
      const next = among ? among.indexOf(1, offset) : offset
      if (next < 0) break
      if (next >= end) continue
      const possible = grams ? needles.filter((needle) => mayContain(gramsOf(grams, number), needle)) : needles
      if (possible.length === 0 && grams && mayContain(gramsOf(grams, number), brandMark) === false) continue
      const frame = this.#frame(column, number)
      for (const needle of possible) markContaining(frame, needle, found, offset)
      if (frame.hasBrand) this.#decideBranded(column, number, frame, holds, found)
    }
    return found
  }

  #decideBranded(
    column: StoredColumn,
    number: number,
    frame: Frame,
    holds: (text: string) => boolean,
    found: Uint8Array,
  ): void {
    const offset = number * this.#row.frameRecords
    for (const [at, text] of this.#readTexts(column, number, frame).entries()) {
      if (text.includes('{brand}')) found[offset + at] = holds(text) ? 1 : 0
    }
  }

  *#frames(column: StoredColumn): Iterable<[number: number, frame: Frame]> {
    const count = Math.ceil(this.records / this.#row.frameRecords)
    for (let number = 0; number < count; number++) yield [number, this.#frame(column, number)]
  }

  #frame(column: StoredColumn, number: number): Frame {
    const piece = this.#piece(column, parts.frames + number)
    if (piece) return unpackFrame(piece)
    if (this.#row.columns.includes(column.name)) return missing()
    // The kind got the column later.
    const { frameRecords } = this.#row
    return emptyFrame(Math.min(frameRecords, this.records - number * frameRecords))
  }

  #cachedFrame(column: StoredColumn, number: number): { frame: Frame; capitals: Capitals | null } {
    return this.#cache.get(
      `${this.id} ${column.name} ${number}`,
      () => {
        const frame = this.#frame(column, number)
        return { frame, capitals: this.#capitals(column, number, frame) }
      },
      ({ frame, capitals }) => frame.lower.length + 4 * frame.records + 4 * (capitals?.positions.length ?? 0),
    )
  }

  #capitals(column: StoredColumn, number: number, frame: Frame): Capitals | null {
    const piece = this.#piece(column, parts.capitals + number)
    return piece ? unpackCapitals(piece, frame) : null
  }

  #readTexts(column: StoredColumn, number: number, frame: Frame): string[] {
    return readTexts(frame, this.#capitals(column, number, frame))
  }

  #numbers(part: number): Float64Array {
    return this.#cached(
      { name: timeColumn, form: 'number' },
      part,
      (piece) => {
        const numbers = unpackNumbers(piece ?? missing())
        if (numbers.length !== this.records) throw new DamagedPieceError('a block has another number of records')
        return numbers
      },
      bytesOf,
    )
  }

  #piece(column: StoredColumn, part: number): Uint8Array | undefined {
    const index = this.#row.columns.indexOf(column.name)
    return index < 0 ? undefined : this.#read(keyOf(this.id, index, part))
  }

  #cached<T>(
    column: StoredColumn,
    part: number,
    make: (piece: Uint8Array | undefined) => T,
    sizeOf: (value: T) => number,
  ): T {
    return this.#cache.get(`${this.id}/${column.name}/${part}`, () => make(this.#piece(column, part)), sizeOf)
  }
}

const bytesOf = (value: { readonly byteLength: number } | null): number => value?.byteLength ?? 0

function missing(): never {
  throw new DamagedPieceError('a piece of a block is missing')
}
