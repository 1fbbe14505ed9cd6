// Automatic backups go to the servers of the settings: when, under which name, what is tried again, and what is reported.
// Requirements 31 and 45.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import { runDaily, startDailyBackup } from '../../src/areas/backup/jobs.ts'
import { runUploads } from '../../src/areas/backup/jobs-uploads.ts'
import type { BackupUploads } from '../../src/areas/backup/service.ts'
import type { Client, TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { download, useGateways } from './backup-calls.ts'

const { start, restart } = useGateways()

const password = `tracer-${randomBytes(8).toString('hex')}`
const ftp = { enabled: true, server: 'ftp.example', login: 'up', password, remote_dir: 'dir_1/backup' }
const cifs = { enabled: true, server: '192.0.2.9', login: 'LAB\\up', password, remote_dir: '/dir_1/dir_2/backup/' }

interface Sent {
  readonly address: string
  readonly folder: string
  readonly name: string
  readonly bytes: Buffer
}

describe('the upload of automatic backups', () => {
  let gateway: TestGateway
  let admin: Client
  let sent: Sent[] = []
  let fault: string | null = null
  let addresses: Record<string, string> = {}
  const uploads: BackupUploads = {
    lookUp: async (name) => {
      const address = /^[\d.]+$/.test(name) ? name : addresses[name]
      return address === undefined ? { fault: 'The name does not exist.' } : { address }
    },
    ftp: async (target, file) => {
      if (fault !== null) throw new Error(fault)
      assert.equal(target.password, password)
      const bytes = Buffer.concat(await (await file.read()).toArray())
      assert.equal(bytes.length, file.size)
      sent.push({ address: target.address, folder: target.folder, name: file.name, bytes })
    },
  }
  beforeEach(async () => {
    sent = []
    fault = null
    addresses = { 'ftp.example': '198.51.100.7' }
    gateway = await start({ parts: { uploads } })
    admin = await gateway.client('predefined_admin_write')
    at(5, 0)
  })

  const at = (hour: number, minute: number, day = 10): void => {
    gateway.clock.wall = new Date(2026, 2, day, hour, minute).getTime()
  }
  const set = async (patch: object): Promise<void> => {
    const answer = await admin('PATCH', '/backup/settings', patch)
    assert.equal(answer.status, 200, answer.text)
  }
  const item = async (name: string): Promise<{ status: string; msg: string[] }> =>
    (await admin('GET', '/backup/status')).body.find((one: { name: string }) => one.name === `${name}-upload`)
  const audited = async (what: string): Promise<string[]> =>
    (await admin('GET', '/journal/records?limit=1000')).body
      .filter((record: { what: string }) => record.what === what)
      .map((record: { message: string }) => record.message)

  it('carries each to both, as it lies here and under a name of ours', async () => {
    await set({ common: { hour: 5 }, ftp, cifs })
    assert.equal((await item('ftp')).status, 'inactive')
    assert.equal(await runDaily(gateway.services), true)
    const [stored] = (await admin('GET', '/backup/backups')).body
    const name = `portcullis-0.1.0-${new Date(stored.timestamp * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z-${stored.id.slice(0, 8)}.backup`
    const bytes = await download(gateway, admin, stored.id)
    assert.deepEqual(sent, [{ address: '198.51.100.7', folder: 'dir_1/backup', name, bytes }])
    assert.deepEqual(gateway.applier.uploads, [
      {
        backup: stored.id,
        name,
        server: '192.0.2.9',
        address: '192.0.2.9',
        share: 'dir_1',
        folder: 'dir_2/backup',
        login: 'LAB\\up',
        password,
      },
    ])
    for (const kind of ['ftp', 'cifs']) {
      assert.equal((await item(kind)).status, 'active')
      assert.match((await item(kind)).msg[0] ?? '', /was uploaded to the/)
      assert.deepEqual(await audited(`${kind} upload`), [`The backup ${stored.id} was uploaded.`])
    }
    await runDaily(gateway.services)
    await runUploads(gateway.services, true)
    assert.equal(sent.length, 1, 'what arrived is not sent again')
  })

  it('leaves those made by hand, and those made before it was on, here', async () => {
    await set({ common: { hour: 5 } })
    await runDaily(gateway.services)
    await set({ ftp })
    await admin('POST', '/backup/backups', { comment: 'by hand' })
    await runUploads(gateway.services, true)
    assert.deepEqual(sent, [])
  })

  it('that fails keeps the backup, says why, and is tried again after a while and the next day', async () => {
    await set({ common: { hour: 5 }, ftp })
    fault = 'The server refuses the login or the password.'
    await runDaily(gateway.services)
    const { status, msg } = await item('ftp')
    assert.equal(status, 'failed')
    assert.match(
      msg[0] ?? '',
      /could not be uploaded to the FTP server at .*: The server refuses the login or the password\.$/,
    )
    assert.equal((await admin('GET', '/backup/backups')).body.length, 1)
    at(5, 9)
    await runDaily(gateway.services)
    assert.equal((await audited('ftp upload')).length, 1, 'not before ten minutes have passed')
    at(5, 10)
    await runDaily(gateway.services)
    assert.equal((await audited('ftp upload')).length, 2)
    at(6, 30)
    await runDaily(gateway.services)
    assert.equal((await audited('ftp upload')).length, 2, 'not outside of its hour')
    gateway = await restart(gateway)
    admin = await gateway.client('predefined_admin_write')
    assert.equal((await item('ftp')).status, 'failed', 'also after a restart')
    fault = null
    at(5, 0, 11)
    await runDaily(gateway.services)
    assert.equal(sent.length, 2, 'that of today and that of yesterday')
    assert.equal((await item('ftp')).status, 'active')
  })

  it('tries what failed at once when the settings change', async () => {
    const daily = startDailyBackup(gateway.services, (error) => assert.fail(String(error)))
    fault = 'The server refuses the login or the password.'
    await set({ common: { hour: 5 }, ftp })
    await until('it failed', async () => (await item('ftp')).status === 'failed')
    fault = null
    at(9, 0)
    await set({ ftp: { login: 'other' } })
    await until('it arrived', async () => (await item('ftp')).status === 'active')
    daily.stop()
  })

  it('goes to other machines only', async () => {
    await set({ common: { hour: 5 }, ftp })
    await runDaily(gateway.services)
    sent = []
    const [wan] = gateway.services.facts().interfaces[1]?.addresses ?? []
    const inward = [
      '127.0.0.1',
      '127.8.9.1',
      '0.0.0.0',
      '0.1.2.3',
      '169.254.1.1',
      '224.0.0.1',
      '240.1.1.1',
      '255.255.255.255',
    ]
    let day = 10
    for (const address of [...inward, wan?.split('/')[0] ?? '']) {
      for (const server of [address, 'inward.example']) {
        addresses['inward.example'] = address
        await set({ ftp: { server } })
        at(5, 0, ++day)
        admin = await gateway.client('predefined_admin_write')
        await runDaily(gateway.services)
        const { status, msg } = await item('ftp')
        assert.equal(status, 'failed', `${server} ${address}`)
        assert.match(msg[0] ?? '', /which does not belong to another machine/)
      }
    }
    addresses = {}
    at(5, 0, ++day)
    await runDaily(gateway.services)
    assert.match((await item('ftp')).msg[0] ?? '', /cannot be found\. The name does not exist\.$/)
    assert.deepEqual(sent, [])
  })

  it('explains the answer of a share', async () => {
    await set({ common: { hour: 5 }, cifs })
    for (const [day, status, words] of [
      [10, 'NT_STATUS_LOGON_FAILURE', 'The server refuses the login or the password.'],
      [11, 'NT_STATUS_BAD_NETWORK_NAME', 'There is no share dir_1 on the server.'],
      [12, 'NT_STATUS_OBJECT_NAME_NOT_FOUND', 'The share dir_1 has no folder dir_2/backup.'],
      [13, 'NT_STATUS_DISK_FULL', 'The server could not write the file: its disk is full.'],
      [14, 'NT_STATUS_SOMETHING', 'The server did not accept the file (NT_STATUS_SOMETHING).'],
      [15, 'timeout', 'The server did not answer in time.'],
      [16, '', 'The server did not accept the file.'],
    ] as const) {
      at(5, 0, day)
      gateway.applier.uploadEnds = { isDone: false, status }
      await runDaily(gateway.services)
      const { msg } = await item('cifs')
      assert.ok(msg[0]?.endsWith(`: ${words}`), `${status}: ${msg[0]}`)
    }
    assert.ok((await item('cifs')).msg.includes('7 backups are waiting to be uploaded.'))
    at(5, 30, 16)
    gateway.applier.failWith = new Error('The apply service does not answer.')
    await runDaily(gateway.services)
    gateway.applier.failWith = null
    assert.match((await item('cifs')).msg[0] ?? '', /: The apply service does not answer\.$/)
  })

  it('shows its password nowhere', async () => {
    await set({ common: { hour: 5 }, ftp, cifs })
    fault = 'It failed.'
    gateway.applier.uploadEnds = { isDone: false, status: 'NT_STATUS_LOGON_FAILURE' }
    await runDaily(gateway.services)
    for (const path of ['/backup/status', '/backup/backups', '/journal/records?limit=1000'])
      assert.ok(!(await admin('GET', path)).text.includes(password), path)
  })
})
