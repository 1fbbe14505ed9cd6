// The oldest revisions, about to be removed: what the base of the history becomes by them is made in memory, with others in between,
// and what is long of it is written beside the rows. Then one short transaction saves it and removes the revisions (store.ts).

import { type Slot, versionOf } from '../model/slots.ts'
import { upgradeValue } from '../model/upgrades.ts'
import type { BaseItem, Forward, HistoryBase } from './base.ts'
import type { FindBase, StoredChange, Versioned } from './history.ts'
import { jsonTexts } from './long-json.ts'
import { isLong, type LongText, type LongTexts } from './long-texts.ts'
import { idText, placeOf, type RevisionRow, revisionHash } from './rows.ts'
import { valueAfter } from './splices.ts'

type Slices = () => Promise<void> | undefined

export class Fold implements Forward {
  readonly #base: HistoryBase
  readonly #slots: ReadonlyMap<string, Slot>
  readonly #texts: LongTexts
  /** What splices are applied to, of the base as it is. */
  readonly #loaded = new Map<string, Versioned | undefined>()
  readonly #removed = new Map<string, { readonly slot: string; readonly id: string }>()
  readonly #held: LongText[] = []
  /** A long item that twenty revisions changed is written once. */
  readonly items = new Map<string, BaseItem>()
  readonly begun = new Set<string>()
  /** The revision of the base that this brings forward. */
  readonly from: number
  revision: number
  hash: Uint8Array

  constructor(base: HistoryBase, slots: ReadonlyMap<string, Slot>, texts: LongTexts) {
    this.#base = base
    this.#slots = slots
    this.#texts = texts
    this.from = base.revision
    this.revision = base.revision
    this.hash = base.hash
  }

  get removed(): Iterable<{ readonly slot: string; readonly id: string }> {
    return this.#removed.values()
  }

  readonly find: FindBase = (slot, id) => {
    const place = placeOf(slot, idText(id))
    if (this.#removed.has(place)) return undefined
    return this.items.get(place) ?? (this.#loaded.has(place) ? this.#loaded.get(place) : this.#base.find(slot, id))
  }

  /** The next revisions, up to a damaged one; from then on what is long has its text beside the row. Once. */
  async add(
    rows: readonly RevisionRow[],
    upgrade: (stored: readonly StoredChange[]) => readonly StoredChange[],
    slices: Slices,
  ): Promise<void> {
    for (const row of rows) {
      const text = await this.#texts.readInSlices(row.changes, slices)
      if (text === null) break
      const stored = JSON.parse(text) as StoredChange[]
      await this.#load(stored, slices)
      if (!this.#addOne(row, upgrade(stored))) break
      await slices()
    }
    await this.#writeLong(slices)
  }

  /** Reads what these changes leave out. */
  async #load(changes: readonly StoredChange[], slices: Slices): Promise<void> {
    for (const { slot, id, spliced } of changes) {
      const place = placeOf(slot, idText(id))
      if (!spliced || this.items.has(place) || this.#loaded.has(place)) continue
      this.#loaded.set(place, await this.#base.findInSlices(slot, id, slices))
    }
  }

  /** False, and nothing is done, when its hash does not fit. */
  #addOne(row: RevisionRow, changes: readonly StoredChange[]): boolean {
    const hash = revisionHash(this.hash, row, row.changes)
    if (!hash.equals(row.hash)) return false
    for (const slot of new Set(changes.map((change) => change.slot))) this.#begin(slot)
    for (const change of changes) this.#apply(change)
    this.revision = row.revision
    this.hash = hash
    return true
  }

  /** The first change of a list brings its initial items, as it does in the store. */
  #begin(key: string): void {
    if (this.begun.has(key) || this.#base.hasSlot(key)) return
    this.begun.add(key)
    const slot = this.#slots.get(key)
    if (slot?.kind !== 'list') return
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
    const value = valueAfter(change, this.#before(change, slot))
    this.#keep({ slot: change.slot, id, position: change.to ?? 0, value, version })
  }

  #before({ slot: key, id, spliced }: StoredChange, slot: Slot | undefined): unknown {
    const known = spliced && this.find(key, id)
    return slot && known ? upgradeValue(slot, known.value, known.version) : known?.value
  }

  #keep(item: BaseItem): void {
    const place = placeOf(item.slot, item.id)
    this.#removed.delete(place)
    this.items.set(place, item)
  }

  #remove(slot: string, id: string): void {
    const place = placeOf(slot, id)
    this.items.delete(place)
    this.#removed.set(place, { slot, id })
  }

  async #writeLong(slices: Slices): Promise<void> {
    try {
      for (const [place, item] of this.items) {
        await slices()
        if (!isLong(item.value)) continue
        const long = await this.#texts.hold(jsonTexts(item.value), slices)
        this.#held.push(long)
        this.items.set(place, { ...item, long })
      }
    } catch (error) {
      this[Symbol.dispose]()
      throw error
    }
  }

  /** Whether it was saved or not: what no row refers to now is not needed. */
  [Symbol.dispose](): void {
    for (const long of this.#held) this.#texts.release(long)
  }
}
