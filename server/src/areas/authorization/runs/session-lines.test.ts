import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SessionType, UserSession } from './session.ts'
import { linesOf } from './session-lines.ts'

const session = (type: SessionType, address: string): UserSession => ({
  id: 'id',
  userId: 'user.id.1',
  type,
  address,
  mac: null,
  device: null,
  state: 'connected',
  startedAt: 0,
  ruleId: null,
})

describe('the lines of the system journal about sessions of users', () => {
  it('have the form of the specification', () => {
    const lines = linesOf([
      { session: session('ip', '10.0.0.1'), login: 'anna', end: null },
      { session: session('net', '10.1.0.0/16'), login: 'anna', end: null },
      { session: session('web', '10.0.0.2'), login: 'boris', end: null },
      { session: session('mac', '10.0.0.3'), login: 'boris', end: 'There was no traffic.' },
    ])
    assert.deepEqual(
      lines.map(({ unit, message }) => [unit, message]),
      [
        ['auth-backend', "Subnet 10.0.0.1/32 is authorized as user 'anna'. Connection made from None, type 'ip'."],
        ['auth-backend', "Subnet 10.1.0.0/16 is authorized as user 'anna'. Connection made from None, type 'net'."],
        ['web-authd', "Subnet 10.0.0.2/32 is authorized as user 'boris'. Connection made from '10.0.0.2', type 'web'."],
        ['auth-backend', "Subnet 10.0.0.3/32 is no longer authorized as user 'boris'. There was no traffic."],
      ],
    )
  })

  it('keep a hostile login inside its quotes and its line', () => {
    const login = `a'. Connection made from None\n\u2028\u0007\u202e\\`
    const [line] = linesOf([{ session: session('ip', '10.0.0.1'), login, end: null }])
    assert.match(line?.message ?? '', /^[\x20-\x7e]+$/)
    assert.equal(line?.message.split("'").length, 5, 'two quoted texts')
  })
})
