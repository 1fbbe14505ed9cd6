// What each error becomes on the wire.
// Requirement 55.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ErrorCode, GatewayError, refuse } from '../../core/contract/error.ts'
import { say, verbatim } from '../../shared/said.ts'
import { answerFor, asGatewayError, internalMessage } from './errors.ts'

const statuses: Readonly<Record<ErrorCode, number>> = {
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

describe('an error', () => {
  for (const [code, status] of Object.entries(statuses)) {
    it(`${code} is ${status}`, () => {
      const answer = answerFor(new GatewayError(code as ErrorCode, verbatim('words')), 'id')
      assert.deepEqual(answer, { status, body: { code, message: 'words', request_id: 'id' }, headers: {} })
    })
  }

  it('carries its problems and when to come back', () => {
    const problems = [{ field: 'a', message: verbatim('b') }]
    const answer = answerFor(new GatewayError('unavailable', say`x`, { problems, retryAfterSeconds: 7 }), 'id')
    assert.deepEqual(answer.body.problems, problems)
    assert.deepEqual(answer.headers, { 'retry-after': '7' })
  })

  it('of several fields names them in its message, once and not without end', () => {
    const problems = Array.from({ length: 12 }, (_, i) => ({ field: `f${i}`, message: verbatim('No.') }))
    const names = 'f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more'
    const { body } = answerFor(new GatewayError('invalid', say`The filter is invalid.`, { problems }), 'id')
    assert.equal(body.message, `The filter is invalid. Fields: ${names}.`)
    try {
      refuse(problems)
      assert.fail('not refused')
    } catch (error) {
      assert.equal(answerFor(error as GatewayError, 'id').body.message, `12 fields are invalid: ${names}.`)
    }
  })

  const foreign: [error: unknown, code: ErrorCode][] = [
    [new Error('secret'), 'internal'],
    ['secret', 'internal'],
    [null, 'internal'],
    [undefined, 'internal'],
    [Object.assign(new Error('secret'), { statusCode: 500 }), 'internal'],
    [Object.assign(new Error('secret'), { code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }), 'too_large'],
    [Object.assign(new Error('secret'), { code: 'FST_ERR_MAX_PARAM_LENGTH', statusCode: 414 }), 'not_found'],
    [Object.assign(new Error('secret'), { code: 'FST_ERR_BAD_URL', statusCode: 400 }), 'malformed'],
    [Object.assign(new Error('aborted'), { code: 'ECONNRESET', statusCode: 400 }), 'malformed'],
  ]
  it('of someone else is reported in our words', () => {
    for (const [error, code] of foreign) {
      const known = asGatewayError(error)
      assert.equal(known.code, code)
      assert.doesNotMatch(known.message, /secret|aborted/)
    }
    assert.equal(asGatewayError(new Error('x')).message, internalMessage)
  })
})
