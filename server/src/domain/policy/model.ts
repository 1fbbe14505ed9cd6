// The policy as plain data: what the administrator's rules mean once objects, zones and times are resolved. The
// compiler turns it into nftables, the evaluator walks it, hygiene compares it; all three read this and nothing else,
// so they cannot disagree about what a rule says. Pure.

import type { ServicePort } from '../../core/engine/engine.ts'
import type { ClosedPort } from '../../core/engine/views.ts'
import type { InspectedChannel } from '../../core/plan/inspection-marks.ts'
import type { Ranges } from '../../shared/net/ranges.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import type { LocalSide } from './local-side.ts'

export const ruleTables = ['forward', 'input', 'dnat', 'snat', 'log'] as const
export type RuleTable = (typeof ruleTables)[number]

/** IPv4 addresses, by number. `key` is equal for equal lists of objects and names the set in the kernel. */
export interface AddressMatch {
  readonly key: string
  readonly ranges: Ranges
  /** Matches what is not in the list. IPv6 packets are in no list, so they match then. */
  readonly isNegated: boolean
  /** Domains and countries of the list whose addresses are not known: `ranges` lacks them. */
  readonly unresolved?: readonly string[]
  /**
   * Users and groups of the list, by id. Addresses that they have by authorization rules are in `ranges`; those of their
   * sessions are in the live set of each, which the kernel looks at.
   */
  readonly members?: readonly string[]
}

export interface PortMatch {
  readonly key: string
  readonly ranges: Ranges
}

/** Key of an InterfaceMatch for what the gateway itself sends. */
export const ownTraffic = 'utm_outgoing'

/** Devices of the kernel. An empty list matches nothing: the interface is gone or the zone is empty. */
export interface InterfaceMatch {
  readonly key: string
  readonly devices: readonly string[]
}

/** When the rule works, as unix seconds (closed ranges) from the start of the schedule window on. */
export interface TimeMatch {
  readonly key: string
  readonly ranges: Ranges
}

/** IP protocol numbers of the wire names. */
export const protocols = { tcp: 6, udp: 17, icmp: 1, gre: 47, esp: 50, ah: 51 } as const
export type ProtocolName = keyof typeof protocols

export type Span = readonly [low: number, high: number]

export type Action =
  | { readonly kind: 'accept' }
  | { readonly kind: 'drop' }
  /** Drops, and says so to who sent the packet. */
  | { readonly kind: 'reject' }
  /** Any address of the range; a port range keeps a port that is inside it. Null keeps the port. */
  | { readonly kind: 'dnat'; readonly addresses: Span | null; readonly ports: Span | null }
  /** Null: the address of the outgoing interface. */
  | { readonly kind: 'snat'; readonly addresses: Span | null }
  | { readonly kind: 'mark'; readonly isLogged: boolean }

/** Null in a condition means that the field is `any`. */
export interface PolicyRule {
  readonly id: number
  readonly table: RuleTable
  /** `firewall.forward[7]`: the comment in the kernel and the field of a fault. */
  readonly origin: string
  readonly protocol: ProtocolName | null
  readonly source: AddressMatch | null
  readonly destination: AddressMatch | null
  /** Only with tcp or udp. */
  readonly sourcePorts: PortMatch | null
  readonly destinationPorts: PortMatch | null
  readonly incoming: InterfaceMatch | null
  readonly outgoing: InterfaceMatch | null
  /** Addresses of devices that hold one of the rule's device profiles; a further condition on the source. */
  readonly holders: AddressMatch | null
  readonly times: TimeMatch | null
  readonly action: Action
  /** The number of the channel in which accepted connections are inspected; absent: in none. */
  readonly inspection?: number
}

/** An entry of an access control list: first match over all bindings in order. */
export interface AccessEntry {
  readonly origin: string
  readonly protocol: ProtocolName | null
  readonly source: Span
  readonly destination: Span
  readonly sourcePorts: Span | null
  readonly destinationPorts: Span | null
  readonly isAllowed: boolean
}

export interface AccessBinding {
  readonly origin: string
  readonly members: AddressMatch
  /** Addresses of device profiles, a further condition; only where `members` does not take it into account. */
  readonly holders?: AddressMatch
  /** Name of the list in the kernel; bindings of the same list share its chains. */
  readonly listKey: string
  readonly entries: readonly AccessEntry[]
}

export interface AccessStage {
  readonly bindings: readonly AccessBinding[]
  readonly isAllowedByDefault: boolean
  readonly isLogged: boolean
}

export type HardwareFilter =
  | { readonly mode: 'mac'; readonly entries: readonly { readonly mac: string; readonly etherType: number }[] }
  | { readonly mode: 'src-ip' | 'dst-ip'; readonly entries: readonly number[] }
  | {
      readonly mode: 'src-and-dst-ip'
      readonly entries: readonly { readonly source: number; readonly destination: number }[]
    }

/** A service of the gateway itself, let through before any rule of an administrator. Null in a condition: any. */
export interface OpenService extends Omit<ServicePort, 'networks'> {
  /** Where packets come in, or go out. */
  readonly devices: readonly string[] | null
  /** IPv4 addresses of those who send, or are sent to. */
  readonly peers: readonly number[] | null
}

/**
 * What the gateway offers to external networks while it is switched on. Unlike an OpenService it comes after the rules of
 * administrators, so that they can narrow it.
 */
export interface OutsideService {
  /** The system rule is named `inp.sys.<name>`. */
  readonly name: string
  /** What an administrator calls it. */
  readonly title: string
  readonly protocol: 'tcp' | 'udp' | 'gre'
  /** Null for protocols without ports. */
  readonly destinationPort: number | null
  /** IPv4 addresses of those who send; null: anyone, over IPv6 too. */
  readonly peers: readonly number[] | null
}

/** A port of the gateway that only listed hosts may reach, whatever the rules of administrators say. */
export interface GuardedPort {
  /** The system rule is named `inp.sys.<name>`. */
  readonly name: string
  /** What an administrator calls it. */
  readonly title: string
  readonly protocol: 'tcp' | 'udp'
  readonly destinationPort: number
  /** IPv4 addresses of those who may. */
  readonly peers: Ranges
  /** False: none of them through an external device. */
  readonly isOpenOutside: boolean
}

/** Who may reach external networks from local ones (docs/behaviour/authorization.md). */
export interface AuthorizationStage {
  /** False while everyone is allowed: hosts become known, and none is refused for being unknown. */
  readonly isEnforced: boolean
  /** Where hosts come from that need authorization. */
  readonly side: LocalSide
  /** Authorized by address alone. */
  readonly hosts: Ranges
  /** Networks that are authorized as a whole. */
  readonly networks: Ranges
  /** Authorized by address and card together; the address is refused with any other card. */
  readonly pairs: readonly { readonly address: number; readonly mac: string }[]
  /** Authorized by card, with the address that it has, in the network of the device it comes in by. */
  readonly macs: readonly string[]
  /** A session ends after this time without traffic. */
  readonly idleSeconds: number
  /** Plain HTTP of hosts that are not authorized is redirected to this port of the gateway; null: it is refused as well. */
  readonly portalPort: number | null
  /** Are hosts that nothing authorizes noted for device discovery? */
  readonly notesUnknown: boolean
}

/** A rule of the older application control: connections from or to these hosts are inspected for applications. */
export interface OlderInspection {
  readonly origin: string
  /** Null: everyone. */
  readonly hosts: AddressMatch | null
  /** From the channel that a firewall rule gave, 0 for none, to the one with the applications of this rule as well. */
  readonly channels: Readonly<Record<number, number>>
}

/** Deep inspection of what rules accepted (decision 81). */
export interface InspectionStage {
  /** In use, by number, in rising order. */
  readonly channels: readonly InspectedChannel[]
  /** Hosts whose forwarded connections are not inspected (`/ips/bypass`). */
  readonly exceptions: readonly { readonly origin: string; readonly hosts: AddressMatch }[]
  /** The first that matches decides. */
  readonly older: readonly OlderInspection[]
}

export type LoggedAction = 'accept' | 'drop' | 'reject' | 'dnat' | 'snat' | 'mark_log' | 'mark_not_log'

export interface Policy {
  /** Rules in the order of evaluation; `log` is walked to its end and the last match decides. Disabled rules are
   *  not in here, and with user rules switched off none is. */
  readonly rules: Readonly<Record<RuleTable, readonly PolicyRule[]>>
  /** Null when the stage is off. Comes before the forward rules. */
  readonly access: AccessStage | null
  /** Null when nothing is filtered. */
  readonly hardware: HardwareFilter | null
  readonly hasAutomaticSnat: boolean
  /** Devices that lead to the internet: where automatic SNAT works, and from where new connections are dropped by default. */
  readonly externalDevices: readonly string[]
  /** Devices that hardware filtering sits on. */
  readonly devices: readonly string[]
  /** What the gateway serves, whatever the rules say. */
  readonly services: readonly OpenService[]
  /** What the gateway serves to local networks only: dropped on external devices, before any rule of an administrator. */
  readonly closedPorts: readonly ClosedPort[]
  readonly guardedPorts: readonly GuardedPort[]
  /** What external networks reach although no rule accepts it. */
  readonly outsideServices: readonly OutsideService[]
  /** The gateway's own IPv4 addresses: what goes to them is input, not transit. */
  readonly ownAddresses: readonly number[]
  readonly countsHits: boolean
  /** Actions whose hits on marked connections are logged. */
  readonly loggedActions: readonly LoggedAction[]
  /** Failed rule tests block everything that would be forwarded. */
  readonly isBlocked: boolean
  readonly dns: DnsStage | null
  /** Null when nothing of it is in use: everyone is allowed, and no host is authorized by a rule. */
  readonly authorization: AuthorizationStage | null
  /** Null while neither the content filter nor the direct proxy is on. */
  readonly web: WebStage | null
  /** The first packets of connections are copied for the traffic classifier. */
  readonly isClassifying: boolean
  /** Null while no rule asks for inspection. */
  readonly inspection: InspectionStage | null
  /** Null: a host may have any number of connections. */
  readonly limits: ConnectionLimits | null
}

export const emptyPolicy: Policy = {
  rules: { forward: [], input: [], dnat: [], snat: [], log: [] },
  access: null,
  hardware: null,
  hasAutomaticSnat: true,
  externalDevices: [],
  devices: [],
  services: [],
  closedPorts: [],
  guardedPorts: [],
  outsideServices: [],
  ownAddresses: [],
  countsHits: true,
  loggedActions: [],
  isBlocked: false,
  dns: null,
  authorization: null,
  web: null,
  isClassifying: false,
  inspection: null,
  limits: null,
}

/** Sources that automatic SNAT hides (docs/behaviour/packet-path.md 2). */
export const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'] as const

/** Null in a policy: nothing is intercepted. */
export interface DnsStage extends LocalSide {
  readonly isIntercepting: boolean
}

/** Traffic that the proxy leaves alone. Null: any. */
export interface WebExclusion {
  readonly origin: string
  readonly sources: AddressMatch | null
  readonly destinations: AddressMatch | null
}

/** Whose traffic is taken while the filter is on. */
export interface WebInterception {
  /** False while the proxy cannot answer and the administrator wants traffic to pass then. */
  readonly isTaking: boolean
  /** Whom the filter can concern; null: everyone. */
  readonly sources: AddressMatch | null
  readonly exclusions: readonly WebExclusion[]
  /** Where the proxy listens for what is led to it. */
  readonly ports: { readonly http: number; readonly https: number }
  readonly rejectsQuic: boolean
  /** The proxy answers: where nothing listens it only reads its settings again, and clients try once more after a second. */
  readonly isAnswering?: boolean
}

export interface WebStage {
  readonly side: LocalSide
  /** The networks behind each local device: what the proxy opens for a client has an address, and no incoming device. */
  readonly networks: readonly { readonly device: string; readonly ranges: Ranges }[]
  /** Null while only the direct proxy is on. */
  readonly interception: WebInterception | null
  /** The port of the direct proxy; null while it is off. */
  readonly directPort: number | null
}

/**
 * `unknown`: no rule and no sign-in authorizes the host; `suspended`: its user has too many sessions; `other_card`: the
 * address belongs to another card; `other_segment`: it belongs to a card in another segment; `ipv6`: only IPv4 hosts can be
 * authorized.
 */
export type Refusal = 'unknown' | 'suspended' | 'other_card' | 'other_segment' | 'ipv6'
