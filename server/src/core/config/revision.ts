// What a revision is: who made it, what it changed, and the one that waits for confirmation.

import type { ItemId } from '../model/slots.ts'

/** One item added or replaced, removed (`after` null) or moved (only the position differs). Singles have id null. */
export interface Change {
  readonly slot: string
  readonly id: ItemId | null
  readonly before: unknown
  readonly after: unknown
  readonly from: number | null
  readonly to: number | null
}

/** From `at` on, the entries `before` were replaced by `after`; `unchanged` other entries are the same on both sides. */
export interface Splice {
  readonly at: number
  readonly before: readonly unknown[]
  readonly after: readonly unknown[]
  readonly unchanged: number
}

/** A change whose long lists are replaced by null in `before` and `after`, and described by the part that differs. */
export interface SplicedChange extends Change {
  readonly spliced?: Readonly<Record<string, Splice>>
}

/** A new change has whole values; one read from disk may have only the differing part of a long list. */
export type ChangeSet = readonly SplicedChange[]

export interface RevisionInfo {
  readonly revision: number
  readonly time: string
  readonly author: string
  readonly address: string
  readonly reason: string
}

export interface Revision extends RevisionInfo {
  readonly changes: ChangeSet
}

/** A change that is reverted automatically unless it is confirmed in time. */
export interface Probation {
  readonly revision: number
  readonly author: string
  readonly seconds: number
  /** Boot for which `deadline` (elapsed seconds of that boot) is valid. */
  readonly boot: string
  readonly deadline: number
  /** The same time by the wall clock, for display. */
  readonly deadlineTime: string
}
