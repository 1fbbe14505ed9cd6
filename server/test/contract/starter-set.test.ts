// Intrusion prevention with the signatures that come with the program.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSignatureFiles } from '../../src/areas/intrusion-prevention/runs/signature-files.ts'
import { createTestGateway } from '../support/test-gateway.ts'

const templateId = '__DEFAULT_IPS_PROFILE_ID__'

describe('intrusion prevention with the starter set', () => {
  it('serves every signature of it in groups', async () => {
    const files = createSignatureFiles({ folder: '/nowhere', packageFolders: [] })
    await files.refresh()
    const gateway = await createTestGateway({ parts: { signatures: files } })
    const admin = await gateway.client('predefined_admin_readonly')
    const { signatures: all } = (await admin('GET', '/ips/signatures')).body
    const groups = (await admin('GET', '/ips/signature_groups/table')).body.signature_groups
    assert.ok(all.length >= 150)
    assert.equal(
      groups.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
      all.length,
    )
    const counts = (await admin('GET', '/ips/profiles/actions-counts')).body[templateId]
    assert.ok(counts.drop > 0 && counts.alert > 0)
    await gateway.close()
  })
})
