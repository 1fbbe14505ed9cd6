// Reads revisions straight from the database, without the engine: what one changed, and the configuration as it was then. For
// a worker with a connection of its own, where neither the size of a configuration nor the length of the history delays
// requests.

import type { Database } from '../database/database.ts'
import type { Config, Slot } from '../model/slots.ts'
import type { DescribedRevision } from './change.ts'
import { describeChanges } from './describe.ts'
import { applyChanges, inverse, type Snapshot } from './diff.ts'
import type { ChangeSet } from './revision.ts'
import { ConfigStore } from './store.ts'

/** Configurations share what they have in common, so a few cost little. */
const maxKept = 4
/** Behind by more than this, the newest configuration is read again instead of following change by change. */
const maxFollowed = 200

export class RevisionReader {
  readonly #database: Database
  readonly #store: ConfigStore
  readonly #keys: ReadonlySet<string>
  #newest: Snapshot | null = null
  /** Used last comes last. */
  readonly #kept = new Map<number, Snapshot>()

  /** Changes of other slots than these are described as they are stored, and are not part of configurations. */
  constructor(database: Database, slots: readonly Slot[]) {
    this.#database = database
    this.#store = new ConfigStore(database, slots)
    this.#keys = new Set(slots.map(({ key }) => key))
  }

  /** A revision with a description of what it changed; null when it does not exist. */
  describe(revision: number): DescribedRevision | null {
    const found = this.#database.look(() => this.#store.findRevision(revision))
    if (!found) return null
    const { changes, ...info } = found
    return { ...info, changes: describeChanges(changes) }
  }

  /** The configuration as it was at a revision, with further changes; null when there is no such revision. */
  configAt(revision: number, changes: ChangeSet = []): Config | null {
    const snapshot = this.#database.look(() => this.#snapshotAt(revision))
    if (changes.length === 0) return snapshot?.config ?? null
    return snapshot && applyChanges(snapshot, this.#ownOf(changes), revision).config
  }

  #snapshotAt(revision: number): Snapshot | null {
    const newest = this.#followNewest()
    if (revision > newest.revision || !this.#store.hasRevision(revision)) return null
    const later = [...this.#kept.values(), newest].filter((kept) => kept.revision >= revision)
    const nearest = later.reduce((best, kept) => (kept.revision < best.revision ? kept : best), newest)
    const found = this.#store
      .revisionsBetween(revision, nearest.revision)
      .reduceRight((snapshot, number) => applyChanges(snapshot, inverse(this.#changesOf(number)), number - 1), nearest)
    const snapshot = { ...found, revision }
    this.#kept.delete(revision)
    this.#kept.set(revision, snapshot)
    for (const oldest of this.#kept.keys()) if (this.#kept.size > maxKept) this.#kept.delete(oldest)
    return snapshot
  }

  /** Rules that did not change stay the very values for which results are remembered. */
  #followNewest(): Snapshot {
    const number = this.#store.newestRevision()
    const known = this.#newest
    const missed = known ? this.#store.revisionsBetween(known.revision, number) : []
    // Revisions that were removed in the meantime cannot be followed.
    const isComplete = known !== null && missed.length === number - known.revision
    this.#newest =
      isComplete && missed.length <= maxFollowed
        ? missed.reduce((snapshot, next) => applyChanges(snapshot, this.#changesOf(next), next), known)
        : this.#store.readNewest()
    return this.#newest
  }

  #changesOf(revision: number): ChangeSet {
    return this.#ownOf(this.#store.findRevision(revision)?.changes ?? [])
  }

  #ownOf(changes: ChangeSet): ChangeSet {
    return changes.filter(({ slot }) => this.#keys.has(slot))
  }
}
