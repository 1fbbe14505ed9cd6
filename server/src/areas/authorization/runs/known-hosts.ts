// What the keeper of sessions needs to know of the configuration. Types only; the area of authorization implements it.

import type { SessionType } from './session.ts'

export interface KnownUser {
  readonly login: string
  /** The option "deny access". */
  readonly isDenied: boolean
  /** Ids of the groups that the user is in, up to the topmost one. */
  readonly groups: readonly string[]
  /** Another text means another password. */
  readonly credential: string
}

/** An enabled authorization rule of a user who is not denied access. */
export interface KnownRule {
  readonly id: string
  readonly userId: string
  readonly type: Exclude<SessionType, 'web'>
  /** An address; for `net` the network; null for `mac`. */
  readonly address: string | null
  readonly mac: string | null
  /** The session exists without traffic. */
  readonly isAlways: boolean
}

/** What changed for sessions; `all` users when groups were moved or removed. */
export interface KnownNews {
  readonly users: ReadonlySet<string> | 'all'
  readonly rules: ReadonlySet<string>
}

/** Always of the newest configuration. Every answer costs the same however many rules and users there are. */
export interface KnownHosts {
  user(id: string): KnownUser | null
  rule(id: string): KnownRule | null
  /** The rule that authorizes a host: by both addresses, by its address, by its card, by its network, in this order. */
  ruleFor(address: string, mac: string | null): KnownRule | null
  /** The rule of the network that this address is in. */
  networkRuleFor(address: string): KnownRule | null
  /** Rules whose session exists without traffic. */
  always(): Iterable<KnownRule>
  idleSeconds(): number
  /** Since the last call. */
  news(): KnownNews
}
