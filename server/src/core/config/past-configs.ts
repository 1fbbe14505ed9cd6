// Configurations of past revisions, made by undoing what came after. A long history is undone in slices before a change needs
// the result, because the change itself cannot wait.

import type { Config } from '../model/slots.ts'
import { applyChanges, inverse, type Snapshot } from './diff.ts'
import type { ConfigStore } from './store.ts'
import { type LaterChange, laterChangesIn, type PastChange, touchedBy } from './undo.ts'

/** Lets others work when its time is used up. */
type Slices = () => Promise<void> | undefined

export class PastConfigs {
  readonly #store: ConfigStore
  /** A past configuration never changes; the last one is enough for the change that follows. */
  #kept: { readonly revision: number; readonly config: Config } | null = null

  constructor(store: ConfigStore) {
    this.#store = store
  }

  /** Null when there is no such revision. */
  find(head: Snapshot, revision: number): Config | null {
    if (revision === head.revision) return head.config
    if (revision > head.revision || !this.#store.hasRevision(revision)) return null
    if (this.#kept?.revision === revision) return this.#kept.config
    return this.snapshotAt(head, revision).config
  }

  /** Of a revision that is kept. */
  snapshotAt(head: Snapshot, revision: number): Snapshot {
    return this.#store
      .changesSince(revision)
      .reduce((snapshot, changes) => applyChanges(snapshot, inverse(changes), revision), head)
  }

  /** Afterwards find() has it at hand. */
  async load(head: Snapshot, revision: number, slices: Slices): Promise<void> {
    if (revision >= head.revision || !this.#store.hasRevision(revision) || this.#kept?.revision === revision) return
    let snapshot = head
    for (const number of this.#store.revisionsBetween(revision, head.revision).toReversed()) {
      await slices()
      const changes = (await this.#store.loadRevision(number, slices))?.changes ?? []
      snapshot = applyChanges(snapshot, inverse(changes), number - 1)
    }
    this.#kept = { revision, config: snapshot.config }
  }

  /** What one revision changed, and who changed the same objects since; null when it is not kept. */
  async loadChange(head: Snapshot, revision: number, slices: Slices): Promise<PastChange | null> {
    const wanted = revision > head.revision ? null : await this.#store.loadRevision(revision, slices)
    if (!wanted) return null
    const touched = touchedBy(wanted.changes)
    const later: LaterChange[] = []
    let snapshot = head
    for (const number of this.#store.revisionsBetween(revision, head.revision).toReversed()) {
      await slices()
      const found = await this.#store.loadRevision(number, slices)
      if (!found) continue
      later.push(...laterChangesIn(found, touched))
      snapshot = applyChanges(snapshot, inverse(found.changes), number - 1)
    }
    const before = applyChanges(snapshot, inverse(wanted.changes), revision - 1)
    return { revision, before: before.config, after: snapshot.config, changes: wanted.changes, later }
  }
}
