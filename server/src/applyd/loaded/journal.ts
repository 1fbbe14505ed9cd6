// The record of what the tables were loaded with: one line for each state that was settled, with what changed in it, so that
// a change of one rule writes one rule. Nothing is forced to the disk: after a power failure the kernel holds no tables, and
// the record carries the identity of the kernel that it is about. A kill loses nothing of what was written.

import { constants, writeSync } from 'node:fs'
import type { NftPart, NftPiece } from '../../core/plan/artifacts.ts'
import { isGenuine } from '../../core/plan/nft-piece.ts'
import { type Log, wordsOf } from '../../engines/kit/text.ts'
import { readRegular, removeDurable, withFile, writeDurable } from '../../shared/files/durable.ts'
import { withReserve } from '../../shared/files/reserve.ts'
import type { Counts } from '../../shared/netlink.ts'
import { areSame, compare, indexPieces, keyOf } from '../pieces.ts'

/** Of an apply; see the executor. */
export interface Mark {
  readonly id: string
  readonly revision: number
}

/** What is loaded. Lists of pieces never change. */
export interface Loaded {
  readonly epoch: string
  /** The generation of the kernel after the load; null when it is unknown whether all of it is ours. */
  readonly generation: number | null
  readonly carried: Counts
  readonly tables: ReadonlyMap<string, readonly NftPiece[]>
}

/** A part that the piece had before is named by its position there. */
type StoredPiece = Omit<NftPiece, 'parts'> & { readonly parts: readonly (number | NftPart)[] }

/** `isWhole`: these are all pieces of the table; otherwise the others stay. */
interface TableEntry {
  readonly isWhole: boolean
  readonly pieces: readonly StoredPiece[]
  readonly removed: readonly string[]
}

/** One state. `number` grows by one; a table that is null was removed. */
export interface Entry extends Mark {
  readonly number: number
  readonly epoch: string
  readonly generation: number | null
  readonly carried: readonly (readonly [origin: string, packets: number, bytes: number])[]
  readonly tables: Readonly<Record<string, TableEntry | null>>
}

/** By the hash of a piece: how the kernel lists it. */
export type Fingerprints = Map<string, string>

export const emptyState: Loaded = { epoch: '', generation: null, carried: new Map(), tables: new Map() }
const nothingSettled = { id: '', revision: 0, number: 0, state: emptyState }
const leastBytes = 512 * 1024
const compactMs = 2000
const unforced = { mode: 0o600, isForced: false } as const

export class Journal {
  readonly #path: string
  readonly #kernel: string
  readonly #log: Log
  #last: Mark & { readonly number: number; readonly state: Loaded } = nothingSettled
  #fingerprints: Fingerprints = new Map()
  /** False when the file has to be written in full before anything can be added to it. */
  #isWritable = false
  #wholeBytes = 0
  #addedBytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, kernel: string, log: Log) {
    this.#path = path
    this.#kernel = kernel
    this.#log = log
  }

  /**
   * Reads the record of this kernel. `committed` is the entry that the record of the executor holds: a kill may have come
   * before it was added here. Null when there is no record, or it does not hold together.
   */
  read(committed: Entry | null): (Mark & { readonly state: Loaded; readonly fingerprints: Fingerprints }) | null {
    try {
      const all = (readRegular(this.#path)?.toString() ?? '').split('\n')
      const rest = all.pop()
      const [head, ...lines] = all
      const isOurs = head !== undefined && (JSON.parse(head) as { kernel: string }).kernel === this.#kernel
      if (isOurs)
        for (const line of lines) this.#takeLine(JSON.parse(line) as Entry | { fingerprints: [string, string][] })
      // What a kill cut short would be in the middle of the next line.
      this.#isWritable = isOurs && rest === ''
      this.#wholeBytes = isOurs ? lines.reduce((sum, line) => sum + line.length, 0) : 0
      if (committed && committed.number > this.#last.number) {
        this.#follow(committed)
        this.#isWritable = false
      }
      return this.#last.number === 0 ? null : { ...this.#last, fingerprints: this.#fingerprints }
    } catch (fault) {
      this.#log('error', 'The record of the loaded rules cannot be read and is ignored', { reason: wordsOf(fault) })
      this.forget()
      return null
    }
  }

  /** The entry that leads from what was settled last to this state. */
  entryFor({ id, revision }: Mark, state: Loaded): Entry {
    return { number: this.#last.number + 1, id, revision, ...describe(this.#last.state, state) }
  }

  /** Called when the entry is committed. False when it could not be stored: then the next one stores everything. */
  add(entry: Entry, state: Loaded): boolean {
    this.#last = { id: entry.id, revision: entry.revision, number: entry.number, state }
    if (!this.#store(() => (this.#isWritable ? this.#write(JSON.stringify(entry)) : this.#rewrite()))) return false
    if (this.#addedBytes > Math.max(leastBytes, this.#wholeBytes))
      this.#timer ??= setTimeout(() => this.#compact(), compactMs).unref()
    return true
  }

  addFingerprints(found: Fingerprints): void {
    for (const [hash, fingerprint] of found) this.#fingerprints.set(hash, fingerprint)
    if (this.#isWritable) this.#store(() => this.#write(JSON.stringify({ fingerprints: [...found] })))
  }

  /** Nothing is loaded that is known. */
  forget(): void {
    this.#last = nothingSettled
    this.#fingerprints = new Map()
    this.#isWritable = false
    removeDurable(this.#path, unforced)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #takeLine(line: Entry | { readonly fingerprints: readonly (readonly [string, string])[] }): void {
    if ('fingerprints' in line)
      for (const [hash, fingerprint] of line.fingerprints) this.#fingerprints.set(hash, fingerprint)
    else this.#follow(line)
  }

  #follow(entry: Entry): void {
    const isFirst = this.#last.number === 0 && Object.values(entry.tables).every((table) => table?.isWhole !== false)
    if (!isFirst && entry.number !== this.#last.number + 1) throw new Error('A state is missing.')
    const { id, revision, number } = entry
    this.#last = { id, revision, number, state: replay(this.#last.state, entry) }
  }

  /** A moment after the change that made it necessary, which did not wait for it. Those that follow do not put it off. */
  #compact(): void {
    this.#timer = undefined
    this.#store(() => this.#rewrite())
  }

  #store(work: () => void): boolean {
    try {
      work()
      return true
    } catch (fault) {
      this.#log('warning', 'The record of the loaded rules cannot be written', { fault })
      return false
    }
  }

  #write(line: string): void {
    this.#isWritable = false
    const bytes = Buffer.from(`${line}\n`)
    withReserve(() =>
      withFile(this.#path, constants.O_WRONLY | constants.O_APPEND, (file) => {
        if (writeSync(file, bytes) < bytes.length) throw new Error('The record could be written only in part.')
      }),
    )
    this.#isWritable = true
    this.#addedBytes += bytes.length
  }

  #rewrite(): void {
    const { id, revision, number, state } = this.#last
    const entry: Entry = { number, id, revision, ...describe(emptyState, state) }
    const hashes = new Set([...state.tables.values()].flatMap((pieces) => pieces.map(({ hash }) => hash)))
    this.#fingerprints = new Map([...this.#fingerprints].filter(([hash]) => hashes.has(hash)))
    const lines = [{ kernel: this.#kernel }, { fingerprints: [...this.#fingerprints] }, entry]
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    this.#isWritable = false
    writeDurable(this.#path, text, unforced)
    this.#isWritable = true
    this.#wholeBytes = text.length
    this.#addedBytes = 0
  }
}

function describe(before: Loaded, { epoch, generation, carried, tables }: Loaded) {
  const changed = new Map<string, TableEntry | null>()
  for (const table of before.tables.keys()) if (!tables.has(table)) changed.set(table, null)
  for (const [table, pieces] of tables) {
    const old = before.tables.get(table)
    if (!old || !areSame(old, pieces)) changed.set(table, describeTable(old, pieces))
  }
  const counts = [...carried].map(([origin, { packets, bytes }]) => [origin, packets, bytes] as const)
  return { epoch, generation, carried: counts, tables: Object.fromEntries(changed) }
}

function describeTable(old: readonly NftPiece[] | undefined, pieces: readonly NftPiece[]): TableEntry {
  if (!old) return { isWhole: true, pieces, removed: [] }
  const { changed, added, vanished } = compare(old, pieces)
  const stored = changed.map(([before, piece]) => storedPiece(before, piece))
  return { isWhole: false, pieces: [...stored, ...added], removed: vanished.map(keyOf) }
}

function storedPiece(before: NftPiece, piece: NftPiece): StoredPiece {
  const positions = new Map(before.parts.map(({ hash }, at) => [hash, at]))
  return { ...piece, parts: piece.parts.map((part) => positions.get(part.hash) ?? part) }
}

function replay({ tables }: Loaded, entry: Entry): Loaded {
  const after = new Map(tables)
  for (const [table, change] of Object.entries(entry.tables)) {
    if (!change) after.delete(table)
    else after.set(table, replayTable(change.isWhole ? [] : (after.get(table) ?? []), change))
  }
  const carried = entry.carried.map(([origin, packets, bytes]) => [origin, { packets, bytes }] as const)
  return { epoch: entry.epoch, generation: entry.generation, carried: new Map(carried), tables: after }
}

function replayTable(before: readonly NftPiece[], { pieces, removed }: TableEntry): readonly NftPiece[] {
  const all = new Map(indexPieces(before))
  for (const key of removed) all.delete(key)
  for (const { parts, ...rest } of pieces) {
    const known = all.get(keyOf(rest))?.parts ?? []
    const piece = { ...rest, parts: parts.map((part) => (typeof part === 'number' ? known[part] : part)) }
    if (!isComplete(piece) || !isGenuine(piece)) throw new Error(`${keyOf(rest)} is damaged.`)
    all.set(keyOf(piece), piece)
  }
  return [...all.values()]
}

const isComplete = (piece: Omit<NftPiece, 'parts'> & { parts: readonly (NftPart | undefined)[] }): piece is NftPiece =>
  piece.parts.every((part) => part !== undefined)
