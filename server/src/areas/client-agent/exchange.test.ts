import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultsOf } from '../../http/validate.ts'
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

  it('authorizes nobody, and says why', () => {
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

  it('ends with anything out of order, unknown or malformed', () => {
    const first = [authorize, sso, device]
    const wrong = [
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
      { ...version, os: 'beos' },
      { ...version, major: '19' },
      { ...version, major: -1 },
      { ...version, extra: 1 },
      { type: 'version' },
      { ...authorize, password: null },
      { ...authorize, login: 'x'.repeat(256) },
      { ...sso, token: 'abc' },
    ]
    const isRefused = (say: ReturnType<typeof begin>, message: unknown) => {
      const { reply, isOver } = say(message)
      assert.equal(isOver, true, JSON.stringify(message))
      assert.ok(reply?.type === 'auth_state' && !reply.authorized, JSON.stringify(message))
    }
    for (const message of [...first, ...wrong]) isRefused(begin(), message)
    for (const message of [version, ...wrong]) {
      const say = begin()
      say(version)
      isRefused(say, message)
    }
  })

  it('goes on only from the version to attempts, whatever order eight kinds of messages come in', () => {
    const attempts = [authorize, sso, device]
    const others = [
      { ...sso, token: 'abc' },
      { type: 'tunnel', public_key: 'x' },
      { type: 'two_factor', code: '1' },
      { type: 'ztna', node_name: 'x' },
    ]
    const kinds = [version, ...attempts, ...others]
    const isFollowed = (sequence: readonly object[], at: number): boolean =>
      at === 0 ? sequence[0] === version : attempts.includes(sequence[at] as never)
    const walk = (sequence: readonly object[]): void => {
      const say = begin()
      for (const [at, message] of sequence.entries()) {
        const { reply, isOver } = say(message)
        assert.equal(isOver, !isFollowed(sequence, at), JSON.stringify(sequence))
        assert.ok(reply?.type !== 'auth_state' || !reply.authorized)
      }
      if (sequence.length > 0 && !isFollowed(sequence, sequence.length - 1)) return
      if (sequence.length < 5) for (const kind of kinds) walk([...sequence, kind])
    }
    walk([])
  })
})
