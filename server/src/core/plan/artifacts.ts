// The data that passes from the planner to applyd: what the machine should hold, complete enough that
// the executor has nothing left to decide. Types only; applyd imports this file and nothing else of ours.

import { type SaidText, say } from '../../shared/said.ts'
import type { Problem } from '../contract/error.ts'

/** Lines that are together in a piece. A long list is cut by its content, so that one more element changes one part. */
export interface NftPart {
  readonly lines: readonly string[]
  /** SHA-256 over the lines, in hex. */
  readonly hash: string
}

/**
 * One named object of a table. A chain has its hook in `head` ('' for one that is only jumped to) and one rule a line; a
 * set or map has its type and flags in `head` and one element a line. The head never changes under a name: what needs
 * another head takes another name, except for base chains, whose change costs a reload of the table.
 */
export interface NftPiece {
  readonly kind: 'chain' | 'set' | 'map'
  readonly name: string
  readonly head: string
  readonly parts: readonly NftPart[]
  /** The object a fault of a set or map belongs to; rules carry theirs as a comment. '' when it has none. */
  readonly origin: string
  /** SHA-256 over all of the above, in hex, with the hashes of the parts instead of their lines; equal pieces have equal hashes. */
  readonly hash: string
}

/** One nftables table. applyd brings the kernel from the pieces it holds to these, in one transaction. */
export interface NftTable {
  readonly kind: 'nft'
  readonly name: string
  readonly pieces: readonly NftPiece[]
}

/** A device that has to be made first; what the kernel does not know fails, and the failure is reported. */
export type LinkMaking =
  | { readonly kind: 'vlan'; readonly parent: string; readonly tag: number }
  | { readonly kind: 'bond'; readonly members: readonly string[] }
  | { readonly kind: 'gre'; readonly local: string; readonly remote: string }
  | { readonly kind: 'dummy' }
  | { readonly kind: 'ppp'; readonly parent: string }

export interface RoutePlan {
  /** A network, or `default`. */
  readonly to: string
  readonly via: string | null
  readonly metric: number
}

/** One device as it should be. Addresses and routes that are ours and not in here go away. */
export interface LinkPlan {
  /** `network.connections[3]` */
  readonly origin: string
  readonly device: string
  /** Null for a card that is there. */
  readonly make: LinkMaking | null
  readonly isUp: boolean
  readonly addresses: readonly string[]
  readonly routes: readonly RoutePlan[]
  /** Devices whose packets are copied to this one. */
  readonly mirrors: readonly { readonly device: string; readonly direction: 'rx' | 'tx' | 'both' }[]
}

/** Links of the kernel. A refusal of the kernel does not fail the plan: it is reported with the link. */
export interface NetworkLinks {
  readonly kind: 'network'
  readonly name: 'links'
  readonly links: readonly LinkPlan[]
}

/** As sysctl(8) names them; `*` stands for every device and for those that come later. applyd's table says where they are. */
export type KernelSettingName =
  | 'net.ipv4.ip_forward'
  | 'net.ipv4.conf.all.rp_filter'
  | 'net.ipv4.conf.all.accept_redirects'
  | 'net.ipv4.conf.all.accept_source_route'
  | 'net.ipv4.conf.*.send_redirects'
  | 'net.ipv6.conf.*.accept_redirects'
  | 'net.ipv6.conf.all.accept_source_route'
  | 'net.ipv4.tcp_syncookies'
  | 'net.ipv4.ip_early_demux'
  | 'net.ipv4.neigh.default.gc_thresh3'
  | 'net.ipv4.neigh.default.gc_thresh2'
  | 'net.ipv6.neigh.default.gc_thresh3'
  | 'net.ipv6.neigh.default.gc_thresh2'
  | 'net.netfilter.nf_conntrack_acct'
  | 'net.netfilter.nf_conntrack_timestamp'
  | 'net.netfilter.nf_conntrack_tcp_timeout_established'
  | 'net.netfilter.nf_conntrack_buckets'
  | 'net.netfilter.nf_conntrack_max'

export interface KernelSetting {
  readonly name: KernelSettingName
  readonly value: string
}

/**
 * Settings of the kernel, written after the rules. What a kernel does not have, or does not let us write, is reported and does not
 * fail the plan; a setting that is not in it any more gets back the value that it had before the first change.
 */
export interface NetworkSettings {
  readonly kind: 'network'
  readonly name: 'settings'
  readonly settings: readonly KernelSetting[]
}

/** A file of an engine. applyd's table says where `name` is stored and who may read it. */
export interface EngineFile {
  readonly kind: 'file'
  readonly name: string
  readonly text: string
}

/**
 * A way of packets to an engine, beside the tables: routing, queues. The engine declares it in applyd and says there what an
 * entry is. Without it in a plan the way is closed.
 */
export interface EngineWay {
  readonly kind: 'way'
  readonly name: string
  readonly entries: readonly object[]
}

/** An engine that should run. Its program, user and limits are in applyd's own table. */
export interface EngineUnit {
  readonly kind: 'unit'
  readonly name: string
}

export type Artifact = NftTable | NetworkLinks | NetworkSettings | EngineFile | EngineWay | EngineUnit

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
  /** Checked but failed on the host; everything this plan touched was restored (or `restored` is false). */
  | { readonly status: 'put_back'; readonly problems: readonly Problem[]; readonly restored: boolean }

/** What became of a plan that is tried before its revision is committed. */
export type Attempt =
  /** In the kernel. Undone when it is not settled: on request, and when the connection ends before that. */
  | { readonly status: 'applied'; readonly changed: readonly string[] }
  /** The kernel or applyd refused it; nothing was changed. */
  | { readonly status: 'refused'; readonly problems: readonly Problem[] }
  /** It changes more than tables, or cannot be tried here; nothing was done. It has to be checked, committed and applied. */
  | { readonly status: 'mixed' }

export type DataPlane = 'lab' | 'host' | 'none'

export interface UnitObservation {
  readonly name: string
  readonly state: 'active' | 'activating' | 'deactivating' | 'failed' | 'inactive' | 'reloading'
  readonly message: SaidText
  readonly pid: number | null
}

export interface TableObservation {
  readonly name: string
  readonly present: boolean
  /** True when the kernel's listing is the one read right after our own load, or has no table of which nothing is loaded. */
  readonly asLoaded: boolean
  /** A change of our own is being loaded, or was loaded and is not settled yet. */
  readonly isChanging?: true
}

/** What became of a link of the plan; `errors` are the kernel's own words. */
export interface LinkObservation {
  readonly origin: string
  readonly device: string
  readonly errors: readonly string[]
}

/** A setting of the kernel as it is now. `before` is what it was before the first change; null where that is not known. */
export interface SettingObservation {
  readonly name: KernelSettingName
  /** Null when this kernel does not have it. Of several devices one that differs, if there is one. */
  readonly value: string | null
  readonly wanted: string
  readonly before: string | null
  /** `refused`: the kernel does not let us write it; `different`: it was changed and will be written again. */
  readonly state: 'set' | 'missing' | 'refused' | 'different'
  readonly message: SaidText
}

export interface Observation {
  readonly plane: DataPlane
  /** Why nothing can be applied here, when that is so. */
  readonly limitation: string | null
  /** The revision whose plan is on the machine; null before the first apply. */
  readonly appliedRevision: number | null
  readonly tables: readonly TableObservation[]
  readonly links: readonly LinkObservation[]
  readonly units: readonly UnitObservation[]
  /** Settings of the kernel that the applied plan has; absent where none has been applied. */
  readonly settings?: readonly SettingObservation[]
  /** What ways report of themselves while they are open, by their names; the engine says what that is. */
  readonly ways?: Readonly<Record<string, unknown>>
}

/** How often the rules of one origin matched since the tables were first loaded into this kernel. */
export interface HitCount {
  readonly origin: string
  readonly packets: number
  readonly bytes: number
}

export interface Hits {
  /** Another value means that counting restarted: the machine or its tables were gone. */
  readonly epoch: string
  readonly counts: readonly HitCount[]
}

/** The connections that the kernel tracks at this moment, in its own words. */
export interface SessionTable {
  /** Lines as in /proc/net/nf_conntrack. */
  readonly text: string
  /** More are tracked than are shown here. */
  readonly isCut: boolean
  /** Does the kernel count bytes, and know since when a connection is there? */
  readonly isCounting: boolean
  /** Why there is no information, in words for the administrator; null when there is. */
  readonly limitation: string | null
}

/** Whole lines of the table. */
export interface SessionPart extends SessionTable {
  /** What to ask for the next part with; null after the last one. */
  readonly next: number | null
}

/** An element of a live set (live-sets.ts); null where the key of the set has no such part. */
export interface LiveElement {
  readonly address: string
  readonly mac: string | null
  readonly device: string | null
  /** How long it stays without traffic, or has left; null: until it is removed. */
  readonly seconds: number | null
}

export interface LiveChange {
  readonly set: string
  readonly add: readonly LiveElement[]
  /** Those that are not there are passed over. */
  readonly remove: readonly LiveElement[]
}

export interface LiveOutcome {
  /** Another value means that the sets may have lost elements: they must be compared and filled again. */
  readonly epoch: string
  /** Sets that the tables do not have; nothing was done for them. */
  readonly missing: readonly string[]
}

export interface LiveReading {
  readonly epoch: string
  /** By set; a set that the tables do not have is not in it. */
  readonly sets: Readonly<Record<string, readonly LiveElement[]>>
}

/**
 * Hosts that tried to reach an external network, as the kernel noted them. Each is reported once to a connection that keeps
 * asking, and again to the next connection when the one before ended without asking again.
 */
export interface Arrivals {
  readonly epoch: string
  /** Those that an authorization rule lets through, which begins their session. */
  readonly authorized: readonly LiveElement[]
  /** Those that nothing authorizes; only while the policy asks for them. */
  readonly unknown: readonly LiveElement[]
}

/** Connections that are to end: all of a host, or the one that was opened with these ends. */
export type CutTarget =
  | { readonly host: string }
  | {
      readonly protocol: 'tcp' | 'udp'
      readonly source: string
      readonly sourcePort: number
      readonly destination: string
      readonly destinationPort: number
    }

/** A packet to be sent through a copy of the ruleset that is separate from all traffic. */
export interface TrialPacket {
  readonly device: string
  readonly protocol: 'tcp' | 'udp'
  readonly source: string
  readonly sourcePort: number
  readonly destination: string
  readonly destinationPort: number
}

export interface TrialResult {
  /** Did it come out, or reach the gateway itself? */
  readonly passed: boolean
  /** Origins of the rules that counted it, in no order. */
  readonly origins: readonly string[]
}

/** Something of the machine that gets in the way of the gateway, in the words of the administrator. */
export interface Conflict {
  /** The same for the same thing at all times, such as `port.53`. */
  readonly code: string
  /** A `fault` keeps something from working now, a `warning` will do so at some time, a `note` is good to know. */
  readonly severity: 'fault' | 'warning' | 'note'
  readonly title: SaidText
  readonly detail: SaidText
  /** A command for root, or what to do. */
  readonly fix: string
}

export interface Checkpoint {
  readonly sequence: number
  readonly hash: string
  readonly time: string
  /** False when the stored signature does not fit: the checkpoint file was touched. */
  readonly authentic: boolean
}

/** What is asked of an engine beside plans. The engine declares it in applyd and says there what the arguments are. */
export interface EngineQuestion {
  readonly service: string
  readonly request: string
  readonly args: object
}

/** The cause of the error of a call that never reached applyd: it did nothing. */
export const unsent = say`The request was not sent.`

/** What applyd does for gatewayd. Implemented by the socket client and by the strict fake of the tests. */
export interface Applier {
  /** Runs every engine's own checker over the plan; touches nothing. */
  check(plan: Plan): Promise<CheckReport>
  /** All or nothing. Refuses a revision older than the applied one. */
  apply(plan: Plan): Promise<Outcome>
  /** Applies a plan that changes nothing but tables, in one transaction, before its revision is committed. */
  attempt(plan: Plan): Promise<Attempt>
  /** The revision of the last attempt is committed: what it did stays. */
  settle(revision: number): Promise<void>
  /** The revision of the last attempt was not committed: the tables go back to what is settled. */
  undo(revision: number): Promise<Outcome>
  observe(): Promise<Observation>
  /** The devices of the kernel, as ip(8) shows them in JSON. */
  devices(): Promise<string>
  /** Reads the counters of all rules. */
  hits(): Promise<Hits>
  /** Reads the connections that the kernel tracks. */
  sessions(): Promise<SessionTable>
  /** The same in parts; `reading` is 0 at first, then what the part before named as the next. */
  sessionPart(reading: number): Promise<SessionPart>
  /** Changes elements of live sets, in one transaction; at most some ten thousand. */
  changeLive(changes: readonly LiveChange[]): Promise<LiveOutcome>
  readLive(sets: readonly string[]): Promise<LiveReading>
  /** Answers when a host arrives, and after some seconds with none. */
  arrivals(): Promise<Arrivals>
  /** Ends connections, so that their next packets are judged as new ones; returns how many ended. */
  cut(targets: readonly CutTarget[]): Promise<number>
  /** What of the machine gets in the way of the gateway, the worst first; a few seconds old at most. */
  conflicts(): Promise<readonly Conflict[]>
  /** The neighbours of the kernel, as ip(8) shows them in JSON. */
  neighbours(): Promise<string>
  /** Sends packets through a copy of what is applied; slow, and never in the way of traffic. */
  trial(packets: readonly TrialPacket[]): Promise<readonly TrialResult[]>
  /** Has applyd sign and keep the head of the chain of audit records. */
  /** `isFirst`: of this process, over what it found. */
  checkpoint(sequence: number, hash: string, isFirst: boolean): Promise<void>
  checkpoints(): Promise<readonly Checkpoint[]>
  /** Has an engine do what it offers beside plans; slow. Each engine has functions with types for it. */
  ask(question: EngineQuestion): Promise<unknown>
  /** Has the uploaded package with this SHA-256 installed; answers when that has begun. */
  upgrade(digest: string): Promise<UpgradeStart>
}

export type UpgradeStart =
  | { readonly status: 'started'; readonly from: string; readonly to: string }
  | { readonly status: 'refused'; readonly message: SaidText }

/** What a change of the configuration needs of it. */
export type PlanApplier = Pick<Applier, 'check' | 'apply' | 'attempt' | 'settle' | 'undo' | 'observe'>
