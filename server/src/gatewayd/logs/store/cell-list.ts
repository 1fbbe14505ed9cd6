// The different cells of a column as they are on the disk: one is found or read without making all others.

import type { Cell } from '../../../core/contract/table-query.ts'
import { brandMark, type Frame, markContaining, separator } from './texts.ts'
import { type Slices, sliceOf } from './words.ts'

export interface CellList {
  readonly length: number
  /** Of memory, about. */
  readonly bytes: number
  at(index: number): Cell
  all(): readonly Cell[]
  /** -1 when it is not there. */
  indexOf(cell: Cell): number
  /** A 1 for each that contains one of the needles, which are in lower case; null when the bytes do not decide that. */
  containing(needles: readonly Buffer[]): Uint8Array | null
}

const cellBytes = 48

/** Cells that are in memory. */
export class KnownCells implements CellList {
  readonly length: number
  readonly bytes: number
  readonly #cells: readonly Cell[]

  constructor(cells: readonly Cell[]) {
    this.#cells = cells
    this.length = cells.length
    this.bytes = cells.length * cellBytes
  }

  at = (index: number): Cell => this.#cells[index] as Cell
  all = (): readonly Cell[] => this.#cells
  indexOf = (cell: Cell): number => this.#cells.indexOf(cell)
  containing = (): null => null
}

export class NumberCells implements CellList {
  readonly length: number
  readonly bytes: number
  readonly #numbers: Float64Array

  constructor(numbers: Float64Array) {
    this.#numbers = numbers
    this.length = numbers.length
    this.bytes = numbers.byteLength
  }

  at = (index: number): Cell => this.#numbers[index] as number
  all = (): readonly Cell[] => [...this.#numbers]
  indexOf = (cell: Cell): number => (typeof cell === 'number' ? this.#numbers.indexOf(cell) : -1)
  containing = (): null => null
}

/** Kept, because it is as long as the longest text. The first one is always 0. */
let foundStarts = new Uint32Array(0)

/** Texts with a zero byte between them. */
export class WordCells implements CellList {
  readonly bytes: number
  readonly #text: Buffer
  /** Where each begins, and one after the end of the last; whether lower case is the same, and nothing is shown as something else. */
  #layout: { readonly starts: Uint32Array; readonly isPlain: boolean } | null = null

  constructor(text: Buffer) {
    this.#text = text
    this.bytes = 1.5 * text.length
  }

  get length(): number {
    return this.#laidOut().starts.length - 1
  }

  /** When it is first needed: most texts do not have the cell that is looked for. */
  #laidOut(): { readonly starts: Uint32Array; readonly isPlain: boolean } {
    if (this.#layout) return this.#layout
    const text = this.#text
    if (foundStarts.length < text.length + 2) foundStarts = new Uint32Array(2 * text.length + 2)
    const found = foundStarts
    let count = 1
    let odd = 0
    for (let at = 0; at < text.length; at++) {
      const byte = text[at] as number
      if (byte === 0) found[count++] = at + 1
      else if (byte > 0x7f || (byte > 0x40 && byte < 0x5b)) odd = 1
    }
    found[count] = text.length + 1
    this.#layout = { starts: found.slice(0, count + 1), isPlain: odd === 0 && !text.includes(brandMark) }
    return this.#layout
  }

  at(index: number): Cell {
    const { starts } = this.#laidOut()
    return this.#text.toString('utf8', starts[index] as number, (starts[index + 1] as number) - 1)
  }

  all(): readonly Cell[] {
    return this.#text.toString().split(separator)
  }

  indexOf(cell: Cell): number {
    if (typeof cell !== 'string') return -1
    const wanted = Buffer.from(cell)
    const text = this.#text
    if (wanted.length === 0 || wanted.includes(0)) return wanted.length === 0 ? this.#indexOfEmpty() : -1
    for (let at = text.indexOf(wanted); at >= 0; ) {
      const { starts } = this.#laidOut()
      const index = lastUpTo(starts, at)
      if (starts[index] === at && starts[index + 1] === at + wanted.length + 1) return index
      // Another one has it in it.
      const next = starts[index + 1] as number
      if (next >= text.length) return -1
      at = text.indexOf(wanted, next)
    }
    return -1
  }

  #indexOfEmpty(): number {
    const { starts } = this.#laidOut()
    for (let index = 0; index < this.length; index++) {
      if ((starts[index + 1] as number) - (starts[index] as number) === 1) return index
    }
    return -1
  }

  containing(needles: readonly Buffer[]): Uint8Array | null {
    const { starts, isPlain } = this.#laidOut()
    if (!isPlain) return null
    const found = new Uint8Array(this.length)
    const frame: Frame = { records: this.length, lower: this.#text, starts, hasBrand: false }
    for (const needle of needles) markContaining(frame, needle, found, 0)
    return found
  }
}

/** The last index whose value is not above. */
function lastUpTo(starts: Uint32Array, position: number): number {
  let [low, high] = [0, starts.length]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((starts[middle] as number) <= position) low = middle
    else high = middle
  }
  return low
}

/** Cells in slices by their hash, each of which is read when it is needed. */
export class SlicedCells implements CellList {
  readonly length: number
  readonly bytes: number
  readonly #starts: Slices
  readonly #read: (slice: number) => CellList

  constructor(starts: Slices, read: (slice: number) => CellList) {
    this.#starts = starts
    this.#read = read
    this.length = starts.at(-1) ?? 0
    this.bytes = 8 * starts.length
  }

  at(index: number): Cell {
    const slice = this.#starts.findIndex((start) => start > index) - 1
    return this.#read(slice).at(index - (this.#starts[slice] as number))
  }

  all(): readonly Cell[] {
    const slices = this.#starts.slice(1).keys()
    return [...slices].flatMap((slice) => (this.#isEmpty(slice) ? [] : this.#read(slice).all()))
  }

  indexOf(cell: Cell): number {
    const slice = sliceOf(cell)
    if (this.#isEmpty(slice)) return -1
    const own = this.#read(slice).indexOf(cell)
    return own < 0 ? -1 : own + (this.#starts[slice] as number)
  }

  containing(needles: readonly Buffer[]): Uint8Array | null {
    const found = new Uint8Array(this.length)
    for (let slice = 0; slice + 1 < this.#starts.length; slice++) {
      if (this.#isEmpty(slice)) continue
      const own = this.#read(slice).containing(needles)
      if (!own) return null
      found.set(own, this.#starts[slice])
    }
    return found
  }

  #isEmpty = (slice: number): boolean => this.#starts[slice] === this.#starts[slice + 1]
}
