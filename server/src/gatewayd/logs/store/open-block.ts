// The block of a kind that is being filled: records become cells of columns when they come, so that none of them stays in memory
// as an object and nothing is read again when the block is stored.

import type { Cell } from '../../../core/contract/table-query.ts'
import { columnsOf, type LogKindName, type StoredColumn } from '../../../domain/logs/kinds.ts'
import type { KeptRecord, NewRecord } from '../../../domain/logs/record.ts'
import {
  type Columns,
  cellIn,
  cleanText,
  createRecordReader,
  emptyCell,
  isCommon,
  MemoryBlock,
  timeColumn,
} from './block.ts'
import type { Batch } from './kept.ts'
import { type BlockRow, type PackableBlock, type PackedBlock, packBlock } from './packed-block.ts'
import { type PackedFrame, packFrame, textsOf } from './texts.ts'
import { type Words, WordsBuilder } from './words.ts'

interface WordColumn {
  readonly column: StoredColumn
  readonly builder: WordsBuilder
}

function set(own: WordColumn | undefined, at: number, cell: Cell | undefined): void {
  own?.builder.set(at, cellIn(own.column, cell))
}

interface TextColumn {
  readonly name: string
  /** Whole frames; their texts are only in them. */
  readonly frames: PackedFrame[]
  rest: string[]
}

export interface OpenBlockSizes {
  readonly block: number
  readonly frame: number
}

const leastRoom = 1_024

export class OpenBlock {
  readonly kind: LogKindName
  /** What is on the disk of it: blocks of whole frames, then batches. */
  readonly parts: BlockRow[] = []
  batches: Batch[] = []
  /** How many of its records are on the disk, and how many of them in parts. */
  stored = 0
  parted = 0
  readonly #sizes: OpenBlockSizes
  readonly #words = new Map<string, WordColumn>()
  /** Those that are not of every record. */
  readonly #fields = new Map<string, WordColumn>()
  readonly #texts: readonly TextColumn[]
  #times: Float64Array
  #places: Float64Array
  #length = 0
  #whole: PackedBlock | null = null

  constructor(kind: LogKindName, sizes: OpenBlockSizes) {
    this.kind = kind
    this.#sizes = sizes
    const room = Math.min(leastRoom, sizes.block)
    this.#times = new Float64Array(room)
    this.#places = new Float64Array(room)
    for (const column of columnsOf(kind)) {
      if (column.form === 'text' || column.name === timeColumn) continue
      const own = { column, builder: new WordsBuilder(emptyCell(column), sizes.block) }
      this.#words.set(column.name, own)
      if (!isCommon(column.name)) this.#fields.set(column.name, own)
    }
    const texts = columnsOf(kind).filter(({ form }) => form === 'text')
    this.#texts = texts.map(({ name }) => ({ name, frames: [], rest: [] }))
  }

  get length(): number {
    return this.#length
  }

  get isFull(): boolean {
    return this.#length === this.#sizes.block
  }

  /** Records up to here fill frames. */
  get framed(): number {
    return this.#length - (this.#length % this.#sizes.frame)
  }

  add(record: NewRecord, place: number): void {
    const at = this.#length++
    if (at === this.#times.length) this.#grow()
    this.#times[at] = record.time
    this.#places[at] = place
    set(this.#words.get('priority'), at, record.priority)
    set(this.#words.get('unit'), at, record.unit)
    set(this.#words.get('syslog_id'), at, record.syslogId)
    const { fields } = record
    // Most columns of a record are empty, so it is looked at for those it has.
    for (const name in fields) set(this.#fields.get(name), at, fields[name])
    for (const { name, rest } of this.#texts) {
      const cell = name === 'message' ? record.message : fields[name]
      rest.push(cleanText(cell === undefined ? '' : String(cell)))
    }
  }

  #grow(): void {
    const room = Math.min(this.#sizes.block, this.#times.length * 2)
    const times = new Float64Array(room)
    const places = new Float64Array(room)
    times.set(this.#times)
    places.set(this.#places)
    this.#times = times
    this.#places = places
  }

  /** Its records in whole frames that are in no part yet. */
  packPart(): PackedBlock {
    const until = this.framed
    const { frame } = this.#sizes
    return packBlock(this.#packable(this.parted, until, this.parted / frame, until / frame), frame, false)
  }

  /** All of it; nothing may be added any more. */
  packWhole(): PackedBlock {
    const { frame, block } = this.#sizes
    const frames = Math.ceil(this.#length / frame)
    this.#whole ??= packBlock(this.#packable(0, this.#length, 0, frames), frame, this.#length > block / 2)
    return this.#whole
  }

  /** Records as objects, from an index on. */
  *records(from: number): Generator<KeptRecord> {
    const columns = this.#columns(from, this.#length)
    const read = createRecordReader(new MemoryBlock(columns), null)
    for (let at = 0; at < columns.places.length; at++) yield read(at)
  }

  /** The index of the first record whose place is higher. */
  firstAfter(place: number): number {
    let at = this.#length
    while (at > 0 && (this.#places[at - 1] as number) > place) at--
    return at
  }

  #packable(from: number, until: number, firstFrame: number, endFrame: number): PackableBlock {
    const frames = this.#texts.map(({ name, frames, rest }) => {
      for (const texts of this.#cut(rest, endFrame - frames.length)) frames.push(packFrame(texts))
      return [name, frames.slice(firstFrame, endFrame)] as const
    })
    return { ...this.#cells(from, until, (builder) => builder.words(from, until)), frames: new Map(frames) }
  }

  /** Takes frames out of the texts that are not in one. */
  *#cut(rest: string[], frames: number): Generator<string[]> {
    for (let count = 0; count < frames; count++) yield rest.splice(0, this.#sizes.frame)
  }

  #columns(from: number, until: number): Columns {
    const { frame } = this.#sizes
    const texts = this.#texts.map(({ name, frames, rest }) => {
      const first = Math.min(Math.floor(from / frame), frames.length)
      const all = [...frames.slice(first).flatMap(textsOf), ...rest]
      return [name, all.slice(from - first * frame, until - first * frame)] as const
    })
    return { ...this.#cells(from, until, (builder) => builder.view(from, until)), texts: new Map(texts) }
  }

  #cells(from: number, until: number, wordsOf: (builder: WordsBuilder) => Words): Omit<Columns, 'texts'> {
    return {
      kind: this.kind,
      times: this.#times.subarray(from, until),
      places: this.#places.subarray(from, until),
      words: new Map([...this.#words].map(([name, { builder }]) => [name, wordsOf(builder)])),
    }
  }
}
