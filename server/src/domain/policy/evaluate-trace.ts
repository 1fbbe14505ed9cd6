// The way of a packet through the policy as data: what evaluate.ts finds and explain.ts puts into words. Types only.

import type { RuleField } from './evaluate-match.ts'
import type {
  AccessBinding,
  AccessEntry,
  HardwareFilter,
  LoggedAction,
  PolicyRule,
  ProtocolName,
  Refusal,
  Span,
} from './model.ts'

/**
 * The first packet of a new connection, as it arrives. Later packets of a connection follow the first one's verdict and
 * translation. The kernel's own refusals (a spoofed source, a full table) are not part of the question.
 */
export interface Packet {
  /** Both IPv4 or both IPv6. */
  readonly source: string
  readonly destination: string
  readonly protocol: ProtocolName
  /** With tcp and udp. */
  readonly source_port?: number
  readonly destination_port?: number
  /** A device of the kernel; null when the gateway itself sends the packet. */
  readonly incoming_interface: string | null
  /** Unix seconds. */
  readonly time: number
  /** Ids of the user who has a session at the source, and of all groups above. Absent: there is none. */
  readonly sourceMembers?: readonly string[]
  readonly destinationMembers?: readonly string[]
  /** The same for addresses that DNAT may lead to, by address. */
  readonly otherMembers?: Readonly<Record<string, readonly string[]>>
  /**
   * How the source is authorized: by a session, by a rule that lets its first packet through, suspended because its user has
   * too many sessions, or not at all. Absent: as far as the rules say.
   */
  readonly authorization?: 'session' | 'rule' | 'suspended' | 'none'
  /** The session is bound to the card of the source, so it counts only where that is. */
  readonly isBoundToCard?: boolean
  /** The card of the source. Absent: it is not known, and taken to be the right one. */
  readonly sourceMac?: string
}

export interface Miss {
  readonly rule: PolicyRule
  /** The first condition that did not hold. */
  readonly field: RuleField
}

/** A walk through one table. */
export interface Walk {
  /** The rule that decided; null when the walk came to its end without one. */
  readonly rule: PolicyRule | null
  /** Rules looked at that did not match: the last of them, and only when asked for. */
  readonly misses: readonly Miss[]
  readonly missCount: number
  /** Rules that could decide otherwise once what they name has addresses. */
  readonly uncertain: readonly PolicyRule[]
}

export interface LogWalk extends Walk {
  readonly isMarked: boolean
  /** Where the original destination leads: DNAT has not been there yet. Null for the gateway itself. */
  readonly outgoing: string | null
  /** All matches in order; the last one is `rule`. Only when reasons were asked for. */
  readonly matches: readonly PolicyRule[]
}

/** Where the destination goes; a span when the kernel picks one of several. */
export interface Translation {
  readonly addresses: Span | null
  readonly ports: Span | null
}

export interface AccessResult {
  readonly binding: AccessBinding | null
  /** Null when no entry matched and the default decides. */
  readonly entry: AccessEntry | null
  readonly isAllowed: boolean
}

export type Decision =
  | { readonly kind: 'rule'; readonly rule: PolicyRule }
  | { readonly kind: 'access'; readonly result: AccessResult }
  /** `service` is what is closed to external networks or switched on for them, when that is why. */
  | { readonly kind: 'system'; readonly origin: string; readonly service: string | null }
  | { readonly kind: 'authorization'; readonly refusal: Refusal }
  | { readonly kind: 'default' }
  | { readonly kind: 'no_route' }

export type NewSource =
  | { readonly kind: 'kept' }
  | { readonly kind: 'addresses'; readonly span: Span }
  /** The address of the outgoing interface. */
  | { readonly kind: 'interface'; readonly device: string }

export interface SnatResult {
  readonly walk: Walk
  readonly isAutomatic: boolean
  readonly source: NewSource
}

/** A line in the log of the firewall. `id` is null for access lists, whose entries have none. */
export interface LogRecord {
  readonly table: 'FWD' | 'INP' | 'DNAT' | 'SNAT' | 'LOG' | 'ACL'
  readonly id: number | null
  readonly action: LoggedAction | 'allow' | 'deny'
}

/** Why a connection that is accepted is inspected, or is not. */
export type InspectionResult =
  /** The number of the channel, by the firewall rule alone or with a rule of the older application control as well. */
  | { readonly kind: 'inspected'; readonly channel: number; readonly older: string | null }
  /** The exception by which it is not, where it would be otherwise. */
  | { readonly kind: 'excepted'; readonly origin: string }
  /** Neither a rule nor the older application control asks for it. */
  | { readonly kind: 'none' }

export type Path = 'input' | 'forward' | 'output' | 'none'
export type Verdict = 'accept' | 'drop' | 'reject'

/** What happens behind DNAT, for a part of the destinations that DNAT may pick. */
export interface Outcome {
  readonly destination: Span | null
  readonly destinationPorts: Span | null
  readonly path: Path
  readonly outgoing: string | null
  /** The web proxy takes the connection, and opens one in the name of the client that is judged as this says. */
  readonly isTaken: boolean
  /** Null when the stage is off or not on the path. */
  readonly access: AccessResult | null
  /** The walk through forward or input; null when the packet did not get there. */
  readonly walk: Walk | null
  readonly decidedBy: Decision
  readonly verdict: Verdict
  /** Null where nothing is inspected at all, and when the packet is not accepted. */
  readonly inspection: InspectionResult | null
  /** Null when the packet does not leave the gateway. */
  readonly snat: SnatResult | null
  readonly records: readonly LogRecord[]
}

export interface Trace {
  /** The hardware filter that dropped the packet; nothing else happens then. */
  readonly droppedBy: HardwareFilter['mode'] | null
  readonly log: LogWalk | null
  readonly dnat: Walk | null
  /** The DNS server of the gateway answers instead of the one that was asked. */
  readonly isIntercepted: boolean
  /** The sign-in page of the gateway answers, because the host is not authorized. */
  readonly isAtPortal: boolean
  readonly translation: Translation
  /** One, unless DNAT picks from a pool whose members fare differently. */
  readonly outcomes: readonly Outcome[]
  /** False when there were more than 64. */
  readonly isComplete: boolean
  /** Null when it depends on what DNAT picks. */
  readonly verdict: Verdict | null
}

export interface EvaluateOptions {
  /** Say for each rule that was passed over which field did not match. */
  readonly reasons?: boolean
}
