// What a change is: the request, the result, and what the engine needs to carry it out. Types only.

import type { SaidText } from '../../shared/said.ts'
import type { Database } from '../database/database.ts'
import type { Reference } from '../model/references.ts'
import type { Config, ListSlot, Slot } from '../model/slots.ts'
import type { Outcome, PlanApplier } from '../plan/artifacts.ts'
import type { Facts } from '../plan/facts.ts'
import type { Planner } from '../plan/planner.ts'
import type { ArtifactChange } from '../plan/text-diff.ts'
import type { BackgroundRow } from './background.ts'
import type { ObjectChange } from './describe.ts'
import type { HistorySize } from './history-size.ts'
import type { ChangeSet, Probation, Revision, RevisionInfo } from './revision.ts'
import type { ConfigStore } from './store.ts'

export interface Actor {
  readonly login: string
  readonly address: string
  /** Where the connection ends on this machine: a change must not lock its author out of it. */
  readonly reached?: { readonly address: string; readonly port: number }
}

/** What an edit may use that is not in the configuration. */
export interface EditTools {
  /** The next number of a list; never assigned twice, not even after a revert. */
  nextId(slot: Pick<ListSlot, 'key'>): number
  /** Numbers up to this one are never assigned: for items that already have ids. */
  keepIds(slot: Pick<ListSlot, 'key'>, upTo: number): void
  /** Who names an object, over all areas. */
  referencesTo(config: Config, id: string): readonly Reference[]
}

/** A pure function from the current configuration to the wanted one and a result for the caller. */
export type Edit<R> = (config: Config, tools: EditTools) => readonly [Config, R]

export interface ChangeRequest<R> {
  readonly edit: Edit<R>
  readonly actor: Actor
  readonly reason: string
  readonly requestId?: string
  /**
   * Throws when the author may not make this change, or may not any longer. Asked in the change's own turn: right before the
   * edit, with what it changes, and right before the commit. Absent: the gateway itself changes something.
   */
  readonly authorize?: Authorize
  /** Whether a change on probation is reverted to make room for this one (decision 33); absent: never. */
  readonly overrides?: (probation: Probation) => boolean
  /** Refused with precondition_failed unless each is its slot's last revision. */
  readonly expects?: readonly Expected[]
  readonly confirmWithinSeconds?: number
  /** A revert by the gateway itself: accepted during a probation, and does not wait for the machine. */
  readonly isRevert?: boolean
  /** Describes the machine as it is: nothing waits for applyd, and the reconcile loop applies it. */
  readonly isDeferred?: boolean
}

/** What the author of a change read, and relies on. */
export interface Expected {
  readonly slot: string
  readonly revision: number
}

/** `changes` are what the author is about to change, once that is known. */
export type Authorize = (changes?: ChangeSet) => void

export interface ChangeResult<R> {
  readonly result: R
  /** Null when the edit changed nothing. */
  readonly revision: number | null
  readonly probation: Probation | null
  /** The revision on probation that was reverted to make room for this change. */
  readonly reverted: number | null
}

export interface DryRun {
  readonly changes: readonly ObjectChange[]
  readonly artifacts: readonly ArtifactChange[]
  readonly unchecked: readonly string[]
}

/** The configuration in force, and the one that replaces it. */
export interface PolicyChange {
  readonly before: Preview
  readonly after: Preview
}

export interface DryRunOutcome extends DryRun {
  /** Null when nothing would change. */
  readonly change: PolicyChange | null
}

/** What an edit would change, verified, and the revision that it starts from. */
export interface Preview {
  readonly revision: number
  readonly changes: ChangeSet
}

export interface DescribedRevision extends RevisionInfo {
  readonly changes: readonly ObjectChange[]
}

export interface HistoryState extends HistorySize {
  /** Revisions up to this one are no longer kept; 0: all are. */
  readonly removedUpTo: number
}

export interface ApplyState {
  /** What the machine last reported about the head revision. */
  readonly outcome: Outcome | null
  readonly error: SaidText | null
}

export interface Clocks {
  now(): Date
  elapsed(): number
  readonly boot: string
}

/** A revision on its way to the disk, with the id of its request ('' for the gateway itself). */
export interface Committed {
  readonly revision: Revision
  readonly requestId: string
}

/** The reason, when the change would lock its author out; null otherwise. */
export type LockOutGuard = (before: Config, after: Config, actor: Actor) => string | null

export interface EngineParts {
  readonly slots: readonly Slot[]
  readonly store: ConfigStore
  readonly database: Database
  readonly planner: Planner
  readonly applier: PlanApplier
  readonly facts: () => Facts
  readonly clock: Clocks
  readonly lockOut?: LockOutGuard
  /** Slots that say who may do what: a change of them is committed before the next one is authorized. */
  readonly rightsSlots?: ReadonlySet<string>
  /** Who names an object, over all areas; absent: no object is named. */
  readonly referencesTo?: EditTools['referencesTo']
  /** Whether a full disk must not refuse the change, because it takes access away; absent: it may. */
  readonly isUrgent?: (changes: ChangeSet) => boolean
  /** Runs inside the transaction of a commit, which also writes the audit record and ends sessions. */
  readonly onCommit: (commits: readonly Committed[]) => void
}

/** The configuration as areas see it: they can read it and its history, and change it only by change(). */
export interface ConfigView {
  readonly config: Config
  readonly revision: number
  readonly slots: readonly Slot[]
  /** The last number assigned in each list. */
  readonly sequences: Readonly<Record<string, number>>
  readonly probation: Probation | null
  /** Damage found when the configuration was loaded, as messages. */
  readonly damage: readonly SaidText[]
  /** The areas whose changes are in progress or failed. */
  readonly background: readonly BackgroundRow[]
  readonly history: HistoryState
  listRevisions(limit: number, offset: number): RevisionInfo[]
  configAt(revision: number): Config | null
  /** Reads what configAt() needs in slices, for who is about to ask in a change. */
  loadPast(revision: number, slices: () => Promise<void> | undefined): Promise<void>
  /** The edit that takes back what one revision changed, and refuses with who changed it later; null: it is not kept. */
  loadUndo(revision: number, slices: () => Promise<void> | undefined): Promise<((config: Config) => Config) | null>
  onChanged(listener: () => void): void
  /** Keeps the change on probation. */
  confirm(): Probation
  /** Reverts the change on probation at once. */
  putBack(actor: Actor, reason: string, authorize?: Authorize): Promise<ChangeResult<null>>
}
