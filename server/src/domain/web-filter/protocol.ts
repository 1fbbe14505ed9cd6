// What gatewayd and the decision process tell each other, over a socket that gatewayd opens. Frames as on the socket of
// applyd: a 4-byte big-endian length and that many bytes of JSON. Types and bounds only.

import type { FilterUser } from './model.ts'

/** Made by gatewayd; only the account of the decision process may connect. */
export const webFilterSocket = 'run/web-filter/gateway.sock'
/** Made by the decision process: the helper of the proxy asks at the first, applyd at the second. */
export const askSocket = 'run/web-filter-ask/ask.sock'
export const controlSocket = 'run/web-filter-ask/control.sock'

/** Sessions in one message; more come in further ones. */
export const sessionsAtOnce = 2_000
/** Of a message to gatewayd; longer ones end the connection. */
export const maxReportBytes = 64 * 1024

export interface SessionPut {
  /** IPv4; of a network, its first address. */
  readonly address: string
  /** Only for a network. */
  readonly prefix?: number
  readonly user: FilterUser
}

/** Who is at which address. */
export interface SessionsMessage {
  readonly kind: 'sessions'
  /**
   * `first`: a whole table begins, and counts instead of the earlier one from its `last` on. `more`: it goes on. Null: only
   * differences.
   */
  readonly table: 'first' | 'more' | 'last' | 'only' | null
  readonly put: readonly SessionPut[]
  /** An address, or a network as `10.0.0.0/24`. */
  readonly gone: readonly string[]
}

/** A new index is in place. */
export interface CategoriesMessage {
  readonly kind: 'categories'
  readonly file: string
}

export type ToFilterd = SessionsMessage | CategoriesMessage

/** How the decision process is. */
export interface WebFilterReport {
  readonly kind: 'report'
  /** Of the files that it decides with; null before it could read any. */
  readonly policyDigest: string | null
  readonly categories: { readonly entries: number; readonly bytes: number; readonly builtAt: number } | null
  /** Addresses and networks with a user. */
  readonly sessions: number
  /** Since its start. */
  readonly asked: number
  readonly denied: number
  /** Are there connections of the helper of the proxy? */
  readonly isAsked: boolean
  /** What keeps it from working as configured, in sentences; empty when all is well. */
  readonly faults: readonly string[]
}
