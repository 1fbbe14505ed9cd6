// The data that passes from the planner to applyd: what the machine should hold, complete enough that
// the executor has nothing left to decide. Types only; applyd imports this file and nothing else of ours.

import type { Problem } from '../contract/error.ts'

/** One nftables table. `body` is what stands between the braces; applyd writes the frame around it. */
export interface NftTable {
  readonly kind: 'nft'
  readonly name: string
  readonly body: string
}

/** A file of an engine. applyd's table says where `name` lies and who may read it. */
export interface EngineFile {
  readonly kind: 'file'
  readonly name: string
  readonly text: string
}

/** An engine that should run. Its program, user and limits stand in applyd's own table. */
export interface EngineUnit {
  readonly kind: 'unit'
  readonly name: string
}

export type Artifact = NftTable | EngineFile | EngineUnit

/** Everything that should be on the machine for one revision. What is not in it, and ours, goes away. */
export interface Plan {
  readonly revision: number
  readonly artifacts: readonly Artifact[]
}

export interface CheckReport {
  readonly problems: readonly Problem[]
  /** Artifacts whose checker could not run here, and why, in words for the administrator. */
  readonly unchecked: readonly { readonly artifact: string; readonly reason: string }[]
}

export type Outcome =
  | { readonly status: 'applied'; readonly changed: readonly string[] }
  /** Nothing was done because this data plane applies nothing; the reason is for the status. */
  | { readonly status: 'stored'; readonly reason: string }
  /** Checked but failed on the host; everything this plan touched was put back (or `restored` is false). */
  | { readonly status: 'put_back'; readonly problems: readonly Problem[]; readonly restored: boolean }

export type DataPlane = 'lab' | 'host' | 'none'

export interface UnitObservation {
  readonly name: string
  readonly state: 'active' | 'activating' | 'deactivating' | 'failed' | 'inactive' | 'reloading'
  readonly message: string
  readonly pid: number | null
}

/** A rule as the kernel lists it: enough to tell that our rule is there and how often it matched. */
export interface KernelRule {
  readonly chain: string
  readonly comment: string
  readonly packets: number | null
}

export interface TableObservation {
  readonly name: string
  readonly present: boolean
  /** True when the kernel's listing is the one read right after our own load. */
  readonly asLoaded: boolean
  readonly rules: readonly KernelRule[]
}

export interface Observation {
  readonly plane: DataPlane
  /** Why nothing can be applied here, when that is so. */
  readonly limitation: string | null
  /** The revision whose plan is on the machine; null before the first apply. */
  readonly appliedRevision: number | null
  readonly tables: readonly TableObservation[]
  readonly units: readonly UnitObservation[]
}

export interface Checkpoint {
  readonly sequence: number
  readonly hash: string
  readonly time: string
  /** False when the stored signature does not fit: the checkpoint file was touched. */
  readonly authentic: boolean
}

/** What applyd does for gatewayd. Implemented by the socket client and by the strict fake of the tests. */
export interface Applier {
  /** Runs every engine's own checker over the plan; touches nothing. */
  check(plan: Plan): Promise<CheckReport>
  /** All or nothing. Refuses a revision older than the applied one. */
  apply(plan: Plan): Promise<Outcome>
  observe(): Promise<Observation>
  /** Has applyd sign and keep the head of the journal chain. */
  checkpoint(sequence: number, hash: string): Promise<void>
  checkpoints(): Promise<readonly Checkpoint[]>
}

/**
 * The wire between them: a frame is a 4-byte big-endian length and that many bytes of UTF-8 JSON, at most
 * `maxFrameBytes`. Requests are answered in the order of completion; `id` pairs them.
 */
export const maxFrameBytes = 64 * 1024 * 1024

export interface VerbTable {
  readonly check: { readonly args: { readonly plan: Plan }; readonly result: CheckReport }
  readonly apply: { readonly args: { readonly plan: Plan }; readonly result: Outcome }
  readonly observe: { readonly args: Record<string, never>; readonly result: Observation }
  readonly checkpoint: { readonly args: { readonly sequence: number; readonly hash: string }; readonly result: null }
  readonly checkpoints: { readonly args: Record<string, never>; readonly result: readonly Checkpoint[] }
}

export type Verb = keyof VerbTable

export interface RequestFrame<V extends Verb = Verb> {
  readonly id: number
  readonly verb: V
  readonly args: VerbTable[V]['args']
}

export type ReplyFrame =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string }
