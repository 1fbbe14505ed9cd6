// The configuration at the revision up to which the history was removed: rows like those of the items, brought forward by
// each change set that is removed. With it the rest of the history can still be replayed. The store decides when.

import type { Database } from '../database/database.ts'
import { type ItemId, type Slot, versionOf } from '../model/slots.ts'
import { upgradeValue } from '../model/upgrades.ts'
import type { Snapshot } from './diff.ts'
import type { StoredChange, Versioned } from './history.ts'
import { type ItemRow, idText, itemChecksum, placeOf, type RevisionRow, revisionHash, type Versions } from './rows.ts'
import { valueAfter } from './splices.ts'

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

type BaseItem = Pick<ItemRow, 'slot' | 'id' | 'position' | 'version'> & { readonly value: unknown }

const emptyHead: Head = { revision: 0, hash: genesis, content: noContent }

export class HistoryBase {
  readonly #database: Database
  readonly #slots: ReadonlyMap<string, Slot>
  #head: Head
  /** Items to be written: a long one that twenty revisions changed is written once. */
  readonly #unsaved = new Map<string, BaseItem>()

  constructor(database: Database, slots: ReadonlyMap<string, Slot>) {
    this.#database = database
    this.#slots = slots
    this.#head = this.#readHead()
    database.onRolledBack(() => {
      this.#head = this.#readHead()
      this.#unsaved.clear()
    })
  }

  get revision(): number {
    return this.#head.revision
  }

  get hash(): Uint8Array {
    return this.#head.hash
  }

  #readHead(): Head {
    const row = this.#database.prepare('SELECT revision, hash, content FROM base WHERE one = 1').get()
    return (row as unknown as Head | undefined) ?? emptyHead
  }

  /** The value of an item, in the version it is stored in. */
  find(slot: string, id: ItemId | null): Versioned | undefined {
    const unsaved = this.#unsaved.get(placeOf(slot, idText(id)))
    if (unsaved) return unsaved
    const row = this.#row(slot, idText(id))
    return row && { value: JSON.parse(row.body), version: row.version }
  }

  /**
   * Brings the base forward by the next revision; false, and nothing is done, when its hash does not fit. The caller saves it in
   * the same transaction.
   */
  add(row: RevisionRow, changes: readonly StoredChange[]): boolean {
    const hash = revisionHash(this.#head.hash, row, row.changes)
    if (!hash.equals(row.hash)) return false
    for (const slot of new Set(changes.map((change) => change.slot))) this.#begin(slot)
    for (const change of changes) this.#apply(change)
    this.#head = { ...this.#head, revision: row.revision, hash }
    return true
  }

  save(): void {
    for (const item of this.#unsaved.values()) this.#put(item)
    this.#unsaved.clear()
    const { revision, hash, content } = this.#head
    this.#database
      .prepare('INSERT OR REPLACE INTO base (one, revision, hash, content) VALUES (1, ?, ?, ?)')
      .run(revision, hash, content)
  }

  /** The first change of a list brings its initial items, as it does in the store. */
  #begin(key: string): void {
    const { changes } = this.#database.prepare('INSERT OR IGNORE INTO base_slots (slot) VALUES (?)').run(key)
    const slot = this.#slots.get(key)
    if (changes === 0 || slot?.kind !== 'list') return
    slot.initial.forEach((item, index) => {
      this.#keep({ slot: key, id: idText(item.id), position: index + 1, value: item, version: versionOf(slot) })
    })
  }

  #apply(change: StoredChange): void {
    const id = idText(change.id)
    if (change.after === null) {
      this.#remove(change.slot, id)
      return
    }
    const slot = this.#slots.get(change.slot)
    const version = slot ? versionOf(slot) : (change.version ?? 1)
    const known = change.spliced ? this.find(change.slot, change.id) : undefined
    const before = slot && known ? upgradeValue(slot, known.value, known.version) : known?.value
    this.#keep({ slot: change.slot, id, position: change.to ?? 0, value: valueAfter(change, before), version })
  }

  #keep(item: BaseItem): void {
    this.#unsaved.set(placeOf(item.slot, item.id), item)
  }

  #row(slot: string, id: string): ItemRow | undefined {
    return this.#database
      .prepare('SELECT slot, id, position, body, checksum, version FROM base_items WHERE slot = ? AND id = ?')
      .get(slot, id) as unknown as ItemRow | undefined
  }

  #put({ slot, id, position, value, version }: BaseItem): void {
    const body = JSON.stringify(value)
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
    this.#unsaved.delete(placeOf(slot, id))
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
    for (const { slot } of this.#database.prepare('SELECT slot FROM base_slots').all() as { slot: string }[])
      if (this.#slots.get(slot)?.kind === 'list') lists.set(slot, { items: [], positions: [] })
    let content: Uint8Array = noContent
    const rows = this.#database
      .prepare('SELECT slot, id, position, body, checksum, version FROM base_items ORDER BY slot, position')
      .all() as unknown as ItemRow[]
    for (const row of rows) {
      if (!itemChecksum(row).equals(row.checksum)) return null
      content = combined(content, row.checksum)
      const slot = this.#slots.get(row.slot)
      const value: unknown = JSON.parse(row.body)
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

const combined = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  one.map((byte, index) => byte ^ (other[index] ?? 0))
