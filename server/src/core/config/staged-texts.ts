// What is long of revisions that are about to be committed, written before their commit, which then only refers to it.

import type { Urgency } from '../database/database.ts'
import { createSlices } from '../workers/slices.ts'
import type { StoredChange } from './history.ts'
import { jsonTexts } from './long-json.ts'
import { isLong, type LongText, type LongTexts } from './long-texts.ts'
import type { Change, Revision } from './revision.ts'
import type { StoredItems } from './stored-items.ts'

interface Staged {
  readonly changes: LongText | undefined
  readonly items: ReadonlyMap<Change, LongText>
}

export class StagedTexts {
  readonly #texts: LongTexts
  readonly #items: StoredItems
  readonly #toStored: (change: Change) => StoredChange
  readonly #staged = new WeakMap<Revision, Staged>()

  constructor(texts: LongTexts, items: StoredItems, toStored: (change: Change) => StoredChange) {
    this.#texts = texts
    this.#items = items
    this.#toStored = toStored
  }

  /**
   * With others in between; undefined when nothing is long. The commit has to follow before others are staged: what was not
   * committed by then is given up, and is written in one go should its commit still come.
   */
  stage(revisions: readonly Revision[], urgency: Urgency): Promise<void> | undefined {
    const long = revisions.filter(({ changes }) => isLong(changes))
    if (long.length === 0) return undefined
    this.#texts.giveUpOthers()
    return this.#write(long, urgency)
  }

  async #write(revisions: readonly Revision[], urgency: Urgency): Promise<void> {
    const slices = createSlices()
    for (const revision of revisions) {
      const items = new Map<Change, LongText>()
      const stored: StoredChange[] = []
      for (const change of revision.changes) {
        await slices()
        stored.push(this.#toStored(change))
        if (change.after === null || !isLong(change.after) || this.#items.canSplice(change)) continue
        items.set(change, await this.#texts.write(jsonTexts(change.after), urgency, slices))
      }
      const changes = isLong(stored) ? await this.#texts.write(jsonTexts(stored), urgency, slices) : undefined
      this.#staged.set(revision, { changes, items })
    }
  }

  itemOf(revision: Revision, change: Change): LongText | undefined {
    return this.#kept(this.#staged.get(revision)?.items.get(change))
  }

  changesOf(revision: Revision): LongText | undefined {
    return this.#kept(this.#staged.get(revision)?.changes)
  }

  #kept(long: LongText | undefined): LongText | undefined {
    return long && this.#texts.has(long) ? long : undefined
  }
}
