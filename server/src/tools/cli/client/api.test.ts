import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CommandFailure, exitCodes } from '../failure.ts'
import { showFailure } from '../run.ts'
import { refusalOf } from './api.ts'

const answer = (status: number, body: unknown) => ({ status, text: JSON.stringify(body) })

function printed(failure: CommandFailure): string {
  let text = ''
  showFailure(failure, {
    note: (part) => {
      text += part
    },
  })
  return text
}

test('a refusal is the message of the gateway and a line for each problem', () => {
  const failure = refusalOf(
    answer(422, {
      code: 'invalid',
      message: '2 fields are invalid.',
      problems: [
        { field: 'login', message: 'This field is missing.' },
        { field: 'ports[3]', message: 'Must be at most 65535.' },
      ],
      request_id: 'r1',
    }),
  )
  assert.equal(failure.exitCode, exitCodes.refused)
  assert.equal(
    printed(failure),
    'gw: 2 fields are invalid.\n  login: This field is missing.\n  ports[3]: Must be at most 65535.\n',
  )
})

test('a single problem is not said twice', () => {
  const problem = { field: 'enabled', message: 'Must be true or false.' }
  for (const message of ['enabled: Must be true or false.', 'Must be true or false.']) {
    assert.equal(
      printed(refusalOf(answer(422, { message, problems: [problem] }))),
      'gw: enabled: Must be true or false.\n',
    )
  }
})

test('a missing session has its own exit code and says what to do', () => {
  const failure = refusalOf(answer(401, { code: 'unauthenticated', message: 'Sign in first.' }))
  assert.equal(failure.exitCode, exitCodes.notSignedIn)
  assert.equal(printed(failure), 'gw: Sign in first.\n  Sign in with: gw login\n')
})

test('a bug of the gateway names the request, so that its log can be searched', () => {
  assert.match(printed(refusalOf(answer(500, { message: 'Something went wrong.', request_id: 'abc' }))), /request abc/)
})

test('an answer that is not a gateway’s still gives a sentence', () => {
  assert.equal(printed(refusalOf({ status: 502, text: '<html>' })), 'gw: The gateway answered with status 502.\n')
})

test('hostile words of the other side cannot steer the terminal', () => {
  const text = printed(
    refusalOf(answer(422, { message: '\u001b[2J', problems: [{ field: 'a\u009b', message: 'b\n' }] })),
  )
  assert.equal(text, 'gw: \\x1b[2J\n  a\\x9b: b\\n\n')
})
