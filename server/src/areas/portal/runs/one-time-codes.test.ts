// A code works once: sent twice, sent in parallel, after a restart, and after the clock was set back.
// Requirement 11.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { FakeClock } from '../../../../test/support/test-gateway.ts'
import { Database } from '../../../core/database/database.ts'
import { OneTimeCodes } from './one-time-codes.ts'
import { codeAt, createSecret } from './totp.ts'

describe('one-time codes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-codes-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  let number = 0
  const open = () => {
    const path = join(folder, `${++number}.db`)
    const clock = new FakeClock()
    const database = new Database(path)
    return { path, clock, database, codes: new OneTimeCodes(database, clock), secret: createSecret() }
  }
  const now = (clock: FakeClock): number => Math.floor(clock.wall / 30_000)

  it('work once, also with a space in the middle', () => {
    const { codes, clock, secret } = open()
    const code = codeAt(secret, now(clock))
    assert.equal(codes.use('user.id.1', secret, `${code.slice(0, 3)} ${code.slice(3)}`), true)
    assert.equal(codes.use('user.id.1', secret, code), false)
    assert.equal(codes.use('user.id.2', secret, code), true, 'another user has other codes')
    clock.advance(30)
    assert.equal(codes.use('user.id.1', secret, code), false, 'not within its drift either')
    assert.equal(codes.use('user.id.1', secret, codeAt(secret, now(clock))), true)
    for (const wrong of ['', '1', 'x'.repeat(16), '12345６']) assert.equal(codes.use('user.id.1', secret, wrong), false)
  })

  it('sent in parallel let one in', async () => {
    const { codes, clock, secret } = open()
    const code = codeAt(secret, now(clock))
    const uses = await Promise.all(Array.from({ length: 20 }, async () => codes.use('user.id.1', secret, code)))
    assert.equal(uses.filter(Boolean).length, 1)
  })

  it('stay used over a restart and when the clock goes back', () => {
    const { codes, clock, secret, database, path } = open()
    const used: string[] = []
    for (let turn = 0; turn < 10; turn++) {
      const code = codeAt(secret, now(clock))
      assert.equal(codes.use('user.id.1', secret, code), true)
      used.push(code)
      clock.advance(60)
    }
    database.close()
    const again = new Database(path)
    const reopened = new OneTimeCodes(again, clock)
    for (const code of used.toReversed()) {
      clock.wall -= 60_000
      assert.equal(reopened.use('user.id.1', secret, code), false, 'used before')
      const next = codeAt(secret, now(clock) + 1)
      assert.equal(reopened.use('user.id.1', secret, next), true, 'a clock that was set back keeps no one out')
    }
    for (let turn = 0; turn < 100; turn++) {
      clock.advance(30)
      reopened.use('user.id.1', secret, codeAt(secret, now(clock)))
    }
    assert.equal(again.prepare('SELECT count(*) AS count FROM used_codes').get()?.count, 64)
    again.close()
  })

  it('that are sent have six digits and fit only their own hash', () => {
    const { codes } = open()
    const sent = Array.from({ length: 200 }, () => codes.createSent())
    for (const { code, hash } of sent) {
      assert.match(code, /^\d{6}$/)
      assert.equal(codes.isSent(` ${code}`, hash), true)
    }
    const [one, other] = sent as [(typeof sent)[number], (typeof sent)[number]]
    assert.equal(codes.isSent(one.code, other.hash), one.code === other.code)
    assert.ok(new Set(sent.map(({ code }) => code)).size > 190)
  })
})
