// Personal sessions: what opens them, what ends them, and what of them is stored.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { FakeClock } from '../../../../test/support/test-gateway.ts'
import { Database } from '../../../core/database/database.ts'
import { type EndedSession, PortalSessions } from './portal-sessions.ts'

const folder = mkdtempSync(join(tmpdir(), 'portcullis-portal-sessions-'))
after(() => rmSync(folder, { recursive: true, force: true }))
let number = 0

function open(path = join(folder, `${++number}.db`), clock = new FakeClock()) {
  const ended: EndedSession[] = []
  const database = new Database(path)
  const sessions = new PortalSessions({ database, clock, onEnded: (session) => ended.push(session) })
  return { path, clock, database, sessions, ended }
}

describe('a personal session', () => {
  it('is opened by its token alone, from anywhere', () => {
    const { sessions } = open()
    const { token, session } = sessions.create('user.id.1', 'mark', '10.0.0.1')
    assert.equal(Buffer.from(token, 'base64url').length, 32)
    assert.equal(sessions.open(token, '10.0.0.2')?.handle, session.handle)
    assert.equal(sessions.list()[0]?.address, '10.0.0.2')
    for (const wrong of ['', session.handle, `${token}x`, token.slice(1)])
      assert.equal(sessions.open(wrong, '10.0.0.1'), null)
  })

  it('ends after 15 idle minutes and after 12 hours, by elapsed time', () => {
    const { sessions, clock, ended } = open()
    const idle = sessions.create('user.id.1', 'mark', '10.0.0.1')
    clock.seconds += 899
    clock.wall += 100_000_000
    assert.ok(sessions.open(idle.token, '10.0.0.1'))
    clock.seconds += 900
    assert.equal(sessions.open(idle.token, '10.0.0.1'), null)
    assert.deepEqual(sessions.list(), [])
    const busy = sessions.create('user.id.1', 'mark', '10.0.0.1')
    for (let minute = 0; minute < 12 * 60 - 1; minute += 10) {
      assert.ok(sessions.open(busy.token, '10.0.0.1'))
      clock.seconds += 600
    }
    assert.equal(sessions.open(busy.token, '10.0.0.1'), null)
    assert.equal(ended.length, 2)
  })

  it('ended when its time was over, not when that was noticed', () => {
    const { sessions, clock, ended } = open()
    const { session } = sessions.create('user.id.1', 'mark', '10.0.0.1')
    clock.advance(5_000)
    sessions.endExpired()
    assert.equal((ended[0]?.endedAt ?? 0) - session.startedAt, 900)
  })

  it('survives a restart, not a reboot; the token is nowhere in the file', () => {
    const { sessions, clock, database, path } = open()
    const { token, session } = sessions.create('user.id.1', 'mark', '10.0.0.1')
    database.close()
    assert.equal(readFileSync(path).includes(token), false)
    const again = open(path, clock)
    assert.equal(again.sessions.open(token, '10.0.0.1')?.handle, session.handle)
    again.database.close()
    clock.boot = 'boot-2'
    const rebooted = open(path, clock)
    assert.equal(rebooted.sessions.open(token, '10.0.0.1'), null)
    assert.deepEqual(
      rebooted.ended.map(({ handle }) => handle),
      [session.handle],
    )
    rebooted.database.close()
  })

  it('makes room for the eleventh of a user: the one idle longest ends', () => {
    const { sessions, clock, ended } = open()
    const tokens = Array.from({ length: 10 }, () => {
      clock.advance(1)
      return sessions.create('user.id.1', 'mark', '10.0.0.1').token
    })
    clock.advance(1)
    assert.ok(sessions.open(tokens[0] ?? '', '10.0.0.1'))
    sessions.create('user.id.2', 'mark', '10.0.0.1')
    assert.equal(ended.length, 0)
    sessions.create('user.id.1', 'mark', '10.0.0.1')
    assert.equal(ended.length, 1)
    assert.equal(sessions.open(tokens[1] ?? '', '10.0.0.1'), null)
    assert.ok(sessions.open(tokens[0] ?? '', '10.0.0.1'))
  })

  it('is undone with the transaction that began it', () => {
    const { sessions, database } = open()
    assert.throws(() =>
      database.transact(() => {
        sessions.create('user.id.1', 'mark', '10.0.0.1')
        throw new Error('undone')
      }),
    )
    assert.deepEqual(sessions.list(), [])
  })
})
