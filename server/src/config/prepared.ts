// A change on its way through the engine: asked for, prepared, ready to be committed. Types, and what follows from them alone.

import { GatewayError, type Problem } from '../contract/error.ts'
import { allOf, type Rendered, sameArtifacts } from '../plan/planner.ts'
import type { BackgroundStanding } from './background.ts'
import type { ChangeRequest, ChangeResult, Committed } from './change.ts'
import type { Snapshot } from './diff.ts'

export interface Prepared extends Committed {
  readonly snapshot: Snapshot
  readonly rendered: Rendered
  readonly sequences: Record<string, number>
}

/** Where the configuration and the machine stood before a change. */
export interface Standing {
  readonly snapshot: Snapshot
  readonly rendered: Rendered
  readonly background: BackgroundStanding
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

/** Shared commits are for changes the machine does not notice; put-backs and probations are always alone. */
export const needsItsOwnTurn = (request: ChangeRequest<unknown>, prepared: Prepared, current: Rendered): boolean =>
  request.isPutBack === true ||
  request.confirmWithinSeconds !== undefined ||
  (!request.isDeferred && !sameArtifacts(allOf(prepared.rendered), allOf(current)))

export const refusedByChecker = (problems: readonly Problem[]): GatewayError =>
  new GatewayError('invalid', problems[0]?.message ?? 'The engine refuses the result.', { problems })
