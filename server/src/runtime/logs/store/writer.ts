// The side of the log store that writes: takes records, commits them, packs them into blocks and removes what is over the limits.
// One of it has the file open for writing; it belongs to a thread that waits for the disk instead of the event loop.

import { renameSync, rmSync, statSync } from 'node:fs'
import { GatewayError, isUnavailable } from '../../../contract/error.ts'
import { Database, NewerDataError, type Reserve } from '../../../database/database.ts'
import { type LogKindName, logKindNames, logKinds } from '../../../logs/kinds.ts'
import type { KeptRecord, NewRecord } from '../../../logs/record.ts'
import type { LogLimits, Mark, StoreState } from '../../../logs/store.ts'
import { type Block, type Columns, columnsFrom, joinBlocks } from './block.ts'
import {
  type Batch,
  DamagedFileError,
  isDamage,
  joinable,
  type Kept,
  mostAboveShare,
  type Placed,
  replace,
  stateOf,
} from './kept.ts'
import { type BlockRow, firstKeyOf, isFilter, PieceCache, packBlock, StoredBlock } from './packed-block.ts'
import { DamagedPieceError, expand } from './pieces.ts'
import { batchBody, isKind, logData, readBatch, readBlocks } from './schema.ts'

export interface WriterOptions {
  readonly path: string
  readonly limits: LogLimits
  /** Unix milliseconds. */
  readonly now: () => number
  /** Whether logs may take more of the disk. */
  readonly hasRoom?: () => boolean
  readonly sizes?: Partial<StoreSizes>
}

export interface StoreSizes {
  /** Records of a block at most, and of one that is worth being made. */
  readonly block: number
  readonly smallBlock: number
  readonly frame: number
  /** Records that may wait for the disk. */
  readonly waiting: number
}

export const storeSizes: StoreSizes = { block: 65_536, smallBlock: 4_096, frame: 8_192, waiting: 200_000 }

const dayMicroseconds = 86_400_000_000
const fullDisk =
  'The disk is full, read-only or failing: log records are not kept. Delete backups or old files to make room.'
const setAsideText = 'The log file was damaged. It was set aside, and a new one was begun.'

export class StoreWriter {
  readonly #options: WriterOptions
  readonly #sizes: StoreSizes
  /** Null while the file cannot be opened. */
  #database: Database | null = null
  #kept = new Map<LogKindName, Kept>()
  #marks = new Map<string, string>()
  #place = 0
  #limits: LogLimits
  #waiting: NewRecord[] = []
  #waitingMarks = new Map<string, string>()
  #lost = 0
  #fault: string | null = null
  #notice: string | null = null
  #mustReopen = false

  constructor(options: WriterOptions) {
    this.#options = options
    this.#sizes = { ...storeSizes, ...options.sizes }
    this.#limits = options.limits
    this.#openAgain()
  }

  get place(): number {
    return this.#place
  }

  /** Of committed records and of those that wait. */
  get marks(): ReadonlyMap<string, string> {
    return new Map([...this.#marks, ...this.#waitingMarks])
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** False while more records would be lost. */
  get hasRoom(): boolean {
    return this.#fault === null || this.#waiting.length < this.#sizes.waiting / 2
  }

  setLimits(limits: LogLimits): void {
    this.#limits = limits
  }

  /** Commits at once when there are many. */
  append(records: readonly NewRecord[], ...marks: readonly Mark[]): void {
    const room = this.#sizes.waiting - this.#waiting.length
    if (records.length > room) this.#lost += records.length - room
    for (const record of records.length > room ? records.slice(0, room) : records) this.#waiting.push(record)
    for (const { source, position } of marks) this.#waitingMarks.set(source, position)
    if (this.#fault === null && this.#waiting.length >= this.#sizes.block / 2) this.commit()
  }

  noteLost(records: number): void {
    this.#lost += records
  }

  /** Everything that waits is on the disk, or a fault says why not. True when there was something new. */
  commit(): boolean {
    if (this.#waiting.length === 0 && this.#waitingMarks.size === 0) return false
    if ((this.#mustReopen || !this.#database) && !this.#openAgain()) return false
    const records = this.#waiting.splice(0, this.#waiting.length)
    const marks = this.#waitingMarks
    this.#waitingMarks = new Map()
    try {
      const before = this.#place
      this.#guarded(() => this.#store(records, marks))
      this.#fault = null
      return this.#place > before || marks.size > 0
    } catch (error) {
      if (!isUnavailable(error)) throw error
      this.#fault = fullDisk
      // They are tried again together with what comes meanwhile.
      this.#waiting = records.concat(this.#waiting)
      this.#waitingMarks = new Map([...marks, ...this.#waitingMarks])
      return false
    }
  }

  #store(records: readonly NewRecord[], marks: ReadonlyMap<string, string>): void {
    const first = this.#place + 1
    const byKind = new Map<LogKindName, Placed>()
    for (let at = 0; at < records.length; at++) {
      const record = records[at] as NewRecord
      let own = byKind.get(record.kind)
      if (!own) {
        own = { records: [], places: [] }
        byKind.set(record.kind, own)
      }
      own.records.push(record)
      own.places.push(first + at)
    }
    const last = this.#place + records.length
    const done = this.#transact(() => {
      const added = [...byKind].map(([kind, own]) => this.#add(kind, own))
      for (const [source, position] of marks) {
        this.#db
          .prepare(
            'INSERT INTO marks (source, position) VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position',
          )
          .run(source, position)
      }
      this.#db.prepare('UPDATE place SET last = ?').run(last)
      return added
    })
    for (const note of done) note()
    for (const [source, position] of marks) this.#marks.set(source, position)
    this.#place = last
  }

  /** Many records become a block at once, few a batch. Returns what notes it once it is committed. */
  #add(kind: LogKindName, placed: Placed): () => void {
    const { records, places } = placed
    const kept = this.#keptOf(kind)
    if (records.length >= this.#sizes.smallBlock) return this.#addBlocks(kind, kept, placed)
    const times = records.map(({ time }) => time)
    const [oldest, newest] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))]
    const body = batchBody(records, places)
    const { lastInsertRowid } = this.#db
      .prepare('INSERT INTO batches (kind, records, oldest, newest, body) VALUES (?, ?, ?, ?, ?)')
      .run(kind, records.length, oldest, newest, body)
    const batch = { id: Number(lastInsertRowid), records: records.length, oldest, newest, bytes: body.length }
    return () => void kept.batches.push(batch)
  }

  /** Together with the batches, because blocks are in order. */
  #addBlocks(kind: LogKindName, kept: Kept, { records, places }: Placed): () => void {
    const batches = [...kept.batches]
    const older = this.#takeBatches(kind, batches)
    const all = older.length === 0 ? records : [...older, ...records]
    const allPlaces = older.length === 0 ? places : [...older.map(({ place }) => place), ...places]
    const rows: BlockRow[] = []
    for (let at = 0; at < all.length; at += this.#sizes.block) {
      const end = at + this.#sizes.block
      rows.push(this.#insertBlock(columnsFrom(kind, all.slice(at, end), allPlaces.slice(at, end))))
    }
    return () => {
      kept.batches.splice(0, batches.length)
      kept.blocks.push(...rows)
    }
  }

  #takeBatches(kind: LogKindName, batches: readonly Batch[]): KeptRecord[] {
    const last = batches.at(-1)?.id
    if (last === undefined) return []
    const rows = this.#db.prepare('SELECT body FROM batches WHERE kind = ? AND id <= ? ORDER BY id').all(kind, last)
    this.#db.prepare('DELETE FROM batches WHERE kind = ? AND id <= ?').run(kind, last)
    return (rows as { body: string }[]).flatMap(({ body }) => readBatch(kind, body))
  }

  #insertBlock(columns: Columns): BlockRow {
    const isWhole = columns.places.length > this.#sizes.block / 2
    const { row, pieces } = packBlock(columns, this.#sizes.frame, isWhole)
    const { lastInsertRowid } = this.#db
      .prepare(
        `INSERT INTO blocks (kind, records, first, last, oldest, newest, columns, frame_records, bytes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[row.kind, row.records, row.first, row.last, row.oldest, row.newest],
        ...[JSON.stringify(row.columns), row.frameRecords, row.bytes],
      )
    const id = Number(lastInsertRowid)
    const insert = this.#db.prepare('INSERT INTO pieces (key, bytes) VALUES (?, ?)')
    for (const { offset, bytes } of pieces) insert.run(firstKeyOf(id) + offset, bytes)
    return { ...row, id }
  }

  /**
   * One step of what is to be tidied: packs batches, joins small blocks, removes what is over a limit. False when nothing is
   * left to do.
   */
  tidy(): boolean {
    if (this.#mustReopen || !this.#database) return false
    try {
      return this.#guarded(() => this.#removeOld() || this.#packSome() || this.#joinSome())
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return false
    }
  }

  #packSome(): boolean {
    for (const [kind, kept] of this.#kept) {
      const records = kept.batches.reduce((sum, batch) => sum + batch.records, 0)
      if (records < this.#sizes.smallBlock) continue
      const note = this.#transact(() => this.#addBlocks(kind, kept, { records: [], places: [] }))
      note()
      return true
    }
    return false
  }

  #joinSome(): boolean {
    for (const [kind, { blocks }] of this.#kept) {
      const taken = joinable(blocks, this.#sizes.block)
      const [first] = taken
      if (!first) continue
      const joined = joinBlocks(
        kind,
        taken.map((row) => this.#open(row)),
      )
      const row = this.#transact(() => {
        const made = this.#insertBlock(joined)
        for (const { id } of taken) this.#deleteBlock(id)
        return made
      })
      blocks.splice(blocks.indexOf(first), taken.length, row)
      return true
    }
    return false
  }

  #open(row: BlockRow): Block {
    const read = this.#db.prepare('SELECT bytes FROM pieces WHERE key = ?')
    return new StoredBlock(row, (key) => read.get(key)?.bytes as Uint8Array | undefined, new PieceCache(0))
  }

  #deleteBlock(id: number): void {
    this.#db.prepare('DELETE FROM blocks WHERE id = ?').run(id)
    this.#db.prepare('DELETE FROM pieces WHERE key >= ? AND key < ?').run(firstKeyOf(id), firstKeyOf(id + 1))
  }

  /** Days first, then bytes. */
  #removeOld(): boolean {
    const now = this.#options.now() * 1_000
    for (const [kind, kept] of this.#kept) {
      const days = this.#limits.days[kind] ?? logKinds[kind].days
      const isOld = ({ newest }: { newest: number }): boolean => newest < now - days * dayMicroseconds
      if (kept.blocks.some(isOld)) return this.#removeBlocks(kept, isOld)
      if (kept.batches.some(isOld)) return this.#removeBatches(kept, isOld)
    }
    if (this.#usedBytes() <= this.#limits.maxBytes) return false
    const kept = mostAboveShare(this.#kept, this.#limits.maxBytes)
    if (!kept) return false
    const [oldestBlock] = kept.blocks
    if (oldestBlock) return this.#removeBlocks(kept, (block) => block === oldestBlock)
    const half = kept.batches.slice(0, Math.ceil(kept.batches.length / 2))
    return this.#removeBatches(kept, (batch) => half.includes(batch))
  }

  #removeBlocks(kept: Kept, isRemoved: (block: BlockRow) => boolean): boolean {
    const removed = kept.blocks.filter(isRemoved)
    this.#transact(() => {
      for (const { id } of removed) this.#deleteBlock(id)
    })
    replace(kept.blocks, (block) => !removed.includes(block))
    return true
  }

  #removeBatches(kept: Kept, isRemoved: (batch: Batch) => boolean): boolean {
    const removed = kept.batches.filter(isRemoved)
    this.#transact(() => {
      for (const { id } of removed) this.#db.prepare('DELETE FROM batches WHERE id = ?').run(id)
    })
    replace(kept.batches, (batch) => !removed.includes(batch))
    return true
  }

  /** Gives pages that are not used back to the disk, some at a time, where they are many. */
  shrink(): void {
    const free = this.#db.fileBytes() - this.#db.usedBytes()
    if (free > this.#limits.maxBytes / 16) this.#db.shrink()
  }

  #usedBytes(): number {
    return this.#database?.usedBytes() ?? 0
  }

  state(): StoreState {
    const kinds = logKindNames.map((kind) => stateOf(kind, this.#keptOf(kind)))
    return {
      kinds,
      bytes: this.#usedBytes(),
      maxBytes: this.#limits.maxBytes,
      fault: this.#fault,
      lost: this.#lost,
      place: this.#place,
      ...(this.#notice ? { notice: this.#notice } : {}),
    }
  }

  /** Looks at all that is stored after a query failed: sets a damaged file aside, and removes blocks that cannot be read. */
  verify(): void {
    if (!this.#database) return
    this.#guarded(() => {
      const found = this.#db.prepare('PRAGMA quick_check(1)').get()
      if (Object.values(found ?? {})[0] !== 'ok') throw new DamagedFileError('the log file is damaged')
      for (const kept of this.#kept.values()) {
        const unreadable = kept.blocks.filter(({ id }) => !this.#isReadable(id))
        if (unreadable.length === 0) continue
        this.#removeBlocks(kept, (block) => unreadable.includes(block))
        const records = unreadable.reduce((sum, block) => sum + block.records, 0)
        this.#lost += records
        this.#notice = `${records} log records were damaged and have been removed.`
      }
    })
  }

  #isReadable(id: number): boolean {
    const pieces = this.#db
      .prepare('SELECT key, bytes FROM pieces WHERE key >= ? AND key < ?')
      .iterate(firstKeyOf(id), firstKeyOf(id + 1)) as Iterable<{ key: number; bytes: Uint8Array }>
    try {
      for (const { key, bytes } of pieces) if (!isFilter(key)) expand(bytes)
      return true
    } catch (error) {
      if (error instanceof DamagedPieceError) return false
      throw error
    }
  }

  close(): void {
    this.commit()
    this.#closeFile()
  }

  #keptOf(kind: LogKindName): Kept {
    const kept = this.#kept.get(kind) ?? { blocks: [], batches: [] }
    this.#kept.set(kind, kept)
    return kept
  }

  get #db(): Database {
    if (!this.#database) throw new GatewayError('unavailable', fullDisk)
    return this.#database
  }

  #transact<T>(work: () => T): T {
    return this.#db.transact(work, 'refusable')
  }

  /** A file in which something is found that SQLite cannot have written is set aside, and the work is done in a new one. */
  #guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#closeFile()
      this.#setAside()
      this.#database = this.#openFile()
      return work()
    }
  }

  /**
   * After a sync failed the file may differ from what is known of it, and at first nothing is known. Records of which it is not
   * clear whether they were stored are at the beginning of those that wait.
   */
  #openAgain(): boolean {
    const before = this.#place
    this.#closeFile()
    try {
      this.#database = this.#openUndamaged()
    } catch (error) {
      this.#fault = error instanceof NewerDataError ? error.message : fullDisk
      return false
    }
    if (this.#mustReopen) this.#waiting.splice(0, this.#place - before)
    this.#mustReopen = false
    return true
  }

  #closeFile(): void {
    this.#database?.close()
    this.#database = null
  }

  #openUndamaged(): Database {
    try {
      return this.#openFile()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#setAside()
      return this.#openFile()
    }
  }

  #openFile(): Database {
    const { path, hasRoom = () => true } = this.#options
    const reserve: Reserve = { hasRoom, release: () => false, noteWrite: () => {} }
    const onLostSync = (): void => {
      this.#mustReopen = true
    }
    const database = new Database(path, onLostSync, logData, reserve)
    try {
      this.#readKept(database)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  }

  #readKept(database: Database): void {
    const kept = new Map<LogKindName, Kept>(logKindNames.map((kind) => [kind, { blocks: [], batches: [] }]))
    for (const row of readBlocks(database)) kept.get(row.kind)?.blocks.push(row)
    const batches = database
      .prepare('SELECT id, kind, records, oldest, newest, length(body) AS bytes FROM batches ORDER BY id')
      .all() as unknown as (Batch & { kind: string })[]
    for (const { kind, ...batch } of batches) if (isKind(kind)) kept.get(kind)?.batches.push(batch)
    const marks = database.prepare('SELECT source, position FROM marks').all() as { source: string; position: string }[]
    const place = database.prepare('SELECT last FROM place').get() as { last: number } | undefined
    if (!place) {
      // Places of a file that was set aside are not used again: it had fewer records than microseconds have passed.
      const first = this.#notice ? this.#options.now() * 1_000 : 0
      database.transact(() =>
        database.prepare('INSERT INTO place (one, last, began_after) VALUES (1, ?, ?)').run(first, first),
      )
      this.#place = first
    } else this.#place = place.last
    this.#kept = kept
    this.#marks = new Map(marks.map(({ source, position }) => [source, position]))
  }

  #setAside(): void {
    const { path } = this.#options
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(`${path}.damaged${suffix}`, { force: true })
      if (statSync(path + suffix, { throwIfNoEntry: false })) renameSync(path + suffix, `${path}.damaged${suffix}`)
    }
    this.#notice = setAsideText
  }
}
