// The recovery key, and the previous version that there is none of.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runningVersion, useGateways } from './backup-calls.ts'

const { start, restart } = useGateways()

describe('the recovery key', () => {
  it('is made once, shown on request to full administrators, and each look is journalled', async () => {
    const gateway = await start()
    const admin = await gateway.client('predefined_admin_write')
    const { body } = await admin('GET', '/backup/recovery_key')
    assert.match(body.key, /^[0-9a-f]{8}(-[0-9a-f]{8}){7}$/)
    const journal = await admin('GET', '/journal/records?limit=100')
    assert.equal(journal.body.filter((r: { message: string }) => r.message === 'The recovery key was shown.').length, 1)
    assert.ok(!journal.text.includes(body.key.slice(0, 8)))
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

describe('the previous version', () => {
  it('is none, and cannot be returned to', async () => {
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
