// Requirement 62.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createTestGateway } from '../../../test/support/test-gateway.ts'
import { DiskReserve } from './disk-reserve.ts'

const mebibyte = 1 << 20

describe('the reserve of the disk', () => {
  let folder = ''
  const disk = { free: 0, total: 0 }
  const open = (): DiskReserve => new DiskReserve(join(folder, 'reserve'), () => disk)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-reserve-'))
    Object.assign(disk, { free: 10 * mebibyte, total: 16 * mebibyte })
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is 64 MiB, and an eighth of a small disk', () => {
    assert.equal(open().state().reserveBytes, 2 * mebibyte)
    disk.total = 2 ** 40
    assert.equal(open().state().reserveBytes, 64 * mebibyte)
  })

  it('takes real blocks when there is room, gives them up once, and takes them again', async () => {
    const reserve = open()
    disk.free = mebibyte
    await reserve.take()
    assert.equal(reserve.release(), false)
    disk.free = 10 * mebibyte
    await reserve.take()
    const { size, blocks } = statSync(join(folder, 'reserve'))
    assert.deepEqual([size, blocks * 512 >= size], [2 * mebibyte, true])
    assert.deepEqual([reserve.release(), reserve.release()], [true, false])
    assert.equal(statSync(join(folder, 'reserve')).blocks, 0)
    await reserve.take()
    assert.equal(reserve.release(), true)
  })

  it('is for neither new changes nor logs, whether it is taken or given up', async () => {
    const reserve = open()
    const rooms: unknown[] = []
    const look = (free: number): void => {
      disk.free = free
      rooms.push([reserve.hasRoom(), reserve.hasRoomForLogs(), reserve.state().state])
    }
    await reserve.take()
    for (const free of [2, 1, 0]) look(free * mebibyte)
    reserve.release()
    for (const free of [4, 3, 2]) look(free * mebibyte)
    const steps = [
      [true, true, 'enough'],
      [true, false, 'low'],
      [false, false, 'full'],
    ]
    assert.deepEqual(rooms, [...steps, ...steps])
  })

  it('is full for a disk that refuses writes, whatever it says of its room', () => {
    const reserve = open()
    reserve.noteWrite(false)
    assert.equal(reserve.state().state, 'full')
    reserve.noteWrite(true)
    assert.equal(reserve.state().state, 'enough')
  })

  it('keeps backups from taking the room of the configuration, and the status says so', async () => {
    const gateway = await createTestGateway({ parts: { reserve: open() } })
    const admin = await gateway.client('predefined_admin_write')
    const store = async (): Promise<{ status: string; msg: string[] }> =>
      (await admin('GET', '/config/status')).body.find(({ name }: { name: string }) => name === 'store')
    const make = async (): Promise<number> => (await admin('POST', '/backup/backups', { comment: '' })).status
    assert.equal(await make(), 200)
    assert.deepEqual(await store(), { name: 'store', status: 'active', msg: [] })
    disk.free = 3 * mebibyte
    assert.equal(await make(), 503)
    const { status, msg } = await store()
    assert.equal(status, 'active')
    assert.match(msg.join(' '), /^The disk is nearly full: logs and backups take no more room\. Delete backups/)
    disk.free = 0
    assert.equal((await store()).status, 'failed')
    const [only] = (await admin('GET', '/backup/backups')).body
    assert.equal((await admin('DELETE', `/backup/backups/${only.id}`)).status, 200)
    await gateway.close()
  })
})
