// Change sets as they are stored become change sets of this release: each was written under the version that its slot had
// then. Decides nothing; the store reads all of the history through here.

import { say } from '../../shared/said.ts'
import { NewerDataError } from '../database/database.ts'
import { type ItemId, type Slot, versionOf } from '../model/slots.ts'
import { upgradeValue } from '../model/upgrades.ts'
import { inverse } from './diff.ts'
import type { ChangeSet, SplicedChange } from './revision.ts'
import { valueAfter } from './splices.ts'

/** `version` of the slot when it was written; absent: 1. */
export interface StoredChange extends SplicedChange {
  readonly version?: number
}

/** A value with the version it has. */
export interface Versioned {
  readonly value: unknown
  readonly version: number
}

type Slots = ReadonlyMap<string, Slot>

/** What an item was before the first change set that is still there. */
export type FindBase = (slot: string, id: ItemId | null) => Versioned | undefined

export const refuseNewer = (slot: Slot, version: number): void => {
  if (version <= versionOf(slot)) return
  throw new NewerDataError(
    say`The stored "${slot.key}" has version ${version}; this release knows versions up to ${versionOf(slot)}. Start the newer release, or use another state folder.`,
  )
}

/** True when the change can be upgraded only together with the value before it, because a long list was left out. */
const needsBase = (slots: Slots, { slot: key, version = 1, spliced }: StoredChange): boolean => {
  const slot = slots.get(key)
  return spliced !== undefined && slot !== undefined && version < versionOf(slot)
}

/**
 * Brings `wanted` (oldest first) up to date. `all` gives the history from `findBase` on up to the last of them; it is read
 * only when a change of an older version left a long list out.
 */
export function upgradeHistory(
  slots: Slots,
  wanted: readonly (readonly StoredChange[])[],
  all: () => Iterable<readonly StoredChange[]>,
  findBase: FindBase,
): ChangeSet[] {
  if (!wanted.some((changes) => changes.some((change) => needsBase(slots, change))))
    return wanted.map((changes) => changes.map((change) => upgradeChange(slots, change)))
  const upgrader = new HistoryUpgrader(slots, findBase)
  const upgraded: ChangeSet[] = []
  for (const changes of all()) {
    upgraded.push(upgrader.upgrade(changes))
    if (upgraded.length > wanted.length) upgraded.shift()
  }
  return upgraded
}

/** Takes the whole history, change set by change set from the first one that is there on. */
export class HistoryUpgrader {
  readonly #slots: Slots
  /** The last value of each item of a slot that has upgrades, in the version it was stored in. */
  readonly #last = new Map<string, Versioned>()

  readonly #findBase: FindBase

  constructor(slots: Slots, findBase: FindBase) {
    this.#slots = slots
    this.#findBase = findBase
  }

  upgrade(changes: readonly StoredChange[]): ChangeSet {
    return changes.map((change) => {
      const slot = this.#slots.get(change.slot)
      return slot && versionOf(slot) > 1 ? this.#upgradeTracked(slot, change) : upgradeChange(this.#slots, change)
    })
  }

  #upgradeTracked(slot: Slot, change: StoredChange): SplicedChange {
    const { version = 1 } = change
    const key = JSON.stringify([slot.key, change.id])
    const base = this.#last.get(key) ?? this.#findBase(slot.key, change.id)
    const after = change.spliced
      ? valueAfter(change, base && upgradeValue(slot, base.value, base.version, version))
      : change.after
    this.#last.set(key, { value: after, version })
    if (!needsBase(this.#slots, change)) return upgradeChange(this.#slots, change)
    const { spliced: _leftOut, ...whole } = change
    const [undone] = inverse([change])
    const before = undone ? valueAfter(undone, after) : change.before
    return upgradeChange(this.#slots, { ...whole, before, after })
  }
}

/** A change of a slot that this release does not know stays as it is. */
function upgradeChange(slots: Slots, change: StoredChange): SplicedChange {
  const slot = slots.get(change.slot)
  if (!slot) return change
  const { version = 1, ...rest } = change
  refuseNewer(slot, version)
  if (slot.kind === 'list' && version === versionOf(slot)) return rest
  const [before, after] = [rest.before, rest.after].map((value) => upgradeValue(slot, value, version))
  return { ...rest, before, after }
}
