// The automatic backup: at its hour by a clock the test moves, rotation, and what the status reports.

import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { runDaily } from '../../src/areas/backup/jobs.ts'
import { backupsService } from '../../src/areas/backup/service.ts'
import { type Client, FakeClock, type TestGateway } from '../support/test-gateway.ts'
import { useGateways } from './backup-calls.ts'

const { start, restart } = useGateways()

describe('the automatic backup', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    const clock = new FakeClock()
    clock.wall = new Date(2026, 2, 10, 5, 0).getTime()
    gateway = await start({ clock })
    admin = await gateway.client('predefined_admin_write')
    await admin('PATCH', '/backup/settings', { common: { hour: 5 } })
  })

  /** By the local clock, as administrators mean it. */
  const at = (hour: number, minute: number, day = 10): void => {
    gateway.clock.wall = new Date(2026, 2, day, hour, minute).getTime()
  }
  const comments = async (): Promise<string[]> => {
    const records = (await (await gateway.client('predefined_admin_write'))('GET', '/backup/backups')).body
    return records.map((record: { comment: string }) => record.comment)
  }

  it('is made once a day at its hour, also over restarts and jumps of the clock', async () => {
    const made: boolean[] = []
    for (const [hour, minute, day] of [
      [4, 59, 10],
      [5, 0, 10],
      [5, 1, 10],
      [4, 0, 10],
      [5, 30, 10],
      [6, 0, 10],
      [5, 59, 11],
      [5, 59, 11],
    ] as const) {
      at(hour, minute, day)
      made.push(await runDaily(gateway.services))
    }
    assert.deepEqual(made, [false, true, false, false, false, false, true, false])
    assert.deepEqual(await comments(), ['Automatic backup copy', 'Automatic backup copy'])
    gateway = await restart(gateway)
    at(5, 59, 11)
    assert.equal(await runDaily(gateway.services), false)
  })

  it('deletes what lies here for longer than a week or a month', async () => {
    // The time passes: a clock that only jumps there makes nothing old.
    const goOnTo = async (hour: number, day: number): Promise<void> => {
      const before = gateway.clock.wall
      at(hour, 0, day)
      gateway.clock.seconds += Math.max(0, gateway.clock.wall - before) / 1000
      admin = await gateway.client('predefined_admin_write')
    }
    for (const [rotate, days] of [
      ['weekly', 7],
      ['monthly', 31],
    ] as const) {
      await goOnTo(12, 1)
      await admin('PATCH', '/backup/settings', { common: { rotate } })
      await admin('POST', '/backup/backups', { comment: `kept ${rotate}` })
      await goOnTo(5, 1 + days)
      await runDaily(gateway.services)
      assert.ok((await comments()).includes(`kept ${rotate}`), `${rotate}: on the last day`)
      await goOnTo(5, 2 + days)
      await runDaily(gateway.services)
      assert.ok(!(await comments()).includes(`kept ${rotate}`), `${rotate}: a day later`)
    }
  })

  it('shows its status', async () => {
    const status = async () => (await admin('GET', '/backup/status')).body
    const uploads = (kind: string, title: string) => ({
      name: `${kind}-upload`,
      status: 'inactive',
      msg: [`The upload to the ${title} is disabled.`],
    })
    assert.deepEqual(await status(), [
      {
        name: 'automatic-backup',
        status: 'active',
        msg: ['No automatic backup has been made yet. The first one is due at 05:00.'],
      },
      uploads('ftp', 'FTP server'),
      uploads('cifs', 'CIFS share'),
    ])
    await runDaily(gateway.services)
    const [made] = await status()
    assert.equal(made.msg[0], `The last automatic backup was made at ${gateway.clock.now().toISOString()}.`)
    gateway.services.of(backupsService).noteAutomatic('The disk is full.')
    assert.equal((await status())[0].status, 'failed')
  })
})
