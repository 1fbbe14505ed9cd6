// The one error class of the product and the shape of a fault. What HTTP status a code becomes is
// known only to gatewayd/http/errors.ts.

import { type SaidText, say } from '../../shared/said.ts'

/** A fault in the administrator's words. `field` names the body field or, from a checker, the object. */
export interface Problem {
  readonly field: string
  readonly message: SaidText
}

export type ErrorCode =
  | 'malformed'
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_type'
  | 'too_many_requests'
  | 'not_applied'
  | 'unavailable'
  | 'internal'

/** Which of several things a code means, where a client does something else in each case. */
export const errorReasons = {
  lock_out: 'The change would cut the connection of the administrator who makes it. On probation it is accepted.',
  probation: 'Another change is waiting for its confirmation.',
  in_use: 'It is used by the objects that the problems name.',
} as const
export type ErrorReason = keyof typeof errorReasons

export interface ErrorDetails {
  readonly reason?: ErrorReason
  readonly problems?: readonly Problem[]
  /** Seconds after which trying again makes sense; becomes Retry-After. */
  readonly retryAfterSeconds?: number
  /** For the log only, never for the caller. */
  readonly cause?: unknown
}

export class GatewayError extends Error {
  declare readonly message: SaidText
  readonly code: ErrorCode
  readonly reason: ErrorReason | undefined
  readonly problems: readonly Problem[]
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: SaidText, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'GatewayError'
    this.code = code
    this.reason = details.reason
    this.problems = details.problems ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

export const invalid = (field: string, message: SaidText): GatewayError =>
  new GatewayError('invalid', message, { problems: [{ field, message }] })

/** Something the gateway needs does not answer now, such as a disk that takes nothing. */
export const isUnavailable = (error: unknown): boolean => error instanceof GatewayError && error.code === 'unavailable'

export const isConflict = (error: unknown): boolean => error instanceof GatewayError && error.code === 'conflict'

export const notFound = (what: string): GatewayError => new GatewayError('not_found', say`There is no ${what}.`)

/** More than these help no one. */
export const maxProblems = 100

/** The fields a message names; a client that shows only the message still tells what to look at. */
const maxNamed = 10

/** Of more problems than this, fields that occur twice are counted twice. */
const maxCompared = 1_000

export function fieldNames(problems: readonly Problem[]): string {
  const fields = [...new Set(problems.slice(0, maxCompared).map(({ field }) => field))]
  const others = fields.length - maxNamed + Math.max(0, problems.length - maxCompared)
  const named = fields.slice(0, maxNamed).join(', ')
  return others > 0 ? say`${named} and ${others} more` : named
}

/** Throws when there are problems, with all of them: one is reported as it is, several as a count and their fields. */
export function refuse(problems: readonly Problem[], code: 'invalid' | 'conflict' = 'invalid'): void {
  const [first] = problems
  if (!first) return
  const message =
    problems.length === 1
      ? say`${first.field}: ${first.message}`
      : say`${problems.length} fields are invalid: ${fieldNames(problems)}.`
  throw new GatewayError(code, message, { problems: problems.slice(0, maxProblems) })
}
