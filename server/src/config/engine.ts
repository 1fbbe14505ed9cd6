// All changes of the configuration. Every change waits in a queue, is verified, checked by the engines' own
// checkers, committed as a revision and applied; a change that fails on the machine is reverted. Nothing else writes.

import { GatewayError } from '../contract/error.ts'
import type { Config, Slot } from '../model/slots.ts'
import type { Outcome } from '../plan/artifacts.ts'
import { allOf, changedAreas, newProblems, sameArtifacts } from '../plan/planner.ts'
import { diffArtifacts } from '../plan/text-diff.ts'
import { BackgroundApplies, type BackgroundRow, type BackgroundState, rowsOf } from './background.ts'
import type {
  Actor,
  ApplyState,
  ChangeRequest,
  ChangeResult,
  ConfigView,
  DescribedRevision,
  DryRun,
  Edit,
  EngineParts,
} from './change.ts'
import { describeChanges } from './describe.ts'
import { applyChanges, type ChangeSet, diffConfig, inverse, type Snapshot } from './diff.ts'
import { explainLostApply } from './lost-apply.ts'
import { MachineFollower } from './machine.ts'
import {
  type Baseline,
  needsItsOwnTurn,
  type Prepared,
  type Ready,
  refusedByChecker,
  type Waiting,
} from './prepared.ts'
import { ProbationWatch } from './probation.ts'
import type { Probation, Revision, RevisionInfo } from './store.ts'

/** How many changes share one commit at most, so that the event loop is not blocked for long. */
const maxShared = 64

/** The gateway itself, when no administrator made the request. */
const system: Actor = { login: 'system', address: '127.0.0.1' }

export class ConfigEngine implements ConfigView {
  readonly #parts: EngineParts
  #head: Snapshot
  readonly #machine: MachineFollower
  #slotRevisions: Record<string, number>
  #sequences: Record<string, number>
  readonly #probation: ProbationWatch
  readonly #queue: Waiting[] = []
  readonly #listeners: (() => void)[] = []
  #working: Promise<void> | null = null
  /** An apply of the reconcile loop that is in progress. */
  #applying: Promise<void> | null = null
  /** A committed change that failed on the machine; its revert could not be written to disk yet. */
  #pendingRevert: { readonly before: Baseline; readonly failed: Prepared } | null = null
  readonly damage: readonly string[]

  constructor(parts: EngineParts) {
    this.#parts = parts
    const loaded = parts.store.load()
    this.#head = loaded.snapshot
    this.#slotRevisions = loaded.slotRevisions
    this.#sequences = loaded.sequences
    this.#probation = new ProbationWatch(parts.clock, loaded.probation, ({ revision, seconds }) =>
      this.putBack(system, `Revision ${revision} was not confirmed within ${seconds} s`),
    )
    this.damage = loaded.damage
    const background = new BackgroundApplies(parts.clock.elapsed, loaded.background, (revision) =>
      this.configAt(revision),
    )
    this.#machine = new MachineFollower(parts, this.#head, loaded.background, background)
  }

  get config(): Config {
    return this.#head.config
  }

  get revision(): number {
    return this.#head.revision
  }

  get slots(): readonly Slot[] {
    return this.#parts.slots
  }

  /** The last number assigned in each list. */
  get sequences(): Readonly<Record<string, number>> {
    return this.#sequences
  }

  get probation(): Probation | null {
    return this.#probation.current
  }

  get applied(): ApplyState {
    return this.#machine.applied
  }

  /** Whether the configuration of an area is in force, for areas that are applied in the background. */
  backgroundState(area: string): BackgroundState {
    return this.#machine.background.stateOf(area)
  }

  /** The areas whose changes are in progress or failed. */
  get background(): readonly BackgroundRow[] {
    return this.#machine.background.rows
  }

  /** The revision that last touched the slot: the value behind its ETag. */
  slotRevision(slot: string): number {
    return this.#slotRevisions[slot] ?? 0
  }

  /** The listener is called after every change, when it is applied to the machine too. */
  onChanged(listener: () => void): void {
    this.#listeners.push(listener)
  }

  change<R>(request: ChangeRequest<R>): Promise<ChangeResult<R>> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve: resolve as Waiting['resolve'], reject })
      this.#wake()
    })
  }

  /** A dry run: what a change would do to objects and to the machine. */
  async dryRun<R>(request: ChangeRequest<R>): Promise<DryRun> {
    const { prepared } = this.#prepare(this.#head, this.#sequences, request)
    if (!prepared) return { changes: [], artifacts: [], unchecked: [] }
    const [before, after] = [this.#machine.rendered, prepared.rendered]
    const report = sameArtifacts(allOf(before), allOf(after))
      ? { problems: [], unchecked: [] }
      : await this.#parts.applier.check(this.#machine.planToCheck(prepared.revision.revision, prepared.rendered))
    if (report.problems.length > 0) throw refusedByChecker(report.problems)
    return {
      changes: describeChanges(prepared.revision.changes),
      artifacts: diffArtifacts(allOf(before), allOf(after)),
      unchecked: report.unchecked.map((item) => `${item.artifact}: ${item.reason}`),
    }
  }

  /** The configuration that a change would result in, verified; nothing else happens. */
  preview(edit: Edit<unknown>): Config {
    const request = { edit, actor: system, reason: '', isRevert: true }
    return this.#prepare(this.#head, this.#sequences, request).prepared?.snapshot.config ?? this.#head.config
  }

  listRevisions(limit: number, offset: number): RevisionInfo[] {
    return this.#parts.store.listRevisions(limit, offset)
  }

  /** A revision with a description of what it changed. */
  describeRevision(number: number): DescribedRevision | null {
    const found = this.#parts.store.findRevision(number)
    if (!found) return null
    const { changes, ...info } = found
    return { ...info, changes: describeChanges(changes) }
  }

  /** The configuration as it was at a revision; null when it does not exist. */
  configAt(revision: number): Config | null {
    if (revision === this.#head.revision) return this.#head.config
    if (revision !== 0 && !this.#parts.store.findRevision(revision)) return null
    if (revision > this.#head.revision) return null
    const undone = this.#parts.store
      .changesSince(revision)
      .reduce((snapshot, changes) => applyChanges(snapshot, inverse(changes), revision), this.#head)
    return undone.config
  }

  #configAtOrThrow(revision: number): Config {
    const config = this.configAt(revision)
    if (!config) throw new GatewayError('not_found', `There is no revision ${revision}.`)
    return config
  }

  /** Ends the probation and keeps the change. */
  confirm(): Probation {
    this.#revertFailed()
    const probation = this.#probation.require()
    this.#parts.store.commit({ revisions: [], sequences: {}, probation: null })
    this.#probation.set(null)
    return probation
  }

  /** Reverts the change on probation at once. */
  async putBack(actor: Actor, reason: string): Promise<ChangeResult<null>> {
    const { revision } = this.#probation.require()
    return this.change({ edit: () => [this.#configAtOrThrow(revision - 1), null], actor, reason, isRevert: true })
  }

  /** Starts the timer of a probation that a restart interrupted. Call once, when the applier is wired. */
  resumeProbation(): void {
    this.#probation.resume()
  }

  /**
   * Brings the machine to the head revision with fresh facts. The only path for start, drift and retries. It waits
   * in the queue as changes do, but changes that do not affect the machine continue while it waits for applyd.
   */
  async reconcile(): Promise<void> {
    let apply = Promise.resolve()
    await this.#takeTurn(() => {
      apply = (this.#applying ?? Promise.resolve()).then(() => this.#applyHead())
      this.#applying = apply
    })
    await apply
    if (this.#applying === apply) this.#applying = null
  }

  async #applyHead(): Promise<void> {
    try {
      this.#revertFailed()
      await this.#machine.follow(() => this.#head)
    } catch (error) {
      this.#machine.noteError(error)
    }
  }

  /** Waits until nothing is in progress; used to stop cleanly. */
  async idle(): Promise<void> {
    while (this.#working || this.#applying) await (this.#working ?? this.#applying)
  }

  close(): void {
    this.#probation.stop()
  }

  #wake(): void {
    if (this.#working || this.#queue.length === 0) return
    // One turn of the event loop lets requests that arrived together share a commit.
    void this.#takeTurn(() => new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#work()))
  }

  /** One after the other, in the order of the requests. */
  #takeTurn(work: () => void | Promise<void>): Promise<void> {
    const turn = (this.#working ?? Promise.resolve()).then(work)
    this.#working = turn
    return turn.finally(() => {
      if (this.#working === turn) this.#working = null
      this.#wake()
    })
  }

  async #work(): Promise<void> {
    try {
      this.#revertFailed()
    } catch (error) {
      for (const waiting of this.#queue.splice(0)) waiting.reject(error)
      return
    }
    let shared: Ready[] = []
    let head = this.#head
    let sequences = this.#sequences
    for (let count = 0; count < maxShared; count++) {
      const waiting = this.#queue.shift()
      if (!waiting) break
      if (waiting.request.expects) {
        // A precondition is checked against what is committed, so the changes collected so far are committed first.
        this.#commitShared(shared)
        shared = []
        head = this.#head
        sequences = this.#sequences
      }
      let ready: Ready
      try {
        ready = { waiting, ...this.#prepare(head, sequences, waiting.request) }
      } catch (error) {
        waiting.reject(error)
        continue
      }
      const { prepared } = ready
      if (prepared && needsItsOwnTurn(waiting.request, prepared, this.#machine.rendered)) {
        if (this.#commitShared(shared) && !this.#applying) await this.#applyAlone(ready, prepared)
        else await this.#tryLater(waiting)
        return
      }
      shared.push(ready)
      if (prepared) {
        head = prepared.snapshot
        sequences = { ...sequences, ...prepared.sequences }
      }
    }
    this.#commitShared(shared)
  }

  /** The revision it was prepared on changed, or the machine is busy: it is prepared again next. */
  async #tryLater(waiting: Waiting): Promise<void> {
    this.#queue.unshift(waiting)
    await this.#applying
  }

  #prepare<R>(
    head: Snapshot,
    sequences: Readonly<Record<string, number>>,
    request: ChangeRequest<R>,
  ): { prepared: Prepared | null; result: R } {
    if (!request.isRevert) this.#probation.refuseOthers()
    this.#refuseStale(request)
    const used: Record<string, number> = {}
    const [wanted, result] = request.edit(head.config, {
      nextId: (slot) => {
        const id = (used[slot.key] ?? sequences[slot.key] ?? 0) + 1
        used[slot.key] = id
        return id
      },
      keepIds: (slot, upTo) => {
        used[slot.key] = Math.max(upTo, used[slot.key] ?? sequences[slot.key] ?? 0)
      },
      referencesTo: this.#parts.referencesTo ?? (() => []),
    })
    const { changes, snapshot } = diffConfig(this.#parts.slots, head, wanted)
    if (changes.length === 0) return { prepared: null, result }
    const problems = newProblems(this.#parts.planner, head.config, snapshot.config)
    if (problems.length > 0) {
      const message = problems[0]?.message ?? 'The resulting configuration would be invalid.'
      throw new GatewayError('invalid', message, { problems })
    }
    this.#refuseLockOut(head.config, snapshot.config, request)
    const revision = this.#newRevision(head.revision + 1, request, changes)
    return {
      result,
      prepared: {
        revision,
        requestId: request.requestId ?? '',
        snapshot: { ...snapshot, revision: revision.revision },
        rendered: this.#parts.planner.renderParts(snapshot.config, this.#parts.facts()),
        sequences: used,
      },
    }
  }

  #refuseLockOut(before: Config, after: Config, request: ChangeRequest<unknown>): void {
    if (request.isRevert || request.confirmWithinSeconds !== undefined) return
    const reason = this.#parts.lockOut?.(before, after, request.actor) ?? null
    if (reason === null) return
    throw new GatewayError(
      'conflict',
      `${reason} Send it with the header Portcullis-Confirm-Within to have it reverted unless you confirm it in time.`,
    )
  }

  #newRevision(
    revision: number,
    request: Pick<ChangeRequest<unknown>, 'actor' | 'reason'>,
    changes: ChangeSet,
  ): Revision {
    return {
      revision,
      time: this.#parts.clock.now().toISOString(),
      author: request.actor.login,
      address: request.actor.address,
      reason: request.reason,
      changes,
    }
  }

  #refuseStale(request: ChangeRequest<unknown>): void {
    const { expects } = request
    if (expects && this.slotRevision(expects.slot) !== expects.revision) {
      throw new GatewayError('precondition_failed', 'This was changed since you read it. Reload and try again.')
    }
  }

  /** Changes that do not affect the machine: one transaction for all of them. False when it could not be written. */
  #commitShared(shared: readonly Ready[]): boolean {
    const prepared = shared.flatMap((ready) => (ready.prepared ? [ready.prepared] : []))
    try {
      if (prepared.length > 0) this.#commit(prepared)
    } catch (error) {
      for (const { waiting } of shared) waiting.reject(error)
      return false
    }
    for (const { waiting, prepared: own, result } of shared) {
      waiting.resolve({ result, revision: own?.revision.revision ?? null, probation: null })
    }
    if (prepared.length > 0) this.#notify()
    return true
  }

  #commit(
    prepared: readonly Prepared[],
    probation?: Probation | null,
    pending = this.#machine.background.pending,
  ): void {
    const { database, store, onCommit } = this.#parts
    const revisions = prepared.map((p) => p.revision)
    const sequences = Object.assign({}, ...prepared.map((p) => p.sequences)) as Record<string, number>
    database.transact(() => {
      store.commit({
        ...{ revisions, sequences },
        ...(probation === undefined ? {} : { probation }),
        ...(pending === this.#machine.background.pending ? {} : { background: rowsOf(pending) }),
      })
      onCommit(prepared)
    })
    const last = prepared.at(-1)
    this.#machine.commit(last?.rendered, pending)
    if (last) this.#head = last.snapshot
    this.#sequences = { ...this.#sequences, ...sequences }
    for (const revision of revisions) {
      for (const change of revision.changes) this.#slotRevisions[change.slot] = revision.revision
    }
    if (probation !== undefined) this.#probation.set(probation)
  }

  /**
   * A change that affects the machine: check, commit, apply, and revert when that fails. What it changes in background areas
   * is left to the reconcile loop, which runs when it is notified of the change.
   */
  async #applyAlone(ready: Ready, prepared: Prepared): Promise<void> {
    const { waiting, result } = ready
    const { request } = waiting
    try {
      const { rendered, background } = this.#machine
      const before = { snapshot: this.#head, rendered, background: background.pending }
      const touched = changedAreas(rendered, prepared.rendered)
      const isForeground = !sameArtifacts(prepared.rendered.foreground, rendered.foreground)
      if ((isForeground || touched.length > 0) && !request.isRevert) {
        const report = await this.#parts.applier.check(
          this.#machine.planToCheck(prepared.revision.revision, prepared.rendered),
        )
        if (report.problems.length > 0) throw refusedByChecker(report.problems)
      }
      const probation = this.#probationFor(request, prepared.revision.revision)
      const pending = touched.length === 0 ? before.background : background.changed(touched, before.snapshot)
      this.#commit([prepared], probation, pending)
      if (isForeground) await this.#applyCommitted(request, before, prepared)
      waiting.resolve({ result, revision: prepared.revision.revision, probation: probation ?? null })
    } catch (error) {
      waiting.reject(error)
    }
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Undefined changes nothing: no probation was requested and none is active. */
  #probationFor(request: ChangeRequest<unknown>, revision: number): Probation | null | undefined {
    if (request.isRevert) return null
    const seconds = request.confirmWithinSeconds
    return seconds === undefined ? undefined : this.#probation.make(revision, request.actor, seconds)
  }

  async #applyCommitted(request: ChangeRequest<unknown>, before: Baseline, prepared: Prepared): Promise<void> {
    let outcome: Outcome
    try {
      outcome = await this.#parts.applier.apply(this.#machine.planOf(prepared.revision.revision, prepared.rendered))
    } catch (error) {
      // Committed, but the apply service does not answer. A revert is kept: the reconcile loop applies it.
      this.#machine.noteError(error)
      if (request.isRevert) return
      this.#pendingRevert = { before, failed: prepared }
      this.#revertFailed()
      throw await explainLostApply(this.#parts.applier, prepared.revision.revision, error)
    }
    this.#machine.applied = { outcome, error: null }
    if (outcome.status !== 'put_back' || request.isRevert) return
    this.#pendingRevert = { before, failed: prepared }
    this.#revertFailed()
    throw new GatewayError('not_applied', 'The change passed all checks but failed on the machine. It was reverted.', {
      problems: outcome.problems,
    })
  }

  /**
   * Commits the revision that reverts a failed change; the machine is already restored. Runs before anything else:
   * no change may be based on a failed one, and the reconcile loop must not apply it.
   */
  #revertFailed(): void {
    if (!this.#pendingRevert) return
    const { before, failed } = this.#pendingRevert
    const number = failed.revision.revision + 1
    const revision = this.#newRevision(
      number,
      { actor: system, reason: `Revision ${number - 1} failed on the machine` },
      inverse(failed.revision.changes),
    )
    this.#commit(
      [
        {
          revision,
          requestId: failed.requestId,
          snapshot: { ...before.snapshot, revision: number },
          rendered: before.rendered,
          sequences: {},
        },
      ],
      null,
      before.background,
    )
    this.#pendingRevert = null
  }
}
