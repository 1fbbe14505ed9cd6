// All changes of the configuration. Every change waits in a queue, is verified, checked by the engines' own
// checkers, committed as a revision and applied; a change that fails on the machine is reverted. Nothing else writes.

import { type SaidText, say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import type { Config, Slot } from '../model/slots.ts'
import { allOf, newProblems, type Rendered } from '../plan/planner.ts'
import { diffArtifacts } from '../plan/text-diff.ts'
import { BackgroundApplies, type BackgroundRow, type BackgroundState, rowsOf } from './background.ts'
import type {
  Actor,
  ApplyState,
  Authorize,
  ChangeRequest,
  ChangeResult,
  ConfigView,
  DryRunOutcome,
  Edit,
  EngineParts,
  Expected,
  HistoryState,
  Preview,
} from './change.ts'
import { ChangeGroups } from './change-groups.ts'
import { ChangeQueue } from './change-queue.ts'
import { describeChanges } from './describe.ts'
import { diffConfig, type Snapshot } from './diff.ts'
import { MachineFollower } from './machine.ts'
import { MachineChanges } from './machine-changes.ts'
import { PastConfigs } from './past-configs.ts'
import {
  afterRevert,
  editTools,
  isAlone,
  type Prepared,
  type Ready,
  refuseLockOut,
  revisionOf,
  system,
  type Waiting,
} from './prepared.ts'
import { ProbationWatch } from './probation.ts'
import type { Probation, RevisionInfo } from './revision.ts'
import { undo } from './undo.ts'

/** How many changes are made together at most. */
const maxShared = 64

/** Authors who were answered together mostly come back together: the next group waits this long for them. */
const returnMilliseconds = 2

/** Preparing changes of long lists takes a while: after this much of it others get their turn. */
const sliceSeconds = 0.02

const othersHadTheirTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class ConfigEngine implements ConfigView {
  readonly #parts: EngineParts
  #head: Snapshot
  readonly #machine: MachineFollower
  readonly #changes: MachineChanges
  readonly #groups: ChangeGroups
  #slotRevisions: Record<string, number>
  #sequences: Record<string, number>
  readonly #probation: ProbationWatch
  readonly #past: PastConfigs
  readonly #queue = new ChangeQueue()
  /** How many changes may come together next, as they did before; 0: none is waited for. */
  #expected = 0
  #onArrival = (): void => {}
  readonly #listeners: (() => void)[] = []
  readonly #followers: (() => Promise<void>)[] = []
  #working: Promise<void> | null = null
  /** An apply of the reconcile loop that is in progress. */
  #applying: Promise<void> | null = null
  readonly damage: readonly SaidText[]

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
    this.#changes = new MachineChanges(parts, this.#machine, {
      head: () => this.#head,
      stage: (prepared) =>
        parts.store.stage(
          prepared.map(({ revision }) => revision),
          prepared[0]?.urgency ?? 'urgent',
        ),
      commit: (...args) => this.#commit(...args),
      probationFor: (request, revision) => this.#probationFor(request, revision),
    })
    this.#groups = new ChangeGroups(parts, this.#machine, this.#changes, () => this.#notify())
  }

  /** Changes that wait for their turn. */
  get waiting(): number {
    return this.#queue.size
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

  /** What has to follow every change before it is answered. It never rejects, and other changes do not wait for it. */
  beforeAnswer(follower: () => Promise<void>): void {
    this.#followers.push(follower)
  }

  /** What the areas render for the head revision. */
  get rendered(): Rendered {
    return this.#machine.rendered
  }

  async change<R>(request: ChangeRequest<R>): Promise<ChangeResult<R>> {
    const result = await new Promise<ChangeResult<R>>((resolve, reject) => {
      this.#queue.add({ request, resolve: resolve as Waiting['resolve'], reject })
      this.#onArrival()
      this.#wake()
    })
    for (const follow of this.#followers) await follow()
    return result
  }

  /** A dry run: what a change would do to objects and to the machine. */
  async dryRun<R>(request: ChangeRequest<R>): Promise<DryRunOutcome> {
    const overridden = this.#overriddenBy(request)
    const inForce = this.#head.revision
    const head = overridden ? this.#headWithout(overridden) : this.#head
    const { prepared } = this.#prepare(head, this.#sequences, request)
    if (!prepared) return { changes: [], artifacts: [], unchecked: [], change: null }
    const [before, after] = [this.#machine.rendered, this.#groups.render(prepared)]
    const unchecked = await this.#changes.check(prepared, after)
    return {
      changes: describeChanges(prepared.revision.changes),
      artifacts: diffArtifacts(allOf(before), allOf(after)),
      unchecked: unchecked.map((item) => say`${item.artifact}: ${item.reason}`),
      change: {
        before: { revision: inForce, changes: [] },
        after: { revision: overridden ? overridden.revision - 1 : inForce, changes: prepared.revision.changes },
      },
    }
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

  /** The edit that takes back what one revision changed; null when it does not exist, or is no longer kept. */
  async loadUndo(
    revision: number,
    slices: () => Promise<void> | undefined,
  ): Promise<((config: Config) => Config) | null> {
    const past = await this.#past.loadChange(this.#head, revision, slices)
    return past && ((config) => undo(this.#parts.slots, past, config))
  }

  /** The head as it will be when this change on probation is reverted. */
  #headWithout({ revision }: Probation): Snapshot {
    return { ...this.#past.snapshotAt(this.#head, revision - 1), revision: this.#head.revision + 1 }
  }

  /** Ends the probation and keeps the change. */
  confirm(): Probation {
    this.#changes.revertFailed()
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
      this.#changes.revertFailed()
      await this.#machine.follow(() => this.#head)
    } catch (error) {
      this.#machine.noteError(error)
    }
  }

  /** Waits until nothing is in progress; used to stop cleanly. */
  async idle(): Promise<void> {
    while (this.#working || this.#applying) await (this.#working ?? this.#applying)
    await this.#changes.settled
  }

  close(): void {
    this.#probation.stop()
  }

  #wake(): void {
    if (this.#working || this.#queue.size === 0) return
    void this.#takeTurn(() => this.#gather().then(() => this.#work()))
  }

  /** Lets changes that come together share a commit: as long as every turn of the event loop brings more of them. */
  async #gather(): Promise<void> {
    const expected = Math.min(this.#expected, maxShared)
    if (this.#queue.size < expected) await this.#arrivalOf(expected)
    for (let size = 0; size < this.#queue.size && size < maxShared; ) {
      size = this.#queue.size
      await othersHadTheirTurn()
    }
  }

  #arrivalOf(count: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, returnMilliseconds)
      this.#onArrival = () => {
        if (this.#queue.size < count) return
        clearTimeout(timer)
        resolve()
      }
    })
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
      this.#changes.revertFailed()
    } catch (error) {
      this.#queue.rejectAll(error)
      return
    }
    const group: Ready[] = []
    let head = this.#head
    let sequences = this.#sequences
    let begun = this.#parts.clock.elapsed()
    for (let count = 0; count < maxShared; count++) {
      if (this.#parts.clock.elapsed() - begun > sliceSeconds) {
        await othersHadTheirTurn()
        begun = this.#parts.clock.elapsed()
      }
      const waiting = this.#queue.next()
      if (!waiting) break
      const overridden = this.#overriddenBy(waiting.request)
      // While a change is on probation no other one was collected.
      if (overridden) return this.#applying ? this.#tryLater([{ waiting }]) : this.#override(waiting, overridden)
      if (group.length > 0 && ((waiting.request.expects?.length ?? 0) > 0 || this.#changesRights(group.at(-1)))) {
        // Preconditions and authority are checked against what is committed, so the changes collected so far come first.
        this.#queue.addFirst({ waiting })
        break
      }
      let ready: Ready
      try {
        ready = { waiting, ...this.#prepare(head, sequences, waiting.request) }
      } catch (error) {
        if (head === this.#head) waiting.reject(error)
        else group.push({ waiting, prepared: null, result: null, refusal: { error } })
        continue
      }
      const { prepared } = ready
      const isOnlyOne = prepared !== null && isAlone(waiting.request, prepared)
      if (isOnlyOne && group.length > 0) {
        this.#queue.addFirst({ waiting })
        break
      }
      group.push(ready)
      if (isOnlyOne) break
      if (prepared) {
        head = prepared.snapshot
        sequences = { ...sequences, ...prepared.sequences }
      }
    }
    const left = await this.#groups.make(group, this.#applying !== null)
    const made = group.slice(0, group.length - left.length)
    this.#expected = made.length > 1 ? made.length + this.#queue.size : 0
    if (left.length === 0) return
    if (made.length === 0) return this.#tryLater(left)
    this.#queue.giveBack(left, new Set(made.map(({ waiting }) => waiting.request.actor.login)))
  }

  /** What they were prepared on changed, or the machine is busy: they are prepared again next. */
  async #tryLater(group: readonly Pick<Ready, 'waiting'>[]): Promise<void> {
    this.#queue.addFirst(...group)
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
    const isOfIt = ({ slot }: Expected): boolean => this.slotRevision(slot) === current.revision
    return request.expects?.some(isOfIt) ? null : current
  }

  /** Reverts a change on probation, then gives the waiting one its turn. Nothing is reverted for a change that is refused anyway. */
  async #override(waiting: Waiting, probation: Probation): Promise<void> {
    const { actor, requestId = '', authorize = () => {} } = waiting.request
    const { revision, author } = probation
    const reason = `Revision ${revision} by ${author} was not confirmed; it was reverted for a change by ${actor.login}`
    try {
      const { prepared: wanted } = this.#prepare(this.#headWithout(probation), this.#sequences, waiting.request)
      if (wanted) await this.#changes.check(wanted, this.#groups.render(wanted))
      // It can be confirmed while the checkers run.
      if (this.#probation.current !== probation) return this.#queue.addFirst({ waiting })
      const request = { ...this.#revertOf(probation, { actor, reason, authorize }), requestId }
      const { prepared, result } = this.#prepare(this.#head, this.#sequences, request)
      if (!prepared) throw new Error(`revision ${revision} on probation has no changes`)
      await new Promise((resolve, reject) => {
        void this.#groups.makeAlone({ waiting: { request, resolve, reject }, prepared, result })
      })
      this.#queue.addFirst({ waiting: afterRevert(waiting, revision) })
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
      const message = problems[0]?.message ?? say`The resulting configuration would be invalid.`
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
        sequences: used,
        urgency: request.isRevert || this.#parts.isUrgent?.(changes) ? 'urgent' : 'refusable',
      },
    }
  }

  #refuseStale(request: ChangeRequest<unknown>): void {
    if (request.expects?.some(({ slot, revision }) => this.slotRevision(slot) !== revision)) {
      throw new GatewayError('precondition_failed', say`This was changed since you read it. Reload and try again.`)
    }
  }

  #commit(
    prepared: readonly Prepared[],
    rendered: Rendered,
    probation?: Probation | null,
    pending = this.#machine.background.pending,
  ): void {
    const { database, store, onCommit } = this.#parts
    const revisions = prepared.map((p) => p.revision)
    const sequences = Object.assign({}, ...prepared.map((p) => p.sequences)) as Record<string, number>
    database.transact(() => {
      store.commit({
        revisions,
        sequences,
        ...(probation === undefined ? {} : { probation }),
        ...(pending === this.#machine.background.pending ? {} : { background: rowsOf(pending) }),
      })
      onCommit(prepared)
    }, prepared[0]?.urgency)
    const last = prepared.at(-1)
    this.#machine.commit(rendered, pending)
    if (last) this.#head = last.snapshot
    this.#sequences = { ...this.#sequences, ...sequences }
    for (const revision of revisions) {
      for (const change of revision.changes) this.#slotRevisions[change.slot] = revision.revision
    }
    if (probation !== undefined) this.#probation.set(probation)
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }

  #probationFor(request: ChangeRequest<unknown>, revision: number): Probation | null | undefined {
    if (request.isRevert) return null
    const seconds = request.confirmWithinSeconds
    return seconds === undefined ? undefined : this.#probation.make(revision, request.actor, seconds)
  }
}
