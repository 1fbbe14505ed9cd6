// The configuration at the revision up to which the history was removed: rows like those of the items, brought forward by
// what the removed change sets did (fold.ts). With it the rest of the history can still be replayed. The store decides when.

import type { Database } from '../database/database.ts'
import type { ItemId, Slot } from '../model/slots.ts'
import { upgradeValue } from '../model/upgrades.ts'
import type { Snapshot } from './diff.ts'
import type { Versioned } from './history.ts'
import type { LongText, LongTexts } from './long-texts.ts'
import { type ItemRow, idText, itemChecksum, placeOf, type Versions } from './rows.ts'

const genesis = Buffer.alloc(32)
const noContent = Buffer.alloc(16)

interface Head {
  /** 0: nothing was removed. */
  readonly revision: number
  /** Of that revision: the first one that is kept is linked to it. */
  readonly hash: Uint8Array
  /** All checksums of the rows together, so that a row that is gone is noticed too. */
  readonly content: Uint8Array
}

export type BaseItem = Pick<ItemRow, 'slot' | 'id' | 'position' | 'version'> & {
  readonly value: unknown
  /** Its text, when that was written already. */
  readonly long?: LongText
}

/** What brings the base forward: to a later revision, with the lists that change for the first time and the items that differ. */
export interface Forward {
  readonly revision: number
  readonly hash: Uint8Array
  readonly begun: Iterable<string>
  /** By slot and id. */
  readonly items: ReadonlyMap<string, BaseItem>
  readonly removed: Iterable<Pick<ItemRow, 'slot' | 'id'>>
}

const emptyHead: Head = { revision: 0, hash: genesis, content: noContent }

export class HistoryBase {
  readonly #database: Database
  readonly #slots: ReadonlyMap<string, Slot>
  readonly #texts: LongTexts
  #head: Head

  constructor(database: Database, slots: ReadonlyMap<string, Slot>, texts: LongTexts) {
    this.#database = database
    this.#slots = slots
    this.#texts = texts
    this.#head = this.#readHead()
    database.onRolledBack(() => {
      this.#head = this.#readHead()
    })
  }

  get revision(): number {
    return this.#head.revision
  }

  get hash(): Uint8Array {
    return this.#head.hash
  }

  #readHead(): Head {
    return this.#database.prepare<Head>('SELECT revision, hash, content FROM base WHERE one = 1').get() ?? emptyHead
  }

  hasSlot(key: string): boolean {
    return this.#database.prepare('SELECT slot FROM base_slots WHERE slot = ?').get(key) !== undefined
  }

  /** The value of an item, in the version it is stored in. */
  find(slot: string, id: ItemId | null): Versioned | undefined {
    const row = this.#row(slot, idText(id))
    return row && versioned(row, this.#texts.read(row.body))
  }

  /** What find() gives. */
  async findInSlices(
    slot: string,
    id: ItemId | null,
    slices: () => Promise<void> | undefined,
  ): Promise<Versioned | undefined> {
    const row = this.#row(slot, idText(id))
    return row && versioned(row, await this.#texts.readInSlices(row.body, slices))
  }

  /** In the transaction of the caller, who removes the revisions too. */
  save({ revision, hash, begun, items, removed }: Forward): void {
    for (const slot of begun) this.#database.prepare('INSERT OR IGNORE INTO base_slots (slot) VALUES (?)').run(slot)
    for (const { slot, id } of removed) this.#remove(slot, id)
    for (const item of items.values()) this.#put(item)
    this.#head = { ...this.#head, revision, hash }
    this.#database
      .prepare('INSERT OR REPLACE INTO base (one, revision, hash, content) VALUES (1, ?, ?, ?)')
      .run(revision, hash, this.#head.content)
  }

  #row(slot: string, id: string): ItemRow | undefined {
    return this.#database
      .prepare<ItemRow>('SELECT slot, id, position, body, checksum, version FROM base_items WHERE slot = ? AND id = ?')
      .get(slot, id)
  }

  #put({ slot, id, position, value, version, long }: BaseItem): void {
    const body = long?.reference ?? JSON.stringify(value)
    const checksum = itemChecksum({ slot, id, position, body, version })
    this.#count(this.#row(slot, id)?.checksum)
    this.#count(checksum)
    this.#database
      .prepare(
        'INSERT OR REPLACE INTO base_items (slot, id, position, body, checksum, version) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(slot, id, position, body, checksum, version)
  }

  #remove(slot: string, id: string): void {
    this.#count(this.#row(slot, id)?.checksum)
    this.#database.prepare('DELETE FROM base_items WHERE slot = ? AND id = ?').run(slot, id)
  }

  /** Counting a checksum a second time takes it out again. */
  #count(checksum: Uint8Array | undefined): void {
    if (checksum) this.#head = { ...this.#head, content: combined(this.#head.content, checksum) }
  }

  /**
   * Where a replay begins, with slots that this release does not know and their versions. Null when rows were damaged; a
   * configuration made of the rest would be a wrong one.
   */
  read(empty: Snapshot, versions: Versions): Snapshot | null {
    const config: Record<string, unknown> = { ...empty.config }
    const positions: Record<string, readonly number[]> = { ...empty.positions }
    const lists = new Map<string, { items: unknown[]; positions: number[] }>()
    for (const { slot } of this.#database.prepare<{ slot: string }>('SELECT slot FROM base_slots').all())
      if (this.#slots.get(slot)?.kind === 'list') lists.set(slot, { items: [], positions: [] })
    let content: Uint8Array = noContent
    const rows = this.#database
      .prepare<ItemRow>('SELECT slot, id, position, body, checksum, version FROM base_items ORDER BY slot, position')
      .all()
    for (const row of rows) {
      if (!itemChecksum(row).equals(row.checksum)) return null
      content = combined(content, row.checksum)
      const slot = this.#slots.get(row.slot)
      const text = this.#texts.read(row.body)
      if (text === null) return null
      const value: unknown = JSON.parse(text)
      if (!slot) versions.set(placeOf(row.slot, row.id), row.version)
      const upgraded = slot ? upgradeValue(slot, value, row.version) : value
      if (row.id === '') config[row.slot] = upgraded
      else {
        const list = lists.get(row.slot) ?? { items: [], positions: [] }
        list.items.push(upgraded)
        list.positions.push(row.position)
        lists.set(row.slot, list)
      }
    }
    if (!Buffer.from(content).equals(this.#head.content)) return null
    for (const [key, list] of lists) {
      config[key] = list.items
      positions[key] = list.positions
    }
    return { revision: this.#head.revision, config, positions }
  }
}

function versioned({ slot, id, version }: ItemRow, text: string | null): Versioned {
  if (text === null) throw new Error(`the base of the history is damaged at ${slot}[${id}]`)
  return { value: JSON.parse(text), version }
}

const combined = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  one.map((byte, index) => byte ^ (other[index] ?? 0))
