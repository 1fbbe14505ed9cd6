// What a change is before it is made: calls that are tried, shown to the person and sent together.

import type { Endpoint } from '@gateway/server/contract'
import type { Problem } from './failure.ts'

/** The id of what call `of` of the same change creates goes to a place of the body, where null is. */
export interface IdOfCall {
  readonly into: string
  readonly of: number
}

export interface PlannedCall {
  readonly endpoint: Endpoint
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  /** Of the list or settings that the person saw. */
  readonly etag?: string | null
  /** Only in a change of several calls. */
  readonly ids?: readonly IdOfCall[]
}

export interface ChangePlan {
  /** In words, such as "Change rule 42". */
  readonly title: string
  /** Several are one change with one revision. */
  readonly calls: readonly PlannedCall[]
  /** Offer to revert it unless kept within so many seconds. */
  readonly confirmWithin?: number
  /** What is read again afterwards. */
  readonly reads: readonly Endpoint[]
  /** With the reply of each call. */
  readonly onApplied?: (replies: readonly unknown[]) => void
  /** The gateway refused values: they belong to fields of the page that asked. */
  readonly onProblems?: (problems: readonly Problem[]) => void
  /** Someone else changed the same list: the plan on top of what is there now, or null when the page asks the person. */
  readonly onConflict?: () => Promise<ChangePlan | null>
}
