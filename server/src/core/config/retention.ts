// How much history is kept: when it outgrows its limits, the oldest revisions are removed in small steps, each with an audit
// record in the same transaction. What they did stays in the base of the history.

import { isUnavailable } from '../contract/error.ts'
import type { Database } from '../database/database.ts'
import type { ConfigView } from './change.ts'
import type { HistorySize } from './history-size.ts'
import type { ConfigStore } from './store.ts'

export interface RetentionParts {
  readonly database: Database
  readonly store: ConfigStore
  readonly engine: Pick<ConfigView, 'background' | 'onChanged' | 'probation'>
  readonly limits: () => HistorySize
  /** Runs inside the transaction that removes them. */
  readonly onRemoved: (first: number, last: number) => void
  readonly onFault: (error: unknown) => void
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** These are kept whatever their size, so that the last changes can be reverted. */
export const leastRevisions = 10
/** Rows are removed in stretches: the history may be larger than its limits by this part of them. */
const slack = 20
/** Removed before others get their turn: a change of a long list has megabytes. */
const removedAtOnce: HistorySize = { revisions: 20, bytes: 512 * 1024 }

export class HistoryKeeper {
  readonly #parts: RetentionParts
  #isWaiting = false
  #isRemoving = false

  constructor(parts: RetentionParts) {
    this.#parts = parts
    parts.engine.onChanged(() => this.look())
    this.look()
  }

  /** A change on probation may be one of the limits: what it removed would not come back with its revert. */
  look(): void {
    const { store, limits, engine } = this.#parts
    this.#removeUnused()
    if (engine.probation) return
    const { revisions, bytes } = limits()
    const isOver = store.size.revisions > revisions + revisions / slack || store.size.bytes > bytes + bytes / slack
    if (isOver && store.size.revisions > leastRevisions) this.#goOn(this.#surplus())
  }

  /** Texts that no revision and no item needs any longer, some at a time. */
  #removeUnused(): void {
    const { database, store, onFault } = this.#parts
    if (this.#isRemoving || !store.hasUnused()) return
    this.#isRemoving = true
    setImmediate(() => {
      this.#isRemoving = false
      if (!database.isOpen) return
      try {
        store.removeUnused()
        this.#removeUnused()
      } catch (error) {
        if (!isUnavailable(error)) onFault(error)
      }
    })
  }

  /** An area that is applied in the background may have to return to the last revision that worked. */
  #surplus(): number {
    const { store, engine, limits } = this.#parts
    return Math.min(store.surplus(limits(), leastRevisions), ...engine.background.map(({ good }) => good - 1))
  }

  #goOn(upTo: number): void {
    if (this.#isWaiting || upTo <= this.#parts.store.removedUpTo) return
    this.#isWaiting = true
    setImmediate(() => void this.#removeAll(upTo))
  }

  async #removeAll(upTo: number): Promise<void> {
    const { database, store, onFault } = this.#parts
    try {
      while (database.isOpen && upTo > store.removedUpTo && (await this.#remove(upTo)) !== null) await nextTurn()
    } catch (error) {
      // A full disk: the next change tries again.
      if (database.isOpen && !isUnavailable(error)) onFault(error)
    } finally {
      this.#isWaiting = false
    }
  }

  async #remove(upTo: number): Promise<number | null> {
    const { database, store, onRemoved } = this.#parts
    using fold = await store.foldOldest(upTo, removedAtOnce)
    return database.transact(() => {
      const last = store.remove(fold)
      if (last !== null) onRemoved(fold.from + 1, last)
      return last
    }, 'refusable')
  }
}
