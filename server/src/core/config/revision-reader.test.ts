// Revisions as a worker reads them: the same configurations as the engine's, over another connection, while changes go on.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestGateway, type TestGateway } from '../../../test/support/test-gateway.ts'
import { Database, readOnlyData } from '../database/database.ts'
import { RevisionReader } from './revision-reader.ts'

describe('a reader of revisions', () => {
  let gateway: TestGateway
  let database: Database
  before(async () => {
    gateway = await createTestGateway()
    database = new Database(gateway.database.path, undefined, readOnlyData)
    const admin = await gateway.client('predefined_firewall_admin')
    for (const n of [1, 2, 3, 4, 5, 6]) {
      await admin('POST', '/firewall/rules/forward', { action: n % 2 ? 'drop' : 'accept', comment: `${n}` })
      await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: n % 2 === 0 })
    }
    await admin('DELETE', '/firewall/rules/forward/2')
  })
  after(async () => {
    database.close()
    await gateway.close()
  })

  it('M10: has every configuration that the engine has, in any order of questions', () => {
    const { engine } = gateway
    const reader = new RevisionReader(database, engine.slots)
    const all = Array.from({ length: engine.revision + 1 }, (_, revision) => revision)
    for (const revision of [...all, ...all.toReversed(), 3, engine.revision, 1])
      assert.deepEqual(reader.configAt(revision), engine.configAt(revision), `revision ${revision}`)
    assert.equal(reader.configAt(engine.revision + 1), null)
    assert.equal(reader.describe(engine.revision + 1), null)
  })

  it('M10: follows new revisions, and rules that stay are the same values', async () => {
    const { engine } = gateway
    const reader = new RevisionReader(database, engine.slots)
    const rules = (revision: number) => reader.configAt(revision)?.['firewall.forward'] as readonly object[]
    const [first] = rules(engine.revision)
    const admin = await gateway.client('predefined_firewall_admin')
    await admin('POST', '/firewall/rules/forward', { action: 'drop', comment: 'new' })
    assert.deepEqual(reader.configAt(engine.revision), engine.config)
    assert.equal(rules(engine.revision)[0], first)
  })

  it('leaves out slots that it was not given', () => {
    const { engine } = gateway
    const slots = engine.slots.filter(({ key }) => key === 'firewall.forward')
    const reader = new RevisionReader(database, slots)
    for (const revision of [2, engine.revision]) {
      const config = engine.configAt(revision) ?? assert.fail()
      assert.deepEqual(reader.configAt(revision), { 'firewall.forward': config['firewall.forward'] })
    }
  })

  it('cannot write', () => {
    assert.throws(() => database.prepare('DELETE FROM revisions').run(), /readonly/)
  })
})
