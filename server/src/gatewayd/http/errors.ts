// The only place that knows status numbers: what each error code becomes on the wire.

import { type ErrorCode, type ErrorReason, fieldNames, GatewayError, type Problem } from '../../core/contract/error.ts'
import { type SaidText, type Sentence, say, sentencesIn } from '../../shared/said.ts'

export const statusOf: Readonly<Record<ErrorCode, number>> = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_type: 415,
  invalid: 422,
  too_many_requests: 429,
  not_applied: 500,
  internal: 500,
  unavailable: 503,
}

export interface ErrorBody {
  readonly code: ErrorCode
  readonly reason?: ErrorReason
  readonly message: SaidText
  readonly problems?: readonly Problem[]
  readonly sentences?: readonly Sentence[]
  readonly request_id: string
}

export interface ErrorAnswer {
  readonly status: number
  readonly body: ErrorBody
  readonly headers: Readonly<Record<string, string>>
}

export const internalMessage = say`Internal error. The log of the gateway has the details under this request id.`

export function answerFor(error: GatewayError, requestId: string): ErrorAnswer {
  const message = messageOf(error)
  const sentences = sentencesIn([message, ...error.problems.map((problem) => problem.message)])
  return {
    status: statusOf[error.code],
    body: {
      code: error.code,
      ...(error.reason === undefined ? {} : { reason: error.reason }),
      message,
      ...(error.problems.length > 0 ? { problems: error.problems } : {}),
      ...(sentences.length > 0 ? { sentences } : {}),
      request_id: requestId,
    },
    headers: error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) },
  }
}

/** With several problems their fields are named here too, because some clients show only the message. */
function messageOf({ code, message, problems }: GatewayError): SaidText {
  if (code !== 'invalid' || problems.length < 2) return message
  const fields = fieldNames(problems)
  return message.includes(fields) ? message : say`${message} Fields: ${fields}.`
}

export const bodyTooLarge = say`The body is larger than this endpoint allows.`

const notStored = say`This could not be stored: the disk is full, read-only or failing.`
/** Codes of the system for a disk that does not take a write. */
export const storageFaults: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG'])

/** Fastify's own refusals in our words; any other error is a bug and reveals nothing. */
export function asGatewayError(error: unknown, tooLargeMessage = bodyTooLarge): GatewayError {
  if (error instanceof GatewayError) return error
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) {
    return new GatewayError('too_large', tooLargeMessage, { cause: error })
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new GatewayError('not_found', say`There is no endpoint at this path.`, { cause: error })
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new GatewayError('malformed', say`The request cannot be parsed.`, { cause: error })
  }
  if (code !== undefined && storageFaults.has(code)) return new GatewayError('unavailable', notStored, { cause: error })
  return new GatewayError('internal', internalMessage, { cause: error })
}
