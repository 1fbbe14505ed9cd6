// The recovery key, the fresh sign-in that it and a restore need, and the previous version that there is none of.
// Requirement 8.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testPassword } from '../support/test-gateway.ts'
import { make, runningVersion, useGateways } from './backup-calls.ts'

const { start, restart } = useGateways()

describe('the recovery key', () => {
  it('is made once, shown on request to full administrators, and each look is audited', async () => {
    const gateway = await start()
    const admin = await gateway.client('predefined_admin_write')
    const { body } = await admin('GET', '/backup/recovery_key')
    assert.match(body.key, /^[0-9a-f]{8}(-[0-9a-f]{8}){7}$/)
    const records = await admin('GET', '/journal/records?limit=100')
    assert.equal(records.body.filter((r: { message: string }) => r.message === 'The recovery key was shown.').length, 1)
    assert.ok(!records.text.includes(body.key.slice(0, 8)))
    const again = await restart(gateway)
    assert.deepEqual((await (await again.client('predefined_admin_write'))('GET', '/backup/recovery_key')).body, body)
    const other = await start()
    const stranger = await (await other.client('predefined_admin_write'))('GET', '/backup/recovery_key')
    assert.notEqual(stranger.body.key, body.key)
  })

  it('of another gateway is taken in its form only', async () => {
    const admin = await (await start()).client('predefined_admin_write')
    const { key, id } = (await (await (await start()).client('predefined_admin_write'))('GET', '/backup/recovery_key'))
      .body
    assert.deepEqual((await admin('POST', '/backup/recovery_key', { key })).body, { id })
    assert.deepEqual((await admin('POST', '/backup/recovery_key', { key })).body, { id })
    for (const wrong of [key.slice(1), key.replaceAll('-', ''), key.toUpperCase().replace(/.$/, 'G'), `${key} `, '']) {
      const answer = await admin('POST', '/backup/recovery_key', { key: wrong })
      assert.equal(answer.status, 422, wrong)
      assert.equal(answer.body.problems[0].field, 'key')
    }
  })
})

describe('a session that signed in a while ago', () => {
  it('neither sees the recovery key nor restores nor removes an administrator, until someone signs in again', async () => {
    const gateway = await start()
    const admin = await gateway.client('predefined_admin_write')
    const id = await make(admin)
    const version = { ...runningVersion }
    const calls = [
      ['GET', '/backup/recovery_key', undefined, 200],
      ['POST', `/backup/backups/${id}/apply`, undefined, 200],
      ['POST', `/backup/backups/${id}/apply/fast?dry_run=true`, undefined, 200],
      ['POST', '/system_management/change_sys_root', { version }, 409],
      ['DELETE', '/web/admins/local/nobody', undefined, 404],
    ] as const
    gateway.clock.advance(10 * 60 - 1)
    gateway.clock.wall += 24 * 3600 * 1000
    for (const [method, url, body, status] of calls) assert.equal((await admin(method, url, body)).status, status, url)
    gateway.clock.advance(1)
    for (const [method, url, body] of calls) {
      const answer = await admin(method, url, body)
      assert.equal(answer.status, 401, url)
      assert.equal(answer.body.message, 'This needs a sign-in within the last 10 minutes. Sign in again.')
    }
    assert.equal((await admin('GET', '/backup/backups')).status, 200)
    assert.equal((await admin('POST', '/backup/backups', { comment: '' })).status, 200)
    const signIn = { login: 'of-predefined_admin_write', password: testPassword, rest_path: '/' }
    assert.equal((await admin('POST', '/web/auth/login', signIn)).status, 200)
    const again = await gateway.client('predefined_admin_write')
    assert.equal((await again('GET', '/backup/recovery_key')).status, 200)
  })
})

describe('the previous version', () => {
  it('is not one, and cannot be returned to', async () => {
    const admin = await (await start()).client('predefined_admin_write')
    const path = '/system_management/change_sys_root'
    assert.deepEqual((await admin('GET', path)).body, { previous_version: null })
    for (const kind of ['FSTEK', 'NGFW-FSTEK', 'VPP', 'STANDARD', 'BPF']) {
      assert.equal((await admin('POST', path, { version: { ...runningVersion, kind } })).status, 409, kind)
    }
    const wrong = await admin('POST', path, { version: { ...runningVersion, kind: 'OTHER' } })
    assert.equal(wrong.status, 422)
    assert.equal(wrong.body.problems[0].field, 'version.kind')
  })
})
