// A new key for stored secrets is made in the turn of the change that uses it.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTestGateway } from '../support/test-gateway.ts'

it('an administrator whose key rotation is refused again and again leaves no keys behind', async () => {
  const gateway = await createTestGateway()
  const admin = await gateway.client('predefined_admin_write')
  const waiting = { 'portcullis-confirm-within': '60' }
  assert.equal((await admin('PATCH', '/firewall/settings', { log_mode: 'all' }, waiting)).status, 200)
  const key = gateway.vault.currentKey
  for (let count = 0; count < 3; count++) {
    const answer = await admin('POST', '/config/keys/rotate')
    assert.equal(answer.status, 409, answer.text)
  }
  assert.equal(gateway.vault.currentKey, key)
  assert.equal((await admin('POST', '/config/confirm')).status, 200)
  assert.equal((await admin('POST', '/config/keys/rotate')).status, 200)
  assert.equal(gateway.vault.currentKey, key + 1)
  await gateway.close()
})
