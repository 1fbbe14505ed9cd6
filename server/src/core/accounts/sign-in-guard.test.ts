// What the guard remembers: across restarts, reboots, formats of the stored data, and for how long.
// Requirement 3.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, beforeEach, describe, it } from 'node:test'
import { FakeClock } from '../../../test/support/test-gateway.ts'
import { Database } from '../database/database.ts'
import { migrations } from '../database/migrations.ts'
import { SignInGuard } from './sign-in-guard.ts'

const day = 24 * 3600

describe('the guard of sign-ins', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-guard-'))
  let number = 0
  let database: Database
  let clock: FakeClock
  let guard: SignInGuard
  beforeEach(() => {
    clock = new FakeClock()
    database = new Database(join(folder, `${++number}.db`))
    guard = new SignInGuard(database, clock)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('M6: knows from where an account signed in, for that account alone and for 30 days', () => {
    guard.recordSuccess('192.0.2.1', 'one')
    guard.recordSuccess('2001:db8:1:1::1', 'one')
    assert.equal(guard.isKnown('192.0.2.1', 'one'), true)
    assert.equal(guard.isKnown('2001:db8:1:1::ffff', 'one'), true)
    assert.equal(guard.isKnown('2001:db8:1:2::1', 'one'), false)
    assert.equal(guard.isKnown('192.0.2.2', 'one'), false)
    assert.equal(guard.isKnown('192.0.2.1', 'two'), false)
    assert.equal(guard.isKnown('192.0.2.1', null), false)
    clock.advance(29 * day)
    clock.boot = 'boot-2'
    clock.seconds = 5
    guard = new SignInGuard(database, clock)
    assert.equal(guard.isKnown('192.0.2.1', 'one'), true)
    clock.advance(30 * day)
    assert.equal(guard.isKnown('192.0.2.1', 'one'), false)
  })

  it('M6: knows the last 16 sources of an account', () => {
    for (let host = 1; host <= 20; host++) {
      guard.recordSuccess(`192.0.2.${host}`, 'one')
      clock.advance(1)
    }
    const known = Array.from({ length: 20 }, (_, index) => guard.isKnown(`192.0.2.${index + 1}`, 'one'))
    assert.deepEqual(known, [...Array(4).fill(false), ...Array(16).fill(true)])
  })

  it('L1: deletes what is over, of every kind', () => {
    for (let host = 1; host <= 30; host++) {
      for (let done = 0; done < 7; done++) guard.recordFailure(`192.0.2.${host}`, 'one')
    }
    guard.recordSuccess('192.0.2.99', 'two')
    clock.advance(31 * day)
    guard.recordFailure('198.51.100.1', null)
    const count = (rows: readonly unknown[]): number => rows.length
    assert.deepEqual(
      [
        count(database.prepare('SELECT * FROM sign_in_blocks').all()),
        count(database.prepare('SELECT * FROM sign_in_failures').all()),
        count(database.prepare('SELECT * FROM account_failures').all()),
        count(database.prepare('SELECT * FROM known_sources').all()),
      ],
      [0, 1, 0, 0],
    )
    assert.equal(guard.isAccountClosed('one'), true, 'closed until it is reopened')
  })

  it('users and administrators share nothing: counts, blocks, closed accounts, known sources, lifting', () => {
    const users = new SignInGuard(database, clock, 'users')
    for (let done = 0; done < 5; done++) guard.recordFailure('192.0.2.1', 'one')
    for (let done = 0; done < 5; done++) users.recordFailure('192.0.2.1', 'user.id.1')
    assert.deepEqual([guard.secondsBlocked('192.0.2.1'), users.secondsBlocked('192.0.2.1')], [0, 0])
    assert.equal(users.recordFailure('192.0.2.1', null).isBlocked, true)
    assert.deepEqual([guard.secondsBlocked('192.0.2.1'), users.secondsBlocked('192.0.2.1')], [0, 2_700])
    assert.deepEqual([guard.listBlocks(), users.listBlocks()], [[], [{ address: '192.0.2.1', seconds_left: 2_700 }]])
    guard.liftBlocks()
    assert.equal(users.listBlocks().length, 1)
    assert.equal(guard.recordFailure('192.0.2.1', 'one').isBlocked, false, 'its own failures were lifted')
    users.recordSuccess('192.0.2.9', 'user.id.1')
    assert.deepEqual([users.isKnown('192.0.2.9', 'user.id.1'), guard.isKnown('192.0.2.9', 'user.id.1')], [true, false])
    for (let done = 0; done < 100; done++) users.recordFailure(`198.51.100.${done}`, 'user.id.2')
    assert.deepEqual(guard.listClosed(), [])
    assert.deepEqual(
      users.listClosed().map(({ adminId }) => adminId),
      ['user.id.2'],
    )
    const restarted = new SignInGuard(database, clock, 'users')
    assert.equal(restarted.listBlocks().length, 1)
    restarted.liftBlocks()
    assert.deepEqual(restarted.listBlocks(), [])
  })

  it('L1: an account that the previous format held as closed stays closed, and counts go on', () => {
    const path = join(folder, 'previous.db')
    const previous = new DatabaseSync(path)
    for (const { statements } of migrations.slice(0, 4)) for (const statement of statements) previous.exec(statement)
    previous.exec(`PRAGMA user_version=4;
      INSERT INTO account_failures (admin_id, consecutive) VALUES ('closed', 104), ('open', 99);
      INSERT INTO sign_in_failures (address, boot, at) VALUES ('192.0.2.1', 'boot-1', 999);
      INSERT INTO sign_in_blocks (address, boot, until) VALUES ('192.0.2.2', 'boot-1', 2000)`)
    previous.close()
    const upgraded = new Database(path)
    guard = new SignInGuard(upgraded, clock)
    assert.equal(guard.isAccountClosed('closed'), true)
    assert.equal(guard.isAccountClosed('open'), false)
    assert.equal(guard.secondsBlocked('192.0.2.2'), 1_000)
    const { closed } = guard.recordFailure('192.0.2.1', 'open')
    assert.deepEqual([closed?.failures, guard.isAccountClosed('open')], [100, true])
    upgraded.close()
  })
})
