// Seals what upgrade steps left in clear, before anyone sees it: a step is pure and has no key. Without a key it is left so, for
// who shows masks alone and writes nothing.

import { type Seal, sealFields } from '../model/reseal.ts'
import { type ItemId, type Slot, versionOf } from '../model/slots.ts'
import type { StoredChange } from './history.ts'
import type { ChangeSet } from './revision.ts'

type Slots = ReadonlyMap<string, Slot>

export class Sealer {
  readonly #slots: Slots
  readonly #seal: Seal | null

  constructor(slots: Slots, seal: Seal | null) {
    this.#slots = slots
    this.#seal = seal
  }

  /** `version` is the one that the value was stored under. */
  value(slot: Slot, version: number, id: ItemId | null, value: unknown): unknown {
    if (!this.#seal || version >= versionOf(slot) || value === null) return value
    return sealFields(slot.key, id ?? '', value, this.#seal)
  }

  /** `stored` is what `changes` were upgraded from. */
  changes(changes: ChangeSet, stored: readonly StoredChange[]): ChangeSet {
    return changes.map((change, index) => {
      const slot = this.#slots.get(change.slot)
      const { version = 1 } = stored[index] ?? {}
      if (!slot || !this.#seal || version >= versionOf(slot)) return change
      const [before, after] = [change.before, change.after].map((one) => this.value(slot, version, change.id, one))
      return { ...change, before, after }
    })
  }
}
