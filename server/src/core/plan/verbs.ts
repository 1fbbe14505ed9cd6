// The wire between gatewayd and applyd: a frame is a 4-byte big-endian length and that many bytes of UTF-8 JSON, at most
// `maxFrameBytes`. Requests are answered in the order of completion; `id` pairs them. A plan is sent as its difference to the
// plan before it on the same connection.

import type { SaidText, Sentence } from '../../shared/said.ts'
import type {
  Arrivals,
  Artifact,
  Attempt,
  Checkpoint,
  CheckReport,
  CutTarget,
  EngineQuestion,
  Hits,
  LiveChange,
  LiveOutcome,
  LiveReading,
  NftPart,
  NftPiece,
  Observation,
  Outcome,
  Plan,
  SessionPart,
  SessionTable,
  TrialPacket,
  TrialResult,
  UpgradeStart,
} from './artifacts.ts'
import type { MachineReport } from './machine.ts'

/** What is taken over from the plan before, from the first position up to, but not including, the second. */
export type KeptRange = readonly [from: number, to: number]

/** A piece of which the other end knows some parts: those of the piece at position `base` of the table before. */
export interface NftPieceChange extends Omit<NftPiece, 'parts'> {
  readonly base: number
  readonly parts: readonly (KeptRange | NftPart)[]
}

/** A table that the other end knows in an earlier state: its pieces in their order. */
export interface NftTableChange {
  readonly kind: 'nft'
  readonly name: string
  readonly changes: readonly (KeptRange | NftPieceChange | NftPiece)[]
}

/** The difference of a plan to the one before it: artifacts that are not named stay as they were. */
export interface PlanChange {
  readonly revision: number
  readonly changed: readonly (Artifact | NftTableChange)[]
  /** As `kind name`. */
  readonly removed: readonly string[]
}

/** The arguments of a verb with a plan, as they are sent. `base` is the number of the plan that the change refers to. */
export type SentPlan =
  | { readonly number: number; readonly plan: Plan }
  | { readonly number: number; readonly base: number; readonly change: PlanChange }

export interface VerbTable {
  readonly check: { readonly args: { readonly plan: Plan }; readonly result: CheckReport }
  readonly apply: { readonly args: { readonly plan: Plan }; readonly result: Outcome }
  readonly attempt: { readonly args: { readonly plan: Plan }; readonly result: Attempt }
  readonly settle: { readonly args: { readonly revision: number }; readonly result: null }
  readonly undo: { readonly args: { readonly revision: number }; readonly result: Outcome }
  readonly observe: { readonly args: Record<string, never>; readonly result: Observation }
  readonly devices: { readonly args: Record<string, never>; readonly result: string }
  readonly hits: { readonly args: Record<string, never>; readonly result: Hits }
  readonly sessions: { readonly args: Record<string, never>; readonly result: SessionTable }
  readonly sessionPart: { readonly args: { readonly reading: number }; readonly result: SessionPart }
  readonly changeLive: { readonly args: { readonly changes: readonly LiveChange[] }; readonly result: LiveOutcome }
  readonly readLive: { readonly args: { readonly sets: readonly string[] }; readonly result: LiveReading }
  readonly arrivals: { readonly args: Record<string, never>; readonly result: Arrivals }
  readonly cut: { readonly args: { readonly targets: readonly CutTarget[] }; readonly result: number }
  readonly machine: { readonly args: Record<string, never>; readonly result: MachineReport | null }
  readonly neighbours: { readonly args: Record<string, never>; readonly result: string }
  readonly trial: {
    readonly args: { readonly packets: readonly TrialPacket[] }
    readonly result: readonly TrialResult[]
  }
  readonly checkpoint: {
    readonly args: { readonly sequence: number; readonly hash: string; readonly isFirst: boolean }
    readonly result: null
  }
  readonly checkpoints: { readonly args: Record<string, never>; readonly result: readonly Checkpoint[] }
  readonly ask: { readonly args: EngineQuestion; readonly result: unknown }
  readonly upgrade: { readonly args: { readonly digest: string }; readonly result: UpgradeStart }
}

export type Verb = keyof VerbTable

export interface RequestFrame<V extends Verb = Verb> {
  readonly id: number
  readonly verb: V
  readonly args: VerbTable[V]['args']
}

export type ReplyFrame = (
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  /** `isPieceUnknown`: the plan that a change refers to is not remembered; all of it has to be sent again. */
  | { readonly id: number; readonly ok: false; readonly message: SaidText; readonly isPieceUnknown?: true }
) & {
  /** What its messages consist of, so that gatewayd can pass them on. */
  readonly sentences?: readonly Sentence[]
}
