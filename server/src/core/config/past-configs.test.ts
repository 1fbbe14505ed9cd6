import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'

describe('past configurations', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await createTestGateway()
    const admin = await gateway.client('predefined_firewall_admin')
    for (const comment of ['1', '2', '3', '4'])
      await admin('POST', '/firewall/rules/forward', { action: 'drop', comment })
  })
  after(() => gateway.close())

  it('M2: a long history is undone one revision at a time, and not again by the change that needs it', async () => {
    const { engine } = gateway
    const wanted = engine.configAt(1)
    assert.notEqual(engine.configAt(1), wanted, 'nothing is kept yet')
    let slices = 0
    await engine.loadPast(1, () => {
      slices++
      return undefined
    })
    // At least one for each revision; a long one is read in more.
    assert.ok(slices >= engine.revision - 1, String(slices))
    const loaded = engine.configAt(1)
    assert.deepEqual(loaded, wanted)
    assert.equal(engine.configAt(1), loaded)
    for (const revision of [engine.revision, engine.revision + 5]) await engine.loadPast(revision, () => assert.fail())
  })
})
