// What a session of a user on the network is. Types only, for those who keep, show and open sessions.

/** How the host was recognised; the spelling of the interface. */
export const sessionTypes = ['ip', 'mac', 'ip_mac', 'net', 'web'] as const
export type SessionType = (typeof sessionTypes)[number]

export interface UserSession {
  readonly id: string
  /** `user.id.<n>` */
  readonly userId: string
  readonly type: SessionType
  /** An IPv4 address; for `net` the network. */
  readonly address: string
  /** The card that the session is bound to. */
  readonly mac: string | null
  /** Where the host came in. */
  readonly device: string | null
  /** `over_limit`: kept out, because the user has more sessions than allowed; comes back when another one ends. */
  readonly state: 'connected' | 'over_limit'
  /** Unix seconds. */
  readonly startedAt: number
  /** The authorization rule that opened it; null for a sign-in. */
  readonly ruleId: string | null
}

/** Sessions of users, for those who open and end them. Every change is in the kernel when the promise is kept. */
export interface UserSessions {
  list(): readonly UserSession[]
  ofUser(userId: string): readonly UserSession[]
  /** The session of this address, also one that waits; for a host without one, that of the network around it. */
  at(address: string): UserSession | undefined
  /** A user signed in from this address. The session of another user at the same address ends. */
  openWeb(userId: string, address: string): Promise<UserSession>
  /** False when there is no such session. Its connections are cut. */
  end(id: string): Promise<boolean>
  endAllOf(userId: string): Promise<void>
}
