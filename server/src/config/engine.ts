// All changes of the configuration. Every change waits in a queue, is verified, checked by the engines' own
// checkers, committed as a revision and applied; a change that fails on the machine is reverted. Nothing else writes.

import { GatewayError } from '../contract/error.ts'
import type { Config, Slot } from '../model/slots.ts'
import type { CheckReport, Outcome } from '../plan/artifacts.ts'
import { allOf, changedAreas, newProblems, sameArtifacts } from '../plan/planner.ts'
import { diffArtifacts } from '../plan/text-diff.ts'
import { BackgroundApplies, type BackgroundRow, type BackgroundState, rowsOf } from './background.ts'
import type {
  Actor,
  ApplyState,
  Authorize,
  ChangeRequest,
  ChangeResult,
  ConfigView,
  DryRun,
  Edit,
  EngineParts,
  HistoryState,
  Preview,
} from './change.ts'
import { ChangeQueue } from './change-queue.ts'
import { describeChanges } from './describe.ts'
import { diffConfig, type Snapshot } from './diff.ts'
import { explainLostApply } from './lost-apply.ts'
import { MachineFollower } from './machine.ts'
import { PastConfigs } from './past-configs.ts'
import {
  afterRevert,
  type Baseline,
  editTools,
  needsItsOwnTurn,
  type Prepared,
  type Ready,
  refusedByChecker,
  refuseLockOut,
  revisionOf,
  undoing,
  type Waiting,
} from './prepared.ts'
import { ProbationWatch } from './probation.ts'
import type { Probation, RevisionInfo } from './store.ts'

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
  readonly #past: PastConfigs
  readonly #queue = new ChangeQueue()
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
    this.#past = new PastConfigs(parts.store)
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
      this.#queue.add({ request, resolve: resolve as Waiting['resolve'], reject })
      this.#wake()
    })
  }

  /** A dry run: what a change would do to objects and to the machine. */
  async dryRun<R>(request: ChangeRequest<R>): Promise<DryRun> {
    const overridden = this.#overriddenBy(request)
    const head = overridden ? this.#headWithout(overridden) : this.#head
    const { prepared } = this.#prepare(head, this.#sequences, request)
    if (!prepared) return { changes: [], artifacts: [], unchecked: [] }
    const [before, after] = [this.#machine.rendered, prepared.rendered]
    const unchecked = await this.#check(prepared)
    return {
      changes: describeChanges(prepared.revision.changes),
      artifacts: diffArtifacts(allOf(before), allOf(after)),
      unchecked: unchecked.map((item) => `${item.artifact}: ${item.reason}`),
    }
  }

  /** Throws what the checkers of the engines refuse; returns what none could check. */
  async #check({ revision, rendered }: Prepared): Promise<CheckReport['unchecked']> {
    if (sameArtifacts(allOf(this.#machine.rendered), allOf(rendered))) return []
    const plan = this.#machine.planToCheck(revision.revision, rendered)
    const { problems, unchecked } = await this.#parts.applier.check(plan)
    if (problems.length > 0) throw refusedByChecker(problems)
    return unchecked
  }

  /** What a change would do to the configuration, verified; nothing is rendered, and nothing else happens. */
  preview(edit: Edit<unknown>): Preview {
    const request = { edit, actor: system, reason: '', isRevert: true }
    const { changes } = this.#edit(this.#head, this.#sequences, request)
    return { revision: this.#head.revision, changes }
  }

  listRevisions(limit: number, offset: number): RevisionInfo[] {
    return this.#parts.store.listRevisions(limit, offset)
  }

  /** What is kept of the history, and up to which revision it was removed. */
  get history(): HistoryState {
    const { size, removedUpTo } = this.#parts.store
    return { ...size, removedUpTo }
  }

  /** Reads what configAt() needs in slices, for who is about to ask in a change. */
  loadPast(revision: number, slices: () => Promise<void> | undefined): Promise<void> {
    return this.#past.load(this.#head, revision, slices)
  }

  /** The configuration as it was at a revision; null when it does not exist, or is no longer kept. */
  configAt(revision: number): Config | null {
    return this.#past.find(this.#head, revision)
  }

  /** The head as it will be when this change on probation is reverted. */
  #headWithout({ revision }: Probation): Snapshot {
    return { ...this.#past.snapshotAt(this.#head, revision - 1), revision: this.#head.revision + 1 }
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
  async putBack(actor: Actor, reason: string, authorize: Authorize = () => {}): Promise<ChangeResult<null>> {
    return this.change(this.#revertOf(this.#probation.require(), { actor, reason, authorize }))
  }

  #revertOf(
    probation: Probation,
    request: Pick<ChangeRequest<null>, 'actor' | 'reason' | 'authorize'>,
  ): ChangeRequest<null> {
    const edit: Edit<null> = () => {
      this.#probation.requireRevision(probation.revision)
      return [this.#headWithout(probation).config, null]
    }
    return { ...request, edit, isRevert: true }
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
    if (this.#working || this.#queue.isEmpty) return
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
      this.#queue.rejectAll(error)
      return
    }
    let shared: Ready[] = []
    let head = this.#head
    let sequences = this.#sequences
    for (let count = 0; count < maxShared; count++) {
      const waiting = this.#queue.next()
      if (!waiting) break
      const overridden = this.#overriddenBy(waiting.request)
      // While a change is on probation no other one was collected.
      if (overridden) return this.#applying ? this.#tryLater(waiting) : this.#override(waiting, overridden)
      if (waiting.request.expects || this.#changesRights(shared.at(-1))) {
        // Preconditions and authority are checked against what is committed, so the changes collected so far are committed first.
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
    this.#queue.addFirst(waiting)
    await this.#applying
  }

  #changesRights(ready: Ready | undefined): boolean {
    const { rightsSlots } = this.#parts
    return ready?.prepared?.revision.changes.some(({ slot }) => rightsSlots?.has(slot)) ?? false
  }

  #overriddenBy(request: ChangeRequest<unknown>): Probation | null {
    const { current } = this.#probation
    if (!current || !request.overrides?.(current)) return null
    // What its author read is about to be reverted: they decide first.
    const { expects } = request
    return expects && this.slotRevision(expects.slot) === current.revision ? null : current
  }

  /** Reverts a change on probation, then gives the waiting one its turn. Nothing is reverted for a change that is refused anyway. */
  async #override(waiting: Waiting, probation: Probation): Promise<void> {
    const { actor, requestId = '', authorize = () => {} } = waiting.request
    const { revision, author } = probation
    const reason = `Revision ${revision} by ${author} was not confirmed; it was reverted for a change by ${actor.login}`
    try {
      const { prepared: wanted } = this.#prepare(this.#headWithout(probation), this.#sequences, waiting.request)
      if (wanted) await this.#check(wanted)
      // It can be confirmed while the checkers run.
      if (this.#probation.current !== probation) return this.#queue.addFirst(waiting)
      const request = { ...this.#revertOf(probation, { actor, reason, authorize }), requestId }
      const { prepared, result } = this.#prepare(this.#head, this.#sequences, request)
      await new Promise((resolve, reject) => {
        const revert = { waiting: { request, resolve, reject }, prepared, result }
        if (prepared) void this.#applyAlone(revert, prepared)
        else reject(new Error(`revision ${revision} on probation has no changes`))
      })
      this.#queue.addFirst(afterRevert(waiting, revision))
    } catch (error) {
      waiting.reject(error)
    }
  }

  #edit<R>(head: Snapshot, sequences: Readonly<Record<string, number>>, request: ChangeRequest<R>) {
    request.authorize?.()
    if (!request.isRevert && !this.#overriddenBy(request)) this.#probation.refuseOthers()
    this.#refuseStale(request)
    const { tools, used } = editTools(sequences, this.#parts.referencesTo)
    const [wanted, result] = request.edit(head.config, tools)
    const { changes, snapshot } = diffConfig(this.#parts.slots, head, wanted)
    if (changes.length === 0) return { changes, snapshot, used, result }
    request.authorize?.(changes)
    const problems = newProblems(this.#parts.planner, head.config, snapshot.config)
    if (problems.length > 0) {
      const message = problems[0]?.message ?? 'The resulting configuration would be invalid.'
      throw new GatewayError('invalid', message, { problems })
    }
    return { changes, snapshot, used, result }
  }

  #prepare<R>(
    head: Snapshot,
    sequences: Readonly<Record<string, number>>,
    request: ChangeRequest<R>,
  ): { prepared: Prepared | null; result: R } {
    const { changes, snapshot, used, result } = this.#edit(head, sequences, request)
    if (changes.length === 0) return { prepared: null, result }
    refuseLockOut(this.#parts.lockOut, head.config, snapshot.config, request)
    const revision = revisionOf(head.revision + 1, request, changes, this.#parts.clock.now())
    return {
      result,
      prepared: {
        revision,
        requestId: request.requestId ?? '',
        snapshot: { ...snapshot, revision: revision.revision },
        rendered: this.#parts.planner.renderParts(snapshot.config, this.#parts.facts()),
        sequences: used,
        urgency: request.isRevert || this.#parts.isUrgent?.(changes) ? 'urgent' : 'refusable',
      },
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
      const revision = own?.revision.revision ?? null
      waiting.resolve({ result, revision, probation: null, reverted: waiting.reverted ?? null })
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
    }, prepared[0]?.urgency)
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
      if (!request.isRevert) await this.#check(prepared)
      // A session can end while the checkers run.
      request.authorize?.(prepared.revision.changes)
      const probation = this.#probationFor(request, prepared.revision.revision)
      const pending = touched.length === 0 ? before.background : background.changed(touched, before.snapshot)
      this.#commit([prepared], probation, pending)
      if (isForeground) await this.#applyCommitted(request, before, prepared)
      const { revision } = prepared.revision
      waiting.resolve({ result, revision, probation: probation ?? null, reverted: waiting.reverted ?? null })
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
    this.#commit([undoing(failed, before, system, this.#parts.clock.now())], null, before.background)
    this.#pendingRevert = null
  }
}
