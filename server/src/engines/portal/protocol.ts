// What the portal may ask of gatewayd, over a socket of its own: nothing else of the gateway is open to it. A frame is a 4-byte
// big-endian length and that many bytes of UTF-8 JSON. Types and bounds only.

export const portalSocket = 'run/portal/gateway.sock'

/** Longer requests are refused and end the connection. */
export const maxPortalFrameBytes = 16 * 1024

/** Why a host or a person is refused. The page has a sentence for each, in every language. */
export type PortalRefusal =
  /** Login, password or code are wrong; it is not said which. */
  | 'wrong'
  /** The option "deny access" is on. */
  | 'denied'
  /** Too many failed sign-ins from this address. */
  | 'blocked'
  /** The account was closed after too many failures. */
  | 'closed'
  /** Too many sign-ins at this moment. */
  | 'busy'
  /** The user has more sessions than allowed, and this host is the one that waits. */
  | 'over_limit'
  /** A rule authorizes the host at all times, as another user. */
  | 'taken'
  /** The second factor cannot be asked for now. */
  | 'no_second_factor'
  /** The new password is not accepted; `weakness` says why. */
  | 'weak'
  /** The sign-in is too old or unknown. */
  | 'expired'

export interface Refused {
  readonly status: 'refused'
  readonly reason: PortalRefusal
  readonly retrySeconds?: number
  readonly weakness?: PasswordWeakness
}

/** Of passwords that users choose. */
export const shortestPassword = 10
export const longestPassword = 128

/** `guessable`: common, or it contains the login, the product name or the host name. */
export type PasswordWeakness = 'short' | 'long' | 'same' | 'guessable'

/** What the gateway knows of the host at an address. */
export interface HostState {
  /** Does authorization decide about external networks at all? */
  readonly isEnforced: boolean
  /** May it reach external networks now? */
  readonly isAuthorized: boolean
  readonly user: { readonly login: string; readonly name: string } | null
  /** Is it authorized by a sign-in, which can be ended by a sign-out? */
  readonly isSignedIn: boolean
  readonly refusal: PortalRefusal | null
  /** Seconds without traffic after which the session ends; null without one. */
  readonly idleSeconds: number | null
}

export type SecondFactor = 'totp' | 'smssvc' | 'multifactor'

export type SignInResult =
  /** `token` opens the personal pages, and nothing else. */
  | { readonly status: 'signed_in'; readonly token: string }
  /** `enrolment`: the user has no TOTP secret yet and must take this one over; `uri` is `otpauth://...`. */
  | {
      readonly status: 'second_factor'
      readonly ticket: string
      readonly factor: SecondFactor
      readonly enrolment: { readonly uri: string; readonly secret: string } | null
    }
  | Refused

export interface OwnSession {
  readonly id: string
  readonly type: string
  readonly address: string
  readonly state: string
  /** Unix seconds. */
  readonly startedAt: number
  /** Is it that of the host which asks? */
  readonly isThis: boolean
}

export interface PersonalPage {
  readonly login: string
  readonly name: string
  readonly sessions: readonly OwnSession[]
  /** Only users made on the gateway have a password here. */
  readonly canChangePassword: boolean
}

/** `address` is always that of the client of the portal. */
export interface PortalVerbs {
  readonly host: { readonly args: { readonly address: string }; readonly result: HostState }
  readonly signIn: {
    readonly args: { readonly address: string; readonly login: string; readonly password: string }
    readonly result: SignInResult
  }
  readonly confirm: {
    readonly args: { readonly address: string; readonly ticket: string; readonly code: string }
    readonly result: SignInResult
  }
  /** Null: the token opens nothing (any more). */
  readonly personal: {
    readonly args: { readonly address: string; readonly token: string }
    readonly result: PersonalPage | null
  }
  readonly endSession: {
    readonly args: { readonly address: string; readonly token: string; readonly id: string }
    readonly result: { readonly status: 'done' } | Refused
  }
  readonly changePassword: {
    readonly args: { readonly address: string; readonly token: string; readonly current: string; readonly next: string }
    readonly result: { readonly status: 'done' } | Refused
  }
  /** Ends the session of this host, if it is one of a sign-in, and the personal one. */
  readonly signOut: {
    readonly args: { readonly address: string; readonly token: string | null }
    readonly result: { readonly status: 'done' }
  }
}

export type PortalVerb = keyof PortalVerbs

/** A frame to gatewayd. Answers come in any order; `id` says to what. */
export interface PortalRequest<V extends PortalVerb = PortalVerb> {
  readonly id: number
  readonly verb: V
  readonly args: PortalVerbs[V]['args']
}

/** A frame to the portal. `ok: false`: the request could not be performed; the portal asks its user to try again. */
export type PortalReply<V extends PortalVerb = PortalVerb> =
  | { readonly id: number; readonly ok: true; readonly result: PortalVerbs[V]['result'] }
  | { readonly id: number; readonly ok: false; readonly message: string }
