// The rows of items. Of a long list inside of an item, a change of a few entries is stored beside the row, as a splice; the
// row is written whole again from time to time. The checksums of a row and its splices are a chain, and its end is stored
// once more, so that a damaged or missing splice is noticed. A row too long for one go refers to its text (long-texts.ts). The
// store decides what is written, and in which transaction.

import { hash as digest } from 'node:crypto'
import type { Database } from '../database/database.ts'
import { lengthOf } from './long-json.ts'
import { bytesOf, type LongText, type LongTexts } from './long-texts.ts'
import type { Change, SplicedChange } from './revision.ts'
import { type ItemRow, idText, itemChecksum, placeOf } from './rows.ts'
import { spliceLists, valueAfter } from './splices.ts'

/** Bytes of an item below which it is written whole: it costs no more. */
const longItem = 32 * 1024
/** More splices than this, or more bytes of them than a part of the item, and the item is written whole. */
const maxSplices = 128
const maxShare = 1 / 4
/** A splice is written in one go. */
const maxSpliceLength = 256 * 1024

interface SpliceRow {
  readonly slot: string
  readonly id: string
  readonly sequence: number
  readonly body: string
  readonly checksum: Uint8Array
}

type EndRow = Pick<SpliceRow, 'slot' | 'id' | 'checksum'>

/** What is on the disk of a long item. */
interface Written {
  /** The very value that the row and its splices give. */
  readonly value: unknown
  readonly bytes: number
  readonly splices: number
  readonly spliceBytes: number
  /** The end of the chain. */
  readonly checksum: Uint8Array
}

/** The splices of one item in their order, and the checksum that the last one must have. */
interface Chain {
  readonly rows: SpliceRow[]
  end: Uint8Array | null
}

type Chains = ReadonlyMap<string, Chain>

export interface StoredRows {
  readonly rows: readonly ItemRow[]
  readonly chains: Chains
}

export class StoredItems {
  readonly #database: Database
  readonly #texts: LongTexts
  readonly #written = new Map<string, Written>()
  /** Items that have splices, or had some; null as long as nothing was read. Spares a look for each of ten thousand items. */
  #spliced: Set<string> | null = null

  constructor(database: Database, texts: LongTexts) {
    this.#database = database
    this.#texts = texts
    database.onRolledBack(() => this.#written.clear())
  }

  /** All rows of all slots, or of these, by slot and position. */
  read(slots?: Iterable<string>): StoredRows {
    const all = () =>
      this.#database
        .prepare<ItemRow>('SELECT slot, id, position, body, checksum, version FROM items ORDER BY slot, position')
        .all()
    const own = this.#database.prepare<ItemRow>(
      'SELECT slot, id, position, body, checksum, version FROM items WHERE slot = ? ORDER BY slot, position',
    )
    const rows = slots ? [...slots].flatMap((slot) => own.all(slot)) : all()
    return { rows, chains: this.#readChains() }
  }

  /** The row as a whole; `long`: its text was written already. */
  put({ slot, id, position, version }: Omit<ItemRow, 'body' | 'checksum'>, value: unknown, long?: LongText): void {
    const body = long?.reference ?? JSON.stringify(value)
    const checksum = itemChecksum({ slot, id, position, body, version })
    this.#database
      .prepare(
        `INSERT INTO items (slot, id, position, body, checksum, version) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (slot, id) DO UPDATE SET position = excluded.position, body = excluded.body,
           checksum = excluded.checksum, version = excluded.version`,
      )
      .run(slot, id, position, body, checksum, version)
    this.#removeSplices(slot, id)
    this.#note(slot, id, { value, bytes: long?.bytes ?? body.length, splices: 0, spliceBytes: 0, checksum })
  }

  /** Whether it is enough to store what differs. */
  canSplice(change: Change): boolean {
    const written = this.#written.get(placeOf(change.slot, idText(change.id)))
    if (!written || written.value !== change.before || change.from !== change.to) return false
    const { after, spliced } = spliceLists(change)
    if (!spliced || written.splices >= maxSplices) return false
    const most = Math.min(maxSpliceLength, written.bytes * maxShare - written.spliceBytes)
    return lengthOf({ after, spliced }, most) <= most
  }

  /** Stores what differs; false when the item has to be written whole. */
  splice(change: Change): boolean {
    const [slot, id] = [change.slot, idText(change.id)]
    const written = this.#written.get(placeOf(slot, id))
    if (!written || !this.canSplice(change)) return false
    const { after, spliced } = spliceLists(change)
    const body = JSON.stringify({ after, spliced })
    const spliceBytes = written.spliceBytes + body.length
    const row = { slot, id, sequence: written.splices + 1, body }
    const checksum = chained(written.checksum, row)
    this.#database
      .prepare('INSERT INTO item_splices (slot, id, sequence, body, checksum) VALUES (?, ?, ?, ?, ?)')
      .run(slot, id, row.sequence, body, checksum)
    this.#database
      .prepare('INSERT OR REPLACE INTO item_splice_ends (slot, id, checksum) VALUES (?, ?, ?)')
      .run(slot, id, checksum)
    this.#spliced?.add(placeOf(slot, id))
    const value = change.after
    this.#written.set(placeOf(slot, id), { ...written, value, splices: row.sequence, spliceBytes, checksum })
    return true
  }

  remove(slot: string, id: string): void {
    this.#database.prepare('DELETE FROM items WHERE slot = ? AND id = ?').run(slot, id)
    this.#removeSplices(slot, id)
  }

  #removeSplices(slot: string, id: string): void {
    // Only a long item can have a text beside its row.
    if (this.#written.delete(placeOf(slot, id))) this.#texts.noteUnused()
    if (this.#spliced?.has(placeOf(slot, id)) === false) return
    this.#database.prepare('DELETE FROM item_splices WHERE slot = ? AND id = ?').run(slot, id)
    this.#database.prepare('DELETE FROM item_splice_ends WHERE slot = ? AND id = ?').run(slot, id)
  }

  removeAll(): void {
    this.#written.clear()
    this.#database.prepare('DELETE FROM items').run()
    this.#database.prepare('DELETE FROM item_splices').run()
    this.#database.prepare('DELETE FROM item_splice_ends').run()
  }

  #readChains(): Chains {
    const chains = new Map<string, Chain>()
    const chainOf = ({ slot, id }: EndRow): Chain => {
      const chain = chains.get(placeOf(slot, id)) ?? { rows: [], end: null }
      chains.set(placeOf(slot, id), chain)
      return chain
    }
    const rows = this.#database.prepare<SpliceRow>(
      'SELECT slot, id, sequence, body, checksum FROM item_splices ORDER BY slot, id, sequence',
    )
    for (const row of rows.all()) chainOf(row).rows.push(row)
    const ends = this.#database.prepare<EndRow>('SELECT slot, id, checksum FROM item_splice_ends').all()
    for (const row of ends) chainOf(row).end = row.checksum
    this.#spliced = new Set([...(this.#spliced ?? []), ...chains.keys()])
    return chains
  }

  /** This very value was read from the row: changes of it can be stored as splices. */
  follow(row: ItemRow, chains: Chains, value: unknown): void {
    const { rows } = chains.get(placeOf(row.slot, row.id)) ?? noChain
    this.#note(row.slot, row.id, {
      value,
      bytes: bytesOf(row.body),
      splices: rows.length,
      spliceBytes: rows.reduce((sum, { body }) => sum + body.length, 0),
      checksum: rows.at(-1)?.checksum ?? row.checksum,
    })
  }

  #note(slot: string, id: string, written: Written): void {
    if (written.bytes >= longItem) this.#written.set(placeOf(slot, id), written)
  }
}

const noChain: Chain = { rows: [], end: null }

/** What the row and its splices give, in the version of the row; undefined when its text or a splice is damaged or missing. */
export function readItem(row: ItemRow, chains: Chains, texts: LongTexts): unknown {
  const { rows, end } = chains.get(placeOf(row.slot, row.id)) ?? noChain
  const text = texts.read(row.body)
  if (text === null) return undefined
  let checksum: Uint8Array = row.checksum
  let value: unknown = JSON.parse(text)
  for (const splice of rows) {
    checksum = chained(checksum, splice)
    if (!isEqual(checksum, splice.checksum)) return undefined
    const stored = JSON.parse(splice.body) as Required<Pick<SplicedChange, 'after' | 'spliced'>>
    value = valueAfter({ slot: row.slot, id: row.id, before: null, from: null, to: null, ...stored }, value)
  }
  return isEqual(checksum, end ?? row.checksum) ? value : undefined
}

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.from(one).equals(other)

/** The sequence is part of it, so that the order is too. */
const chained = (before: Uint8Array, { slot, id, sequence, body }: Omit<SpliceRow, 'checksum'>): Buffer =>
  digest('sha256', Buffer.concat([before, Buffer.from(JSON.stringify([slot, id, sequence, body]))]), 'buffer').subarray(
    0,
    16,
  )
