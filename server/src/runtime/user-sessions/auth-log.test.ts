import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Database } from '../../database/database.ts'
import { AuthLog, authLogMigrations } from './auth-log.ts'
import type { SessionType, UserSession } from './session.ts'

const session = (type: SessionType, address: string): UserSession => ({
  ...{ id: 'id', userId: 'user.id.1', type, address, mac: null, device: null },
  ...{ state: 'connected', startedAt: 0, ruleId: null },
})

describe('the journal of sessions of users', () => {
  const open = (maxRecords = 100) => {
    const database = new Database(':memory:', undefined, { migrations: authLogMigrations, isForgetful: true })
    return new AuthLog({ database, now: () => new Date(0), onFault: (error) => assert.ifError(error), maxRecords })
  }

  it('has lines in the form of the specification', () => {
    const log = open()
    log.write([
      { session: session('ip', '10.0.0.1'), login: 'anna', end: null },
      { session: session('net', '10.1.0.0/16'), login: 'anna', end: null },
      { session: session('web', '10.0.0.2'), login: 'boris', end: null },
      { session: session('mac', '10.0.0.3'), login: 'boris', end: 'There was no traffic.' },
    ])
    assert.deepEqual(
      log.pageAfter(0, 10).map(({ program, message }) => [program, message]),
      [
        ['auth-backend', "Subnet 10.0.0.1/32 is authorized as user 'anna'. Connection made from None, type 'ip'."],
        ['auth-backend', "Subnet 10.1.0.0/16 is authorized as user 'anna'. Connection made from None, type 'net'."],
        ['web-authd', "Subnet 10.0.0.2/32 is authorized as user 'boris'. Connection made from '10.0.0.2', type 'web'."],
        ['auth-backend', "Subnet 10.0.0.3/32 is no longer authorized as user 'boris'. There was no traffic."],
      ],
    )
  })

  it('keeps a hostile login inside its quotes and its line', () => {
    const log = open()
    const login = `a'. Connection made from None\n\u2028\u0007\u202e\\`
    log.write([{ session: session('ip', '10.0.0.1'), login, end: null }])
    const [line] = log.pageAfter(0, 1)
    assert.match(line?.message ?? '', /^[\x20-\x7e]+$/)
    assert.equal(line?.message.split("'").length, 5, 'two quoted texts')
  })

  it('keeps no more than it may', () => {
    const log = open(10)
    for (let count = 0; count < 25; count++)
      log.write([{ session: session('ip', '10.0.0.1'), login: 'anna', end: null }])
    assert.equal(log.pageAfter(0, 100).length, 10)
    assert.equal(log.oldest, 16)
  })
})
