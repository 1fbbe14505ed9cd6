// Why a call was not answered with what was asked for. The code decides what the console does, the message is for the person.

import type { ErrorCode, ErrorReason } from '@gateway/server/core/error'

export interface Problem {
  /** Such as `ranges[2]`, `sstp.port` or `firewall.forward[7].source_addresses`. */
  readonly field: string
  readonly message: string
}

/** `unreachable`: there was no answer at all. */
export type FailureCode = ErrorCode | 'unreachable'

export class Failure extends Error {
  readonly code: FailureCode
  readonly status: number
  /** Which of several things the code means, such as `lock_out` of a conflict. */
  readonly reason: ErrorReason | null
  readonly problems: readonly Problem[]
  readonly requestId: string
  /** Seconds until it is worth another try, where the gateway says so. */
  readonly retryAfter: number | null

  constructor(fields: {
    readonly code: FailureCode
    readonly status: number
    readonly message: string
    readonly reason?: ErrorReason | null
    readonly problems?: readonly Problem[]
    readonly requestId?: string
    readonly retryAfter?: number | null
  }) {
    super(fields.message)
    this.name = 'Failure'
    this.code = fields.code
    this.status = fields.status
    this.reason = fields.reason ?? null
    this.problems = fields.problems ?? []
    this.requestId = fields.requestId ?? ''
    this.retryAfter = fields.retryAfter ?? null
  }
}
