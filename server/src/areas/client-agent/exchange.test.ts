// Requirement 17.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultsOf } from '../../core/validation/validate.ts'
import { createExchange } from './exchange.ts'

const version = { type: 'version', major: 19, minor: 2, build: 7, os: 'linux' }
const authorize = { type: 'authorize', login: 'bob', password: 'secret' }
const sso = { type: 'sso', token: null, session_token: null, domain: 'corp.example' }
const device = { type: 'device' }

const begin = (isEnabled = true) => createExchange({ isEnabled: () => isEnabled, faultsOf })

describe('the conversation with an agent', () => {
  it('begins with the version, and every version will do', () => {
    assert.deepEqual(begin()(version), {
      reply: {
        type: 'update',
        need_update: false,
        download_url: null,
        version: { major: 19, minor: 2, build: 7, os: 'linux' },
      },
      isOver: false,
    })
  })

  it('authorizes no one, and says why', () => {
    for (const [isEnabled, reason] of [
      [true, /not contain/],
      [false, /switched off/],
    ] as const) {
      const say = begin(isEnabled)
      say(version)
      for (const message of [authorize, device, authorize]) {
        const { reply, isOver } = say(message)
        assert.equal(isOver, false)
        assert.ok(reply?.type === 'auth_state')
        assert.deepEqual([reply.authorized, reply.need_tunnel, reply.timeout], [false, false, 0])
        assert.match(reply.message, reason)
      }
      const { reply } = say(sso)
      assert.ok(reply?.type === 'sso')
      assert.deepEqual([reply.status, reply.session_token, reply.access_token], ['not_authorized', null, null])
      assert.match(reply.error, reason)
    }
  })

  const unknown = [
    null,
    'version',
    7,
    [],
    {},
    { type: null },
    { type: 'toString' },
    { type: '__proto__' },
    { type: 'tunnel', public_key: 'x' },
    { type: 'two_factor', code: '1' },
    { type: 'ztna', node_name: 'x' },
    { type: 'update' },
    { type: 'auth_state', authorized: true },
  ]
  const malformed = [
    { ...version, os: 'beos' },
    { ...version, major: '19' },
    { ...version, major: -1 },
    { ...version, extra: 1 },
    { type: 'version' },
    { ...authorize, password: null },
    { ...authorize, login: 'x'.repeat(256) },
  ]
  const isRefused = (say: ReturnType<typeof begin>, message: unknown, expected: { isOver: boolean }) => {
    const { reply, isOver } = say(message)
    assert.equal(isOver, expected.isOver, JSON.stringify(message))
    assert.ok(reply?.type === 'auth_state' && !reply.authorized, JSON.stringify(message))
  }

  it('refuses what is unknown or comes before the version, and listens on', () => {
    const say = begin()
    for (const message of [...unknown, authorize, sso, device]) isRefused(say, message, { isOver: false })
    assert.equal(say(version).reply?.type, 'update')
    for (const message of unknown) isRefused(say, message, { isOver: false })
    isRefused(say, authorize, { isOver: false })
  })

  it('ends with a malformed message, a second version or an unexpected token', () => {
    for (const message of malformed) isRefused(begin(), message, { isOver: true })
    for (const message of [version, ...malformed, { ...sso, token: 'abc' }]) {
      const say = begin()
      say(version)
      isRefused(say, message, { isOver: true })
    }
  })

  it('authorizes no one, in whatever order eight kinds of messages come', () => {
    const token = { ...sso, token: 'abc' }
    const others = [
      { type: 'tunnel', public_key: 'x' },
      { type: 'two_factor', code: '1' },
      { type: 'ztna', node_name: 'x' },
    ]
    const kinds = [version, authorize, sso, device, token, ...others]
    const isEnd = (sequence: readonly object[]): boolean => {
      const [last, before] = [sequence.at(-1), sequence.slice(0, -1)]
      return before.includes(version) && (last === version || last === token)
    }
    const walk = (sequence: readonly object[]): void => {
      const say = begin()
      const answers = sequence.map(say)
      assert.ok(answers.every(({ reply }) => reply?.type !== 'auth_state' || !reply.authorized))
      if (sequence.length > 0) assert.equal(answers.at(-1)?.isOver, isEnd(sequence), JSON.stringify(sequence))
      if (sequence.length < 5 && !isEnd(sequence)) for (const kind of kinds) walk([...sequence, kind])
    }
    walk([])
  })
})
