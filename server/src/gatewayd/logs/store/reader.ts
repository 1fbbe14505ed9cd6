// The side of the log store that reads: answers questions over blocks and the newest records from one moment of the file. It
// has a connection of its own, which cannot write, in a worker thread.

import { statSync } from 'node:fs'
import type { Cell } from '../../../core/contract/table-query.ts'
import { ReadDatabase } from '../../../core/database/database.ts'
import type { LogKindName } from '../../../domain/logs/kinds.ts'
import type { KeptRecord } from '../../../domain/logs/record.ts'
import { showerOf, shownCell } from '../../../domain/logs/show.ts'
import type { Bucket, BucketQuestion, Followed, Question, SumQuestion, Sums } from '../../../domain/logs/store.ts'
import { type Shown, storedNames, type View, type ViewScope } from '../../../domain/logs/view.ts'
import { type Block, columnsFrom, createRecordReader, firstAbove, MemoryBlock } from './block.ts'
import type { Selection } from './block-test.ts'
import { blockTest } from './conditions.ts'
import { findNewest, type Position } from './newest.ts'
import { findOrdered, storedColumn } from './ordered.ts'
import { PieceCache, StoredBlock } from './packed-block.ts'
import { isKind, readBatch, readBlocks } from './schema.ts'
import { type PlaceRange, shareOf, testWithin } from './shared-search.ts'
import { sumBlocks } from './sums.ts'

type Asked = Pick<Question, 'view' | 'scope' | 'hidden' | 'where'>

/** Which rows an answer has: their kinds and places, in their order. */
export interface RowList {
  readonly kinds: readonly LogKindName[]
  readonly places: Float64Array
}

export interface FoundPage {
  readonly total: number
  readonly rows: RowList & { readonly times: Float64Array }
}

/** A part of an answer that is too long to be listed. */
export interface NextRows {
  readonly rows: readonly Shown[]
  /** Where it goes on; null at its end. */
  readonly next: Position | null
}

interface Newest {
  readonly firstId: number
  readonly lastId: number
  readonly records: KeptRecord[]
  readonly block: Block
}

const cacheBytes = 32 * 1024 * 1024

export class StoreReader {
  readonly #path: string
  readonly #views: Readonly<Record<string, View>>
  readonly #cache = new PieceCache(cacheBytes)
  readonly #newest = new Map<LogKindName, Newest>()
  #file: { readonly database: ReadDatabase; readonly inode: number } | null = null

  constructor(path: string, views: Readonly<Record<string, View>>) {
    this.#path = path
    this.#views = views
  }

  /** All rows there are, and those of the page. Other orders than newest first are for a limited number of rows. */
  find({ order, offset, limit, ...asked }: Question, within?: PlaceRange): FoundPage {
    return this.#look((database) => {
      const { blocks, test: whole, view } = this.#ask(database, asked)
      const test = within ? testWithin(whole, within) : whole
      if (order.length > 0) return findOrdered(blocks, test, view, asked.scope, order, offset, limit)
      return findNewest(blocks, test, { after: null, offset, limit, upTo: Infinity, isCounted: true })
    })
  }

  /** Parts of a search, each of which can be found for itself. */
  share(asked: Asked): readonly PlaceRange[] {
    return this.#look((database) => shareOf(this.#ask(database, asked).blocks, placeOf(database).last))
  }

  count(asked: Asked): { readonly total: number; readonly upTo: number } {
    return this.#look((database) => {
      const { blocks, test } = this.#ask(database, asked)
      return { total: blocks.reduce((sum, block) => sum + test.count(block), 0), upTo: placeOf(database).last }
    })
  }

  /** The next rows of an answer, newest first, after those up to a position. */
  next(asked: Asked, after: Position | null, upTo: number, offset: number, limit: number): NextRows {
    return this.#look((database) => {
      const { blocks, test, view } = this.#ask(database, asked)
      const { rows, last } = findNewest(blocks, test, { after, offset, limit, upTo, isCounted: false })
      return { rows: showRows(blocks, rows, view, asked.scope), next: rows.places.length < limit ? null : last }
    })
  }

  /** Rows as the view shows them; those that were removed in the meantime are left out. */
  show({ view: name, scope }: Pick<Question, 'view' | 'scope'>, rows: RowList): readonly Shown[] {
    return this.#look((database) => showRows(this.#blocks(database), rows, this.#view(name), scope))
  }

  buckets({ from, until, width, by, ...asked }: BucketQuestion): readonly Bucket[] {
    return this.#look((database) => {
      const { blocks, test, view } = this.#ask(database, asked)
      const counts = new Map<number, Map<string, number>>()
      for (const block of blocks) {
        if (block.newest < from * second || block.oldest >= until * second) continue
        countBuckets(block, test.select(block), { from, until, width }, valuesOf(block, by, view, asked.scope), counts)
      }
      return [...counts]
        .sort(([a], [b]) => a - b)
        .map(([start, one]) => ({ from: start, counts: Object.fromEntries(one) }))
    })
  }

  sums(question: SumQuestion): Sums {
    return this.#look((database) => {
      const { blocks, test, view } = this.#ask(database, question)
      return sumBlocks(blocks, test, view, question)
    })
  }

  /** The place of the newest record. */
  newestPlace(): number {
    return this.#look((database) => placeOf(database).last)
  }

  after(place: number, limit: number): Followed {
    return this.#look((database) => {
      const start = Math.max(place, placeOf(database).beganAfter)
      const rows = firstAfter(this.#blocks(database), start, limit, () => true)
      const records = rows.map(({ block, at }) => createReaderOf(block)(at))
      const reached =
        records.length < limit ? Math.max(start, placeOf(database).last) : (records.at(-1)?.place ?? start)
      return { records, place: reached, lost: reached - start - records.length }
    })
  }

  tail(asked: Asked, place: number, limit: number): { rows: readonly string[]; place: number; lost: number } {
    return this.#look((database) => {
      const start = Math.max(place, placeOf(database).beganAfter)
      const { blocks, test, view } = this.#ask(database, asked)
      const found = firstAfter(blocks, start, limit + 1, (block) => test.select(block))
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      const isMore = found.length > limit && last !== undefined
      const reached = isMore ? (last.block.places()[last.at] as number) : Math.max(start, placeOf(database).last)
      const kept = this.#blocks(database).reduce((sum, block) => sum + countBetween(block, start, reached), 0)
      const show = showerOf(view, asked.scope)
      const rows = shown.map(({ block, at }) => JSON.stringify(show(createReaderOf(block)(at))))
      return { rows, place: reached, lost: reached - start - kept }
    })
  }

  close(): void {
    this.#file?.database.close()
    this.#file = null
  }

  #ask(database: ReadDatabase, { view: name, scope, hidden, where }: Asked) {
    const view = this.#view(name)
    const isAsked = ({ kind }: Block): boolean => view.kinds.includes(kind) && !hidden.includes(kind)
    return { view, test: blockTest(where, view, scope), blocks: this.#blocks(database).filter(isAsked) }
  }

  #view(name: string): View {
    const view = Object.hasOwn(this.#views, name) ? this.#views[name] : undefined
    if (!view) throw new Error(`There is no view ${name}.`)
    return view
  }

  #look<T>(work: (database: ReadDatabase) => T): T {
    const database = this.#open()
    return database.look(() => work(database))
  }

  /** Another file is there when the last one was damaged. */
  #open(): ReadDatabase {
    const { ino: inode } = statSync(this.#path)
    if (this.#file?.inode === inode) return this.#file.database
    this.close()
    this.#cache.clear()
    this.#newest.clear()
    const database = new ReadDatabase(this.#path)
    this.#file = { database, inode }
    return database
  }

  #blocks(database: ReadDatabase): Block[] {
    const read = database.prepare('SELECT bytes FROM pieces WHERE key = ?')
    const piece = (key: number): Uint8Array | undefined => read.get(key)?.bytes as Uint8Array | undefined
    const stored = readBlocks(database).map((row) => new StoredBlock(row, piece, this.#cache))
    return [...stored, ...this.#newestBlocks(database)]
  }

  #newestBlocks(database: ReadDatabase): Block[] {
    const groups = database
      .prepare<{ kind: string; firstId: number; lastId: number }>(
        'SELECT kind, min(id) AS firstId, max(id) AS lastId FROM batches GROUP BY kind',
      )
      .all()
    const read = database.prepare('SELECT body FROM batches WHERE kind = ? AND id > ? ORDER BY id')
    return groups.flatMap(({ kind, firstId, lastId }) => {
      if (!isKind(kind)) return []
      const known = this.#newest.get(kind)
      const isSame = known?.firstId === firstId
      if (known && isSame && known.lastId === lastId) return [known.block]
      const rows = read.all(kind, isSame ? known.lastId : 0) as { body: string }[]
      const records = isSame ? known.records : []
      for (const { body } of rows) records.push(...readBatch(kind, body))
      const block = new MemoryBlock(
        columnsFrom(
          kind,
          records,
          records.map(({ place }) => place),
        ),
      )
      this.#newest.set(kind, { firstId, lastId, records, block })
      return [block]
    })
  }
}

const second = 1_000_000

const placeOf = (database: ReadDatabase): { last: number; beganAfter: number } =>
  database.prepare('SELECT last, began_after AS beganAfter FROM place').get() as { last: number; beganAfter: number }

const readers = new WeakMap<Block, (at: number) => KeptRecord>()

function createReaderOf(block: Block): (at: number) => KeptRecord {
  const known = readers.get(block) ?? createRecordReader(block, null)
  readers.set(block, known)
  return known
}

/** Stored columns that a view shows. */
function shownColumns(view: View): ReadonlySet<string> {
  return new Set(Object.values(view.columns).flatMap(storedNames))
}

function showRows(blocks: readonly Block[], { kinds, places }: RowList, view: View, scope: ViewScope): Shown[] {
  const names = shownColumns(view)
  const show = showerOf(view, scope)
  const byKind = new Map<LogKindName, Block[]>()
  for (const block of blocks) {
    const own = byKind.get(block.kind) ?? []
    byKind.set(block.kind, own)
    own.push(block)
  }
  const read = new Map<Block, (at: number) => KeptRecord>()
  const rows: Shown[] = []
  for (const [index, kind] of kinds.entries()) {
    const place = places[index] as number
    const block = byKind.get(kind)?.find(({ first, last }) => first <= place && place <= last)
    const at = block?.indexOf(place) ?? -1
    if (!block || at < 0) continue
    const reader = read.get(block) ?? createRecordReader(block, names)
    read.set(block, reader)
    rows.push(show(reader(at)))
  }
  return rows
}

function countBetween(block: Block, after: number, upTo: number): number {
  if (block.first > upTo || block.last <= after) return 0
  if (block.first > after && block.last <= upTo) return block.records
  const places = block.places()
  return firstAbove(places, upTo) - firstAbove(places, after)
}

/** Records in the order of their places, of all blocks together. */
function firstAfter(
  blocks: readonly Block[],
  place: number,
  limit: number,
  select: (block: Block) => Selection,
): { readonly block: Block; readonly at: number }[] {
  const later = blocks.filter(({ last }) => last > place).sort((a, b) => a.first - b.first)
  let found: { readonly block: Block; readonly at: number; readonly place: number }[] = []
  for (const block of later) {
    // Those that follow begin even later.
    const bound = found.length >= limit ? (found[limit - 1]?.place ?? Infinity) : Infinity
    if (block.first > bound) break
    const selected = select(block)
    if (selected === false) continue
    const places = block.places()
    let own = 0
    for (let at = firstAbove(places, place); at < places.length && own < limit; at++) {
      if (selected !== true && selected[at] !== 1) continue
      found.push({ block, at, place: places[at] as number })
      own++
    }
    found.sort((a, b) => a.place - b.place)
    found = found.slice(0, limit)
  }
  return found
}

interface Span {
  readonly from: number
  readonly until: number
  readonly width: number
}

/** By which value a record is counted, as an index and its text. */
function valuesOf(block: Block, by: string | null, view: View, scope: ViewScope): (at: number) => string {
  if (by === null) return () => ''
  const column = Object.hasOwn(view.columns, by) ? view.columns[by] : undefined
  if (column?.from === 'column' && column.column !== 'time') {
    const stored = storedColumn(block, column.column)
    if (stored.form !== 'text') {
      const { entries, codes } = block.words(stored)
      const shown = entries.map((cell) => String(shownCell(column, cell, scope) ?? ''))
      return (at) => shown[codes ? (codes[at] as number) : 0] as string
    }
  }
  const show = showerOf(view, scope)
  const read = createRecordReader(block, shownColumns(view))
  return (at) => String((show(read(at))[by] as Cell | null | undefined) ?? '')
}

function countBuckets(
  block: Block,
  selected: Selection,
  { from, until, width }: Span,
  valueAt: (at: number) => string,
  counts: Map<number, Map<string, number>>,
): void {
  if (selected === false) return
  const times = block.times()
  for (let at = 0; at < block.records; at++) {
    if (selected !== true && selected[at] !== 1) continue
    const seconds = Math.floor((times[at] as number) / second)
    if (seconds < from || seconds >= until) continue
    const start = from + Math.floor((seconds - from) / width) * width
    const value = valueAt(at)
    const bucket = counts.get(start) ?? new Map<string, number>()
    if (bucket.size === 0) counts.set(start, bucket)
    bucket.set(value, (bucket.get(value) ?? 0) + 1)
  }
}
