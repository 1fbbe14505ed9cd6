// A change on its way through the engine: requested, prepared, ready to be committed. Types and pure functions of them.

import { GatewayError, type Problem } from '../contract/error.ts'
import type { Urgency } from '../database/database.ts'
import { allOf, type Rendered, sameArtifacts } from '../plan/planner.ts'
import type { PendingAreas } from './background.ts'
import type { ChangeRequest, ChangeResult, Committed } from './change.ts'
import type { Snapshot } from './diff.ts'

export interface Prepared extends Committed {
  readonly snapshot: Snapshot
  readonly rendered: Rendered
  readonly sequences: Record<string, number>
  /** Whether a full disk may refuse it. */
  readonly urgency: Urgency
}

/** The configuration, and what the machine was to hold, before a change. */
export interface Baseline {
  readonly snapshot: Snapshot
  readonly rendered: Rendered
  readonly background: PendingAreas
}

export interface Waiting {
  readonly request: ChangeRequest<unknown>
  readonly resolve: (result: ChangeResult<unknown>) => void
  readonly reject: (error: unknown) => void
}

export interface Ready {
  readonly waiting: Waiting
  readonly prepared: Prepared | null
  readonly result: unknown
}

/** Shared commits are for changes the machine does not notice; reverts, probations and what a full disk must not refuse
 * are always committed alone. */
export const needsItsOwnTurn = (request: ChangeRequest<unknown>, prepared: Prepared, current: Rendered): boolean =>
  request.isRevert === true ||
  prepared.urgency === 'urgent' ||
  request.confirmWithinSeconds !== undefined ||
  (!request.isDeferred && !sameArtifacts(allOf(prepared.rendered), allOf(current)))

export const refusedByChecker = (problems: readonly Problem[]): GatewayError =>
  new GatewayError('invalid', problems[0]?.message ?? 'The engine rejected the resulting configuration.', { problems })
