// The thin slice over HTTP: sign in, change the firewall settings, see revisions, dry runs, preconditions and put-backs.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { contentOf } from '../../src/core/plan/planner.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

describe('the thin slice', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(() => gateway.close())

  it('shows defaults, changes a setting and applies it', async () => {
    const shown = await admin('GET', '/firewall/settings')
    assert.deepEqual(shown.body, { automatic_snat_enabled: true, log_mode: 'nothing', log_actions: [] })
    const changed = await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: false })
    assert.equal(changed.status, 200)
    assert.equal(changed.text, '')
    assert.equal((await admin('GET', '/firewall/settings')).body.automatic_snat_enabled, false)
    const nft = gateway.applier.applied?.artifacts.find((artifact) => artifact.kind === 'nft')
    assert.ok(nft && !contentOf(nft).includes('masquerade'))
  })
})
