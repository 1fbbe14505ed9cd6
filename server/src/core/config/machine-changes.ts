// How changes reach the machine. What changes only tables is tried in the kernel, committed and settled, so that one kernel
// transaction is enough; everything else is checked, committed and applied, and reverted when that fails (decision 50).

import { say } from '../../shared/said.ts'
import { GatewayError, isUnavailable } from '../contract/error.ts'
import { type Attempt, type CheckReport, type Outcome, unsent } from '../plan/artifacts.ts'
import { allOf, changedAreas, type Rendered, sameArtifacts } from '../plan/planner.ts'
import type { PendingAreas } from './background.ts'
import type { ChangeRequest, EngineParts } from './change.ts'
import type { Snapshot } from './diff.ts'
import { explainLostApply, explainLostAttempt } from './lost-apply.ts'
import type { MachineFollower } from './machine.ts'
import {
  answer,
  type Baseline,
  type Prepared,
  type Ready,
  refusedByChecker,
  stillAllowed,
  system,
  undoing,
} from './prepared.ts'
import type { Probation } from './revision.ts'

/** The part of the engine that writes. */
export interface Ledger {
  head(): Snapshot
  /** Writes what is long of the changes that are about to be committed; undefined when nothing is. */
  stage(prepared: readonly Prepared[]): Promise<void> | undefined
  /** `rendered` is what the machine should hold from now on; `pending` are the background areas, where they change. */
  commit(prepared: readonly Prepared[], rendered: Rendered, probation?: Probation | null, pending?: PendingAreas): void
  /** Undefined changes nothing: no probation was requested and none is active. */
  probationFor(request: ChangeRequest<unknown>, revision: number): Probation | null | undefined
}

/** What became of changes that were tried together. */
export type Tried =
  | { readonly status: 'answered' }
  /** Some may not be made any longer, and their authors know; the others have to be prepared again. */
  | { readonly status: 'again'; readonly others: readonly Ready[] }
  /** Nothing was changed. When there are several, one of them may be at fault. */
  | { readonly status: 'refused'; readonly error: unknown }
  /** They have to be checked, committed and applied, one after the other. */
  | { readonly status: 'mixed' }

type Parts = Pick<EngineParts, 'applier' | 'clock'>

export class MachineChanges {
  readonly #parts: Parts
  readonly #machine: MachineFollower
  readonly #ledger: Ledger
  /** A committed change that failed on the machine; its revert could not be written to disk yet. */
  #pendingRevert: { readonly before: Baseline; readonly undo: Prepared } | null = null

  /** The end of the last settle, for which no change waits. */
  settled: Promise<void> = Promise.resolve()

  constructor(parts: Parts, machine: MachineFollower, ledger: Ledger) {
    this.#parts = parts
    this.#machine = machine
    this.#ledger = ledger
  }

  /** Throws what the checkers of the engines refuse; returns what none could check. */
  async check({ revision }: Prepared, rendered: Rendered): Promise<CheckReport['unchecked']> {
    if (sameArtifacts(allOf(this.#machine.rendered), allOf(rendered))) return []
    const plan = this.#machine.planToCheck(revision.revision, rendered)
    const { problems, unchecked } = await this.#parts.applier.check(plan)
    if (problems.length > 0) throw refusedByChecker(problems)
    return unchecked
  }

  /**
   * Changes of tables, each prepared on top of the one before; `rendered` is what `last` wants, the last of them. Nothing
   * else may be applied between the attempt and its end. Throws what keeps all of them from being made.
   */
  async attempt(group: readonly Ready[], last: Prepared, rendered: Rendered): Promise<Tried> {
    const { revision } = last.revision
    // Before the kernel has it: what is tried and not committed should be so for a moment only.
    await this.#ledger.stage(preparedOf(group))
    const tried = await this.#try(revision, rendered)
    if (tried.status !== 'applied') return tried
    // A session can end while the kernel works.
    const others = stillAllowed(group)
    if (others.length < group.length) {
      await this.#undo(revision)
      return { status: 'again', others }
    }
    let probation: Probation | null | undefined
    try {
      // A change on probation is always alone.
      probation = group[0] && this.#ledger.probationFor(group[0].waiting.request, revision)
      this.#ledger.commit(preparedOf(group), rendered, probation)
    } catch (error) {
      await this.#undo(revision)
      throw error
    }
    this.#machine.applied = { outcome: tried, error: null }
    // When it gets lost, applyd goes back to what was settled, and the reconcile loop brings the head revision again.
    this.settled = this.#parts.applier.settle(revision).catch((error: unknown) => this.#machine.noteError(error))
    for (const ready of group) answer(ready, probation ?? null)
    return { status: 'answered' }
  }

  async #try(
    revision: number,
    rendered: Rendered,
  ): Promise<Extract<Attempt, { status: 'applied' }> | Extract<Tried, { status: 'refused' | 'mixed' }>> {
    try {
      const tried = await this.#parts.applier.attempt(this.#machine.planOf(revision, rendered))
      return tried.status === 'refused' ? { status: 'refused', error: refusedByChecker(tried.problems) } : tried
    } catch (error) {
      if ((error as Error).cause === unsent) throw error
      // The kernel may have it all the same.
      const isUndone = await this.#undo(revision, true)
      if (isUnavailable(error)) throw explainLostAttempt(error, isUndone)
      return { status: 'refused', error }
    }
  }

  /** True when the machine has what is settled. It may not know an attempt that was lost, or undid it before. */
  async #undo(revision: number, isLost = false): Promise<boolean> {
    try {
      const outcome = await this.#parts.applier.undo(revision)
      if (outcome.status !== 'put_back') return true
      this.#machine.noteError(new Error(outcome.problems[0]?.message ?? 'The tables could not be restored.'))
    } catch (error) {
      if (isLost && !isUnavailable(error)) return true
      this.#machine.noteError(error)
    }
    return false
  }

  /** Changes that the machine does not notice, or not now. Throws what keeps all of them from being made. */
  async commit(group: readonly Ready[], rendered: Rendered): Promise<Tried> {
    const staging = this.#ledger.stage(preparedOf(group))
    if (staging) await staging
    // A session can end while others of the group are prepared.
    const others = stillAllowed(group)
    if (others.length < group.length) return { status: 'again', others }
    this.#ledger.commit(preparedOf(group), rendered)
    for (const ready of group) answer(ready)
    return { status: 'answered' }
  }

  /**
   * A change that is checked, committed and applied. What it changes in background areas is left to the reconcile loop, which
   * runs when it is notified of the change. Throws when it was not kept.
   */
  async applyChecked(ready: Ready, prepared: Prepared, wanted: Rendered): Promise<void> {
    const { request } = ready.waiting
    const { rendered, background } = this.#machine
    const before = { snapshot: this.#ledger.head(), rendered, background: background.pending }
    const touched = changedAreas(rendered, wanted)
    const isForeground = !sameArtifacts(wanted.foreground, rendered.foreground)
    const isNoticed = isForeground || touched.length > 0
    if (isNoticed && !request.isRevert) await this.check(prepared, wanted)
    await this.#ledger.stage([prepared])
    // A session can end while the checkers run.
    request.authorize?.(prepared.revision.changes)
    const probation = this.#ledger.probationFor(request, prepared.revision.revision)
    const pending = touched.length === 0 ? before.background : background.changed(touched, before.snapshot)
    this.#ledger.commit([prepared], wanted, probation, pending)
    if (isForeground) await this.#applyCommitted(request, before, prepared, wanted)
    answer(ready, probation ?? null)
  }

  async #applyCommitted(
    request: ChangeRequest<unknown>,
    before: Baseline,
    prepared: Prepared,
    wanted: Rendered,
  ): Promise<void> {
    let outcome: Outcome
    try {
      outcome = await this.#parts.applier.apply(this.#machine.planOf(prepared.revision.revision, wanted))
    } catch (error) {
      // Committed, but the apply service does not answer. A revert is kept: the reconcile loop applies it.
      this.#machine.noteError(error)
      if (request.isRevert) return
      await this.#revert(before, prepared)
      throw await explainLostApply(this.#parts.applier, prepared.revision.revision, error)
    }
    this.#machine.applied = { outcome, error: null }
    if (outcome.status !== 'put_back' || request.isRevert) return
    await this.#revert(before, prepared)
    throw new GatewayError(
      'not_applied',
      say`The change passed all checks but failed on the machine. It was reverted.`,
      {
        problems: outcome.problems,
      },
    )
  }

  async #revert(before: Baseline, failed: Prepared): Promise<void> {
    const undo = undoing(failed, before, system, this.#parts.clock.now())
    this.#pendingRevert = { before, undo }
    await this.#ledger.stage([undo])
    this.revertFailed()
  }

  /**
   * Commits the revision that reverts a failed change; the machine is already restored. Runs before anything else:
   * no change may be based on a failed one, and the reconcile loop must not apply it.
   */
  revertFailed(): void {
    if (!this.#pendingRevert) return
    const { before, undo } = this.#pendingRevert
    this.#ledger.commit([undo], before.rendered, null, before.background)
    this.#pendingRevert = null
  }
}

const preparedOf = (group: readonly Ready[]): readonly Prepared[] => group.flatMap(({ prepared }) => prepared ?? [])
