// A change on its way through the engine: requested, prepared, ready to be committed. Types and pure functions of them.

import { say } from '../../shared/said.ts'
import { GatewayError, type Problem } from '../contract/error.ts'
import type { Urgency } from '../database/database.ts'
import type { Config } from '../model/slots.ts'
import type { Rendered } from '../plan/planner.ts'
import type { PendingAreas } from './background.ts'
import type { Actor, ChangeRequest, ChangeResult, Committed, EditTools, LockOutGuard } from './change.ts'
import { inverse, type Snapshot } from './diff.ts'
import type { ChangeSet, Probation, Revision } from './revision.ts'

export interface Prepared extends Committed {
  readonly snapshot: Snapshot
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
  /** The revision on probation that was reverted for it. */
  readonly reverted?: number
}

export interface Ready {
  readonly waiting: Waiting
  readonly prepared: Prepared | null
  readonly result: unknown
  /** Why it is refused on top of those before it. They may still not be kept: then it is judged again. */
  readonly refusal?: { readonly error: unknown }
}

/** The gateway itself, when no administrator made the request. */
export const system: Actor = { login: 'system', address: '127.0.0.1' }

/** Never made together with others: reverts, probations, what a full disk must not refuse, what does not wait for the machine. */
export const isAlone = (request: ChangeRequest<unknown>, { urgency }: Prepared): boolean =>
  request.isRevert === true ||
  request.isDeferred === true ||
  urgency === 'urgent' ||
  request.confirmWithinSeconds !== undefined

/** What is kept of a group when it is time to commit: the authors of the others are refused. */
export const stillAllowed = (group: readonly Ready[]): Ready[] =>
  group.filter(({ waiting, prepared }) => {
    try {
      if (prepared) waiting.request.authorize?.(prepared.revision.changes)
      return true
    } catch (error) {
      waiting.reject(error)
      return false
    }
  })

/** Once it is committed, or when there is nothing to commit. */
export function answer({ waiting, prepared, result, refusal }: Ready, probation: Probation | null = null): void {
  const revision = prepared?.revision.revision ?? null
  if (refusal) waiting.reject(refusal.error)
  else waiting.resolve({ result, revision, probation, reverted: waiting.reverted ?? null })
}

export const refusedByChecker = (problems: readonly Problem[]): GatewayError =>
  new GatewayError('invalid', problems[0]?.message ?? say`The engine rejected the resulting configuration.`, {
    problems,
  })

/** A change for which one on probation was reverted; should it fail on the machine, its author learns of the revert too. */
export const afterRevert = (waiting: Waiting, reverted: number): Waiting => ({
  ...waiting,
  reverted,
  reject: (error) => {
    if (!(error instanceof GatewayError)) return waiting.reject(error)
    const message = say`${error.message} Revision ${reverted}, which was on probation, had been reverted before.`
    waiting.reject(new GatewayError(error.code, message, { problems: error.problems, cause: error.cause ?? error }))
  },
})

/** Numbers assigned by an edit are in `used` and become final with its commit. */
export function editTools(
  sequences: Readonly<Record<string, number>>,
  referencesTo: EditTools['referencesTo'] = () => [],
): { readonly tools: EditTools; readonly used: Record<string, number> } {
  const used: Record<string, number> = {}
  const last = (key: string): number => used[key] ?? sequences[key] ?? 0
  const tools: EditTools = {
    nextId: ({ key }) => {
      used[key] = last(key) + 1
      return used[key]
    },
    keepIds: ({ key }, upTo) => {
      used[key] = Math.max(upTo, last(key))
    },
    referencesTo,
  }
  return { tools, used }
}

export const revisionOf = (
  revision: number,
  request: Pick<ChangeRequest<unknown>, 'actor' | 'reason'>,
  changes: ChangeSet,
  now: Date,
): Revision => ({
  revision,
  time: now.toISOString(),
  author: request.actor.login,
  address: request.actor.address,
  reason: request.reason,
  changes,
})

/** The revision that reverts one that failed on the machine. */
export function undoing(failed: Prepared, before: Baseline, actor: Actor, now: Date): Prepared {
  const revision = failed.revision.revision + 1
  const reason = `Revision ${failed.revision.revision} failed on the machine`
  return {
    revision: revisionOf(revision, { actor, reason }, inverse(failed.revision.changes), now),
    requestId: failed.requestId,
    snapshot: { ...before.snapshot, revision },
    sequences: {},
    urgency: 'urgent',
  }
}

export function refuseLockOut(
  guard: LockOutGuard | undefined,
  before: Config,
  after: Config,
  request: ChangeRequest<unknown>,
): void {
  if (request.isRevert || request.confirmWithinSeconds !== undefined) return
  const reason = guard?.(before, after, request.actor) ?? null
  if (reason === null) return
  throw new GatewayError(
    'conflict',
    say`${reason} Send it with the header Portcullis-Confirm-Within to have it reverted unless you confirm it in time.`,
    { reason: 'lock_out' },
  )
}
