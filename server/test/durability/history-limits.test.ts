// The history of the configuration is bounded: the oldest revisions are removed by policy, what they did stays, and their
// absence is explained. Requirements 35, 62 and 69.
// Requirement 62.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, describe, it } from 'node:test'
import { ConfigStore } from '../../src/core/config/store.ts'
import { wholeStretch } from '../support/loop-watch.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const kept = 10

describe('M2: the history of the configuration', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })

  const revisions = async (): Promise<number[]> =>
    (await admin('GET', '/config/revisions?limit=1000')).body.map((one: { revision: number }) => one.revision)

  const toggle = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count++) {
      const enabled = count % 2 === 0
      const { status } = await admin('PATCH', '/firewall/settings', { automatic_snat_enabled: !enabled })
      assert.equal(status, 200)
    }
  }

  const addresses = (seed: number): string[] =>
    Array.from({ length: 20_000 }, (_, index) => `10.${seed % 250}.${index >> 8}.${index & 255}`)

  const historyItem = async (): Promise<{ status: string; msg: string[] }> =>
    (await admin('GET', '/config/status')).body.find(({ name }: { name: string }) => name === 'history')

  it('has limits that an administrator sets', async () => {
    const limits = { max_revisions: 10_000, max_megabytes: 256 }
    assert.deepEqual((await admin('GET', '/config/history')).body, limits)
    assert.equal((await admin('PATCH', '/config/history', { max_revisions: 9 })).status, 422)
    assert.deepEqual((await historyItem()).msg, [])
    await toggle(30)
    assert.equal((await admin('PATCH', '/config/history', { max_revisions: kept })).status, 200)
    await toggle(12)
    await until('the oldest revisions are gone', async () => (await revisions()).length === kept)
  })

  it('keeps the newest revisions, and says why an older one is not there', async () => {
    const newest = gateway.engine.revision
    assert.deepEqual(
      await revisions(),
      Array.from({ length: kept }, (_, index) => newest - index),
    )
    for (const [method, path] of [
      ['GET', '/config/revisions/3'],
      ['POST', '/config/revisions/3/revert'],
      ['POST', '/config/revisions/0/revert'],
    ] as const) {
      const { status, body } = await admin(method, path)
      assert.equal(status, 404, path)
      assert.match(body.message, /is no longer kept: revisions up to \d+ were removed by the limits of the history\.$/)
    }
    assert.equal((await admin('POST', `/config/revisions/${newest - 5}/revert`)).status, 200)
  })

  it('reports in the status that a limit is near, and in the audit trail what was removed', async () => {
    await until('the revision before the revert is gone', async () => (await revisions()).length === kept)
    const { status, msg } = await historyItem()
    assert.equal(status, 'active')
    assert.match(msg.join(' '), /^The history has 10 of at most 10 revisions .* Revisions up to \d+ were removed\.$/)
    const { body } = await admin('GET', '/journal/records?limit=1000')
    const removals = body.filter(({ what }: { what: string }) => what === 'configuration history')
    assert.ok(removals.length > 0)
    const { removedUpTo } = gateway.engine.history
    assert.equal(
      removals[0].message,
      `Revisions ${removals[0].message.match(/\d+/)[0]} to ${removedUpTo} were removed by the limits of the history.`,
    )
    assert.equal(await gateway.services.audit.verify([]), null)
  })

  it('does not grow with a loop of large changes', async () => {
    assert.equal((await admin('PATCH', '/config/history', { max_revisions: 1_000, max_megabytes: 2 })).status, 200)
    const made = await admin('POST', '/aliases/ip_address_lists', { title: 'large', comment: '', values: addresses(0) })
    assert.equal(made.status, 200)
    const path = `/aliases/ip_address_lists/${made.body.id}`
    // Each of them stores the list before and after it: twenty would be ten times as large as the limit.
    for (let seed = 1; seed <= 20; seed++)
      assert.equal((await admin('PATCH', path, { values: addresses(seed) })).status, 200)
    await until('only the last revisions are kept', async () => (await revisions()).length === kept)
    assert.ok(gateway.engine.history.bytes > 2 * 1024 * 1024, 'the changes were not large')
    const list = (await admin('GET', '/aliases/ip_address_lists')).body.find(
      ({ id }: { id: string }) => id === made.body.id,
    )
    assert.deepEqual(list.values, addresses(20))
    assert.equal((await admin('POST', `/config/revisions/${gateway.engine.revision - 3}/revert`)).status, 200)
  })

  it('is rebuilt from what is kept when stored items are damaged', async () => {
    const expected = gateway.engine.config
    await gateway.engine.idle()
    const raw = new DatabaseSync(join(gateway.folder, 'gateway.db'))
    raw.exec("UPDATE items SET body = body || ' '")
    raw.close()
    const again = await gateway.restart()
    assert.deepEqual(again.engine.damage, ['Stored items were damaged and have been rebuilt from the revisions.'])
    assert.deepEqual(again.engine.config, expected)
    gateway = again
    admin = await gateway.client('predefined_admin_write')
  })

  it('is refused when its base is damaged as well', async () => {
    await gateway.engine.idle()
    const raw = new DatabaseSync(join(gateway.folder, 'gateway.db'))
    raw.exec(`UPDATE items SET body = body || ' '; DELETE FROM base_items WHERE slot = 'firewall.settings'`)
    raw.close()
    await assert.rejects(gateway.restart(), /the base of the history \(revision \d+\) are damaged\. Restore a backup/)
  })

  it('a loop of large changes at its limit does not hold others up: little is removed at a time, and quickly found', async () => {
    const large = await createTestGateway()
    const client = await large.client('predefined_admin_write')
    const path = '/aliases/ip_address_lists'
    const made = await client('POST', path, { title: 'many', comment: '', values: addresses(0) })
    for (let seed = 1; seed <= 12; seed++) {
      const { status } = await client('PATCH', `${path}/${made.body.id}`, { values: addresses(seed) })
      assert.equal(status, 200)
    }
    const { database, engine } = large
    const store = new ConfigStore(database, engine.slots)
    const { bytes } = store.size
    const readAll = () => database.prepare('SELECT body FROM long_text_parts').all()
    let [found, read] = [Number.POSITIVE_INFINITY, 0]
    for (let round = 0; round < 5; round++) {
      read = Math.max(read, wholeStretch(readAll))
      found = Math.min(
        found,
        wholeStretch(() => assert.equal(store.surplus({ revisions: 1_000, bytes: bytes / 2 }, 2) > 0, true)),
      )
    }
    assert.ok(found < read, `${found} ms to find them, ${read} ms to read them all`)
    const most = { revisions: 20, bytes: 1024 * 1024 }
    const before = store.size.bytes
    using fold = await store.foldOldest(engine.revision, most)
    assert.notEqual(
      database.transact(() => store.remove(fold)),
      null,
    )
    assert.ok(before - store.size.bytes <= most.bytes)
    await large.close()
  })
})

describe('an administrator who lowers the limits of the history on probation', () => {
  it('removes nothing before it is confirmed, and nothing when it is reverted', async () => {
    const gateway = await createTestGateway()
    const admin = await gateway.client('predefined_admin_write')
    const change = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
      const answer = await admin(method, path, body, headers)
      assert.equal(answer.status, 200, answer.text)
    }
    const toggle = async (times: number): Promise<void> => {
      for (let count = 0; count < times; count++)
        await change('PATCH', '/firewall/settings', { automatic_snat_enabled: count % 2 === 1 })
    }
    const lower = () =>
      change('PATCH', '/config/history', { max_revisions: kept }, { 'portcullis-confirm-within': '60' })
    /** What is removed is removed in turns of the event loop that follow each other. */
    const turns = async (): Promise<void> => {
      for (let count = 0; count < 20; count++) await new Promise((resolve) => setImmediate(resolve))
    }
    await toggle(30)
    await lower()
    await turns()
    assert.equal(gateway.engine.history.removedUpTo, 0)
    await change('DELETE', '/config/confirm')
    await turns()
    assert.equal(gateway.engine.history.removedUpTo, 0)
    await lower()
    await change('POST', '/config/confirm')
    await toggle(1)
    await until('the oldest revisions are gone', () => gateway.engine.history.revisions === kept)
    await gateway.close()
  })
})
