// The side of the log store that writes: takes records, commits them, packs them into blocks and removes what is over the limits.
// One of it has the file open for writing; it belongs to a thread that waits for the disk instead of the event loop.

import { renameSync, rmSync, statSync } from 'node:fs'
import { GatewayError, isUnavailable } from '../../../core/contract/error.ts'
import { Database, NewerDataError, type Reserve } from '../../../core/database/database.ts'
import { type LogKindName, logKindNames, logKinds } from '../../../domain/logs/kinds.ts'
import { type NewRecord, storable } from '../../../domain/logs/record.ts'
import type { LogLimits, Mark, StoreState } from '../../../domain/logs/store.ts'
import { type SaidText, say } from '../../../shared/said.ts'
import { type Block, joinBlocks } from './block.ts'
import {
  type Batch,
  DamagedFileError,
  isDamage,
  joinable,
  type Kept,
  mostAboveShare,
  replace,
  stateOf,
} from './kept.ts'
import type { OpenBlock } from './open-block.ts'
import { OpenBlocks } from './open-blocks.ts'
import { type BlockRow, firstKeyOf, framed, isFilter, PieceCache, packBlock, StoredBlock } from './packed-block.ts'
import { DamagedPieceError, expand } from './pieces.ts'
import {
  deleteBatch,
  deleteBlock,
  insertBatch,
  insertBlock,
  isBatch,
  isKind,
  logData,
  readBatch,
  readBlocks,
} from './schema.ts'

export interface WriterOptions {
  readonly path: string
  readonly limits: LogLimits
  /** Unix milliseconds. */
  readonly now: () => number
  /** By which records become too old; the same as `now` unless given. */
  readonly aging?: () => number
  /** Whether logs may take more of the disk. */
  readonly hasRoom?: () => boolean
  readonly sizes?: Partial<StoreSizes>
}

export interface StoreSizes {
  /** Records of a block at most: some whole frames. */
  readonly block: number
  readonly frame: number
  /** Records that may wait for the disk. */
  readonly waiting: number
}

export const storeSizes: StoreSizes = { block: 65_536, frame: 2_048, waiting: 200_000 }

const dayMicroseconds = 86_400_000_000
const fullDisk = say`The disk is full, read-only or failing: log records are not kept. Delete backups or old files to make room.`
const setAsideText = say`The log file was damaged. It was set aside, and a new one was begun.`

export class StoreWriter {
  readonly #options: WriterOptions
  readonly #sizes: StoreSizes
  /** Null while the file cannot be opened. */
  #database: Database | null = null
  #kept = new Map<LogKindName, Kept>()
  #marks = new Map<string, string>()
  /** Of the newest record on the disk, and of the newest one of all. */
  #place = 0
  #lastPlace = 0
  #limits: LogLimits
  readonly #open: OpenBlocks
  #waitingMarks = new Map<string, string>()
  #lost = 0
  #fault: SaidText | null = null
  #notice: SaidText | null = null
  #mustReopen = false
  #isReplaced = false

  constructor(options: WriterOptions) {
    this.#options = options
    this.#sizes = { ...storeSizes, ...options.sizes }
    this.#limits = options.limits
    this.#open = new OpenBlocks(this.#sizes)
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
    return this.#lastPlace - this.#place
  }

  /** False while more records would be lost. */
  get hasRoom(): boolean {
    return this.#fault === null || this.waiting < this.#sizes.waiting / 2
  }

  setLimits(limits: LogLimits): void {
    this.#limits = limits
  }

  /** Commits at once when there are many. */
  append(records: readonly NewRecord[], ...marks: readonly Mark[]): void {
    const taken = Math.min(records.length, this.#sizes.waiting - this.waiting)
    this.#lost += records.length - taken
    for (let at = 0; at < taken; at++)
      this.#open.add(storable(records[at] as NewRecord, this.#options.now), ++this.#lastPlace)
    for (const { source, position } of marks) this.#waitingMarks.set(source, position)
    if (this.#fault === null && this.waiting >= this.#sizes.block / 2) this.commit()
  }

  noteLost(records: number): void {
    this.#lost += records
  }

  /** Everything that waits is on the disk, or a fault says why not. True when there was something new. */
  commit(): boolean {
    if (this.waiting === 0 && this.#waitingMarks.size === 0) return false
    if ((this.#mustReopen || !this.#database) && !this.#openAgain()) return false
    try {
      this.#guarded(() => this.#store())
      this.#fault = null
      return true
    } catch (error) {
      if (!isUnavailable(error)) throw error
      // What waits is tried again together with what comes in the meantime.
      this.#fault = fullDisk
      return false
    }
  }

  #store(): void {
    const done = this.#transact(() => {
      const notes = this.#open
        .waiting()
        .map((block) => (this.#open.isComplete(block) ? this.#storeWhole(block) : this.#storeSome(block)))
      for (const [source, position] of this.#waitingMarks) {
        this.#db
          .prepare(
            'INSERT INTO marks (source, position) VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position',
          )
          .run(source, position)
      }
      this.#db.prepare('UPDATE place SET last = ?').run(this.#lastPlace)
      return notes
    })
    for (const note of done) note()
    for (const [source, position] of this.#waitingMarks) this.#marks.set(source, position)
    this.#waitingMarks = new Map()
    this.#place = this.#lastPlace
  }

  /** In place of its parts and batches. Returns what notes it once it is committed. */
  #storeWhole(block: OpenBlock): () => void {
    const kept = this.#keptOf(block.kind)
    const row = insertBlock(this.#db, block.packWhole())
    for (const { id } of block.parts) deleteBlock(this.#db, id)
    const noteBatches = this.#deleteBatches(kept, block)
    return () => {
      noteBatches()
      replace(kept.blocks, (one) => !block.parts.includes(one))
      kept.blocks.push(row)
      this.#open.remove(block)
    }
  }

  /** Whole frames become a part, the rest a batch. */
  #storeSome(block: OpenBlock): () => void {
    const kept = this.#keptOf(block.kind)
    const notes: (() => void)[] = []
    const { framed: parted } = block
    if (parted > block.parted) {
      const row = insertBlock(this.#db, block.packPart())
      notes.push(this.#deleteBatches(kept, block), () => {
        kept.blocks.push(row)
        block.parts.push(row)
        block.parted = parted
      })
    }
    const records = [...block.records(Math.max(parted, block.stored))]
    const stored = block.length
    if (records.length > 0) {
      const batch = insertBatch(this.#db, block.kind, records)
      notes.push(() => {
        kept.batches.push(batch)
        block.batches.push(batch)
      })
    }
    return () => {
      for (const note of notes) note()
      block.stored = stored
    }
  }

  #deleteBatches(kept: Kept, block: OpenBlock): () => void {
    const removed = new Set(block.batches)
    for (const { id } of removed) deleteBatch(this.#db, id)
    return () => {
      replace(kept.batches, (batch) => !removed.has(batch))
      block.batches = []
    }
  }

  /**
   * One step of what is to be tidied: joins small blocks, removes what is over a limit. False when nothing is
   * left to do.
   */
  tidy(): boolean {
    if (this.#mustReopen || !this.#database) return false
    try {
      return this.#guarded(() => this.#removeOld() || this.#joinSome())
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return false
    }
  }

  #joinSome(): boolean {
    for (const [kind, { blocks }] of this.#kept) {
      // Parts of a block that is being filled are replaced by it.
      const parts = new Set(this.#open.of(kind).flatMap((block) => block.parts))
      const { block: size, frame } = this.#sizes
      const taken = joinable(
        blocks.filter((block) => !parts.has(block)),
        size,
      )
      const [first] = taken
      if (!first) continue
      const joined = joinBlocks(
        kind,
        taken.map((row) => this.#read(row)),
      )
      const packed = packBlock(framed(joined, frame), frame, joined.places.length > size / 2)
      const row = this.#transact(() => {
        const made = insertBlock(this.#db, packed)
        for (const { id } of taken) deleteBlock(this.#db, id)
        return made
      })
      blocks.splice(blocks.indexOf(first), taken.length, row)
      return true
    }
    return false
  }

  #read(row: BlockRow): Block {
    const read = this.#db.prepare('SELECT bytes FROM pieces WHERE key = ?')
    return new StoredBlock(row, (key) => read.get(key)?.bytes as Uint8Array | undefined, new PieceCache(0))
  }

  /** Days first, then bytes. */
  #removeOld(): boolean {
    const now = (this.#options.aging ?? this.#options.now)() * 1_000
    for (const [kind, kept] of this.#kept) {
      const days = this.#limits.days[kind] ?? logKinds[kind].days
      const isOld = ({ newest }: { newest: number }): boolean => newest < now - days * dayMicroseconds
      if (kept.blocks.some(isOld)) return this.#removeBlocks(kind, isOld)
      if (kept.batches.some(isOld)) return this.#removeBatches(kind, isOld)
    }
    if (this.#usedBytes() <= this.#limits.maxBytes) return false
    const kind = mostAboveShare(this.#kept, this.#limits.maxBytes)
    if (!kind) return false
    const { blocks, batches } = this.#keptOf(kind)
    const [oldestBlock] = blocks
    if (oldestBlock) return this.#removeBlocks(kind, (block) => block === oldestBlock)
    const half = batches.slice(0, Math.ceil(batches.length / 2))
    return this.#removeBatches(kind, (batch) => half.includes(batch))
  }

  #removeBlocks(kind: LogKindName, isRemoved: (block: BlockRow) => boolean): boolean {
    const { blocks } = this.#keptOf(kind)
    const removed = new Set(blocks.filter(isRemoved))
    this.#removing(() => {
      for (const { id } of removed) deleteBlock(this.#db, id)
    })
    replace(blocks, (block) => !removed.has(block))
    if (this.#open.of(kind).some(({ parts }) => parts.some((part) => removed.has(part)))) this.#refill(kind)
    return true
  }

  #removeBatches(kind: LogKindName, isRemoved: (batch: Batch) => boolean): boolean {
    const { batches } = this.#keptOf(kind)
    const removed = new Set(batches.filter(isRemoved))
    this.#removing(() => {
      for (const { id } of removed) deleteBatch(this.#db, id)
    })
    replace(batches, (batch) => !removed.has(batch))
    this.#refill(kind)
    return true
  }

  /** What is on the disk is another than the block that is being filled knows: begins it again with what is there. */
  #refill(kind: LogKindName, after = this.#place, shift = 0): void {
    const read = this.#db.prepare('SELECT body FROM batches WHERE id = ?')
    const found = this.#keptOf(kind).batches.map((batch) => {
      const { body } = read.get(batch.id) as { body: string }
      return { batch, records: readBatch(kind, body) }
    })
    this.#open.restart(kind, found, after, shift)
  }

  /** Gives pages that are not used back to the disk, some at a time, where they are many. */
  shrink(): void {
    this.#whenPossible(() => {
      const free = this.#db.fileBytes() - this.#db.usedBytes()
      if (free > this.#limits.maxBytes / 16) this.#db.shrink()
    })
  }

  /** What can be done later as well, and must not end the thread on a disk that takes nothing. */
  #whenPossible(work: () => void): void {
    if (this.#mustReopen || !this.#database) return
    try {
      this.#guarded(work)
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
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
    this.#whenPossible(() => {
      const found = this.#db.prepare('PRAGMA quick_check(1)').get()
      if (Object.values(found ?? {})[0] !== 'ok') throw new DamagedFileError('the log file is damaged')
      for (const [kind, kept] of this.#kept) {
        const blocks = kept.blocks.filter(({ id }) => !this.#isReadable(id))
        const body = this.#db.prepare('SELECT body FROM batches WHERE id = ?')
        const batches = kept.batches.filter(({ id }) => !isBatch(String(body.get(id)?.body)))
        if (batches.length > 0) this.#removeBatches(kind, (batch) => batches.includes(batch))
        if (blocks.length > 0) this.#removeBlocks(kind, (block) => blocks.includes(block))
        this.#noteDamage([...blocks, ...batches])
      }
    })
  }

  #noteDamage(removed: readonly { readonly records: number }[]): void {
    if (removed.length === 0) return
    const records = removed.reduce((sum, one) => sum + one.records, 0)
    this.#lost += records
    this.#notice = say`${records} log records were damaged and have been removed.`
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

  /** Also on a disk that is nearly full: this makes room. */
  #removing(work: () => void): void {
    this.#db.transact(work, 'urgent')
  }

  /** A file in which something is found that SQLite cannot have written is set aside, and the work is done in a new one. */
  #guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (!isDamage(error)) throw error
      const before = this.#place
      this.#closeFile()
      this.#setAside()
      this.#database = this.#openFile()
      this.#takeUp(before, false)
      return work()
    }
  }

  /**
   * After a sync failed the file may differ from what is known of it, and at first nothing is known.
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
    this.#takeUp(before, this.#mustReopen)
    this.#mustReopen = false
    return true
  }

  /** What waits goes into the file that was opened. In the same one as before, the places say what of it was stored after all. */
  #takeUp(before: number, isSame: boolean): void {
    const isKnown = isSame && !this.#isReplaced
    const [after, shift] = isKnown ? [this.#place, 0] : [before, this.#place - before]
    this.#isReplaced = false
    this.#lastPlace = Math.max(this.#place, this.#lastPlace + shift)
    for (const kind of logKindNames) this.#refill(kind, after, shift)
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
      .prepare<Batch & { kind: string; body: string }>(
        'SELECT id, kind, records, oldest, newest, length(body) AS bytes, body FROM batches ORDER BY id',
      )
      .all()
    const unreadable: Batch[] = []
    for (const { kind, body, ...batch } of batches) {
      if (!isBatch(body)) unreadable.push(batch)
      else if (isKind(kind)) kept.get(kind)?.batches.push(batch)
    }
    if (unreadable.length > 0) {
      database.transact(() => {
        for (const { id } of unreadable) deleteBatch(database, id)
      }, 'refusable')
      this.#noteDamage(unreadable)
    }
    const marks = database.prepare<{ source: string; position: string }>('SELECT source, position FROM marks').all()
    const place = database.prepare<{ last: number }>('SELECT last FROM place').get()
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
    this.#isReplaced = true
  }
}
