// A column of which many records share a cell: each different cell once, and for every record which of them it has.

import type { Cell } from '../../../core/contract/table-query.ts'
import { expand, packNumbers, squeeze, unpackNumbers } from './pieces.ts'

export type Codes = Uint8Array | Uint16Array

export interface Words {
  readonly entries: readonly Cell[]
  /** For each record the index of its cell; null: all have the first. */
  readonly codes: Codes | null
}

export interface PackedWords {
  /** The entries, or how many there are in each slice. */
  readonly entries: Buffer
  readonly slices: readonly Buffer[] | null
  readonly codes: Buffer | null
  /** How many records have each entry. */
  readonly counts: Buffer | null
  readonly filter: Buffer | null
}

/** No block has more records, so that a code fits into 16 bits. */
export const mostEntries = 65_536
const separator = '\u0000'

const noCodes = new Uint16Array(0)
const leastRoom = 1_024

/** Ports and lengths. */
const smallNumbers = 65_536
const isSmall = (cell: Cell): cell is number =>
  typeof cell === 'number' && cell >= 0 && cell < smallNumbers && Number.isInteger(cell)
const fewEntries = 64

/** Cells of a column, one record after the other. Records that are left out have the empty cell. */
export class WordsBuilder {
  readonly #empty: Cell
  readonly #mostRecords: number
  readonly #entries: Cell[] = []
  readonly #known = new Map<Cell, number>()
  /** Of small numbers the code and one, where there are many. */
  #small: Uint32Array | null = null
  #codes = noCodes
  /** Records before it have a code. */
  #next = 0
  #lastCell: Cell | undefined
  #lastCode = 0

  constructor(empty: Cell, mostRecords: number) {
    this.#empty = empty
    this.#mostRecords = mostRecords
  }

  set(at: number, cell: Cell): void {
    if (cell === this.#empty) return
    if (at > this.#next) this.#fill(at)
    if (at >= this.#codes.length) this.#grow(at + 1)
    if (cell !== this.#lastCell) {
      this.#lastCell = cell
      this.#lastCode = this.#codeOf(cell)
    }
    this.#codes[at] = this.#lastCode
    this.#next = at + 1
  }

  #codeOf(cell: Cell): number {
    const small = this.#small
    if (small && isSmall(cell)) {
      const known = small[cell] as number
      return known > 0 ? known - 1 : this.#add(cell)
    }
    return this.#known.get(cell) ?? this.#add(cell)
  }

  #add(cell: Cell): number {
    if (typeof cell === 'string' && cell.includes(separator)) return this.#codeOf(withoutSeparator(cell))
    const code = this.#entries.length
    this.#entries.push(cell)
    if (this.#small && isSmall(cell)) this.#small[cell] = code + 1
    else this.#known.set(cell, code)
    if (code === fewEntries && typeof cell === 'number') this.#useTable()
    return code
  }

  /** A look into a table is several times faster than one into a map. */
  #useTable(): void {
    const small = new Uint32Array(smallNumbers)
    for (const [cell, code] of this.#known) {
      if (!isSmall(cell)) continue
      small[cell] = code + 1
      this.#known.delete(cell)
    }
    this.#small = small
  }

  #fill(until: number): void {
    if (until > this.#codes.length) this.#grow(until)
    this.#codes.fill(this.#codeOf(this.#empty), this.#next, until)
    this.#next = until
  }

  #grow(records: number): void {
    const codes = new Uint16Array(Math.min(this.#mostRecords, Math.max(leastRoom, records, this.#codes.length * 2)))
    codes.set(this.#codes)
    this.#codes = codes
  }

  /** Of records from an index until another one. */
  words(from: number, until: number): Words {
    const { entries, codes } = this.view(from, until)
    return codes && (from > 0 || this.#next > until) ? this.#only(codes) : { entries, codes }
  }

  /** The same for a moment, and with cells that none of these records has. */
  view(from: number, until: number): { readonly entries: readonly Cell[]; readonly codes: Uint16Array | null } {
    if (this.#entries.length === 0) return { entries: [this.#empty], codes: null }
    if (this.#next < until) this.#fill(until)
    return { entries: this.#entries, codes: this.#entries.length > 1 ? this.#codes.subarray(from, until) : null }
  }

  /** Without cells that none of the records has. */
  #only(codes: Uint16Array): Words {
    const entries: Cell[] = []
    const codeOf = new Int32Array(this.#entries.length).fill(-1)
    const own = new Uint16Array(codes.length)
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at] as number
      if (codeOf[code] === -1) {
        codeOf[code] = entries.length
        entries.push(this.#entries[code] as Cell)
      }
      own[at] = codeOf[code] as number
    }
    return { entries, codes: entries.length > 1 ? own : null }
  }
}

/** `isWhole`: it stays as it is, so that a filter or slices are worth their cost. */
export function packWords({ entries, codes }: Words, isWhole: boolean): PackedWords {
  if (isWhole && codes && entries.length > mostUnsliced) return packSlices(entries, codes)
  return {
    entries: packEntries(entries),
    slices: null,
    codes: codes && squeeze(bytesOf(narrow(codes, entries.length))),
    counts: codes && packNumbers(Float64Array.from(countsOf(codes, entries.length))),
    filter: isWhole && entries.length > leastFiltered ? packFilter(entries) : null,
  }
}

const narrow = (codes: Codes, entries: number): Codes =>
  entries <= 256 && codes instanceof Uint16Array ? Uint8Array.from(codes) : codes

const bytesOf = (codes: Codes): Uint8Array => new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength)

function countsOf(codes: Codes, entries: number): Uint32Array {
  const counts = new Uint32Array(entries)
  for (let at = 0; at < codes.length; at++) (counts[codes[at] as number] as number)++
  return counts
}

const packEntries = (entries: readonly Cell[]): Buffer =>
  typeof entries[0] === 'number'
    ? packNumbers(Float64Array.from(entries as readonly number[]))
    : squeeze(Buffer.from(entries.join(separator)))

const withoutSeparator = (text: string): string => text.replaceAll(separator, ' ')

/** Where each slice begins in the list of all, and where the last one ends. */
export type Slices = readonly number[]

const mostUnsliced = 4_096
const sliceBits = 4
const sliceCount = 2 ** sliceBits

export const sliceOf = (cell: Cell): number => hashOf(String(cell))[0] >>> (32 - sliceBits)

/** In the order of the slices, so that one entry is found by reading one of them; without a filter, which would be larger. */
function packSlices(entries: readonly Cell[], codes: Codes): PackedWords {
  const slices: Cell[][] = Array.from({ length: sliceCount }, () => [])
  const within = new Uint16Array(entries.length)
  const sliceOfCode = new Uint8Array(entries.length)
  for (const [code, entry] of entries.entries()) {
    const number = sliceOf(entry)
    const slice = slices[number] as Cell[]
    sliceOfCode[code] = number
    within[code] = slice.length
    slice.push(entry)
  }
  const starts = startsOf(slices.map(({ length }) => length))
  const moved = codes.map((code) => (starts[sliceOfCode[code] as number] as number) + (within[code] as number))
  return {
    entries: packNumbers(Float64Array.from(slices, ({ length }) => length)),
    slices: slices.map(packEntries),
    codes: squeeze(bytesOf(moved)),
    counts: null,
    filter: null,
  }
}

function startsOf(lengths: Iterable<number>): Slices {
  const starts = [0]
  for (const length of lengths) starts.push((starts.at(-1) as number) + length)
  return starts
}

export const unpackSlices = (piece: Uint8Array): Slices => startsOf(unpackNumbers(piece))

export function unpackCodes(piece: Uint8Array, records: number): Codes {
  const bytes = expand(piece)
  return bytes.length === records ? bytes : new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
}

export const unpackCounts = (piece: Uint8Array): Float64Array => unpackNumbers(piece)

/** Fewer entries are looked through as fast. */
const leastFiltered = 64
const bitsPerEntry = 10
const looks = 4

/** Bits that are set by every entry: where one of those of a cell is not set, no record has the cell. Random, so not compressed. */
function packFilter(entries: readonly Cell[]): Buffer {
  const bits = 2 ** Math.ceil(Math.log2(entries.length * bitsPerEntry))
  const filter = Buffer.alloc(bits / 8)
  for (const entry of entries) {
    const [first, step] = hashOf(String(entry))
    for (let look = 0; look < looks; look++) {
      const bit = (first + Math.imul(look, step)) & (bits - 1)
      filter[bit >>> 3] = (filter[bit >>> 3] as number) | (1 << (bit & 7))
    }
  }
  return filter
}

/** False: certainly no record has the cell. */
export function mayHave(filter: Uint8Array, cell: Cell): boolean {
  const mask = filter.length * 8 - 1
  const [first, step] = hashOf(String(cell))
  for (let look = 0; look < looks; look++) {
    const bit = (first + Math.imul(look, step)) & mask
    if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** FNV-1a, mixed at the end; the second one is odd. */
function hashOf(text: string): [first: number, step: number] {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  const first = (hash ^ (hash >>> 16)) >>> 0
  return [first, (Math.imul(first, 0x9e3779b1) >>> 0) | 1]
}
