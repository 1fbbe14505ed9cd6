// Jumps of the wall clock, beyond what test/security covers (sessions, blocks): a change on probation lasts exactly its
// elapsed time and is reverted once, and history and audit trail are not ordered by wall clock times.
// Requirement 67.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { runDaily } from '../../src/areas/backup/jobs.ts'
import { backupsService } from '../../src/areas/backup/service.ts'
import type { HealthMemory } from '../../src/areas/health/runs/health-memory.ts'
import { Notifier } from '../../src/areas/health/runs/notifier.ts'
import { areas } from '../../src/areas/index.ts'
import type { Slot } from '../../src/core/model/slots.ts'
import { createAging } from '../../src/shared/time/aging.ts'
import { keepAging } from '../../src/shared/time/aging-file.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { assertWhole } from './stored.ts'

const slots: readonly Slot[] = areas.flatMap((area) => area.slots)
const hour = 3_600_000
const start = Date.UTC(2026, 0, 1)
const jumps: readonly number[] = [
  start + hour,
  start - hour,
  start + 24 * hour,
  start - 24 * hour,
  Date.UTC(1970, 0, 1),
  Date.UTC(2038, 0, 19, 3, 14, 8),
  Date.UTC(2100, 0, 1),
]

describe('when the wall clock jumps', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
    await gateway.engine.reconcile()
  })
  afterEach(() => gateway.close())

  const snat = (on: boolean, headers = {}) =>
    admin('PATCH', '/firewall/settings', { automatic_snat_enabled: on }, headers)
  const secondsLeft = async (): Promise<number> => (await admin('GET', '/config/confirm')).body.waiting.seconds_left

  async function restart(): Promise<void> {
    gateway = await gateway.restart()
    admin = await gateway.client('predefined_admin_write')
    gateway.engine.resumeProbation()
  }

  it('a change on probation is neither reverted early nor kept longer, also across restarts', async () => {
    await snat(false, { 'portcullis-confirm-within': '600' })
    for (const wall of jumps) {
      gateway.clock.wall = wall
      assert.equal(await secondsLeft(), 600)
      await restart()
      assert.equal(await secondsLeft(), 600)
      assert.equal((await snat(true)).status, 409)
    }
    gateway.clock.wall = Date.UTC(1970, 0, 1)
    gateway.clock.seconds += 600
    const before = gateway.engine.revision
    await restart()
    await until('it is reverted', () => gateway.engine.probation === null)
    await gateway.engine.idle()
    await restart()
    await gateway.engine.reconcile()
    assert.equal(gateway.engine.revision, before + 1, 'it was reverted twice')
    assert.equal((await admin('GET', '/firewall/settings')).body.automatic_snat_enabled, true)
    await assertWhole(gateway, slots)
  })

  it('no backup is removed by a clock that is wrong for a while, and old ones are once it is believed', async () => {
    const made = (await admin('POST', '/backup/backups', { comment: 'mine' })).body.id as string
    const ids = (): string[] =>
      gateway.services
        .of(backupsService)
        .list()
        .map(({ id }) => id)
    for (const wall of jumps) {
      gateway.clock.wall = new Date(wall).setHours(3, 0, 0, 0)
      await runDaily(gateway.services)
      assert.ok(ids().includes(made), new Date(wall).toISOString())
      // Another look in the same hour makes no other one.
      const before = ids()
      assert.equal(await runDaily(gateway.services), false)
      assert.deepEqual(ids(), before)
    }
    gateway.clock.advance(8 * 86_400)
    await runDaily(gateway.services)
    assert.ok(!ids().includes(made))
  })

  it('no backup is removed by a gateway that starts with a wrong clock, again and again', async () => {
    const { clock, folder } = gateway
    const begin = async (): Promise<void> => {
      const { aging } = keepAging(join(folder, 'aging.json'), clock)
      gateway = await gateway.restart({ parts: { aging } })
      admin = await gateway.client('predefined_admin_write')
    }
    await begin()
    const made = (await admin('POST', '/backup/backups', { comment: 'mine' })).body.id as string
    for (const wall of jumps) {
      clock.wall = new Date(wall).setHours(3, 0, 0, 0)
      await begin()
      await runDaily(gateway.services)
      const ids = gateway.services
        .of(backupsService)
        .list()
        .map(({ id }) => id)
      assert.ok(ids.includes(made), new Date(wall).toISOString())
    }
  })

  it('a message that waits is not dropped because the clock jumped ahead', () => {
    const tidied: number[] = []
    const memory = { targets: [], tidy: (now: number) => tidied.push(now) } as unknown as HealthMemory
    const { clock } = gateway
    const aging = createAging(() => clock.now().getTime(), clock.elapsed)
    const notifier = new Notifier({ memory, clock, aging, deliver: async () => null, isWanted: () => true })
    gateway.clock.wall = Date.UTC(2038, 0, 19)
    notifier.look()
    assert.deepEqual(tidied, [start / 1000])
  })

  it('history and audit trail stay in the order of events, and complete', async () => {
    for (const [index, wall] of jumps.entries()) {
      gateway.clock.wall = wall
      assert.equal((await snat(index % 2 === 1)).status, 200)
    }
    const revisions = (await admin('GET', '/config/revisions')).body as { revision: number; time: string }[]
    assert.deepEqual(
      revisions.slice(0, jumps.length).map(({ time }) => time),
      jumps.toReversed().map((wall) => new Date(wall).toISOString()),
    )
    const { revision } = gateway.engine
    assert.equal((await admin('POST', `/config/revisions/${revision - 3}/revert`)).status, 200)
    await restart()
    await assertWhole(gateway, slots)
  })
})
