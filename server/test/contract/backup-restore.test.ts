// A restore is a change like any other: one revision, held against every rule, here and on another machine.
// Requirements 47 and 48.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { settings } from '../../src/areas/backup/config.ts'
import { backupsService } from '../../src/areas/backup/service.ts'
import { areas } from '../../src/areas/index.ts'
import { read } from '../../src/core/model/slots.ts'
import { type Client, type TestGateway, testPassword } from '../support/test-gateway.ts'
import { download, ftp, furnish, make, runningVersion, sealedBy, tracer, upload, useGateways } from './backup-calls.ts'

const { start, restart } = useGateways()

describe('a restored backup', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
    await furnish(admin)
  })

  it('brings everything back in one revision that can be reverted', async () => {
    const before = gateway.engine.config
    const id = await make(admin)
    await admin('PATCH', '/backup/settings', { ftp: { password: 'another one' }, common: { hour: 9 } })
    await admin('PATCH', '/firewall/settings', { log_mode: 'nothing' })
    await admin('DELETE', '/aliases/ip_addresses/ip.id.2')
    const changed = gateway.engine.config
    const { revision } = gateway.engine
    for (const way of ['apply', 'apply/fast']) {
      const dry = await admin('POST', `/backup/backups/${id}/${way}?dry_run=true`)
      assert.equal(dry.body.dry_run, true)
      assert.ok(!dry.text.includes(tracer))
    }
    assert.equal(gateway.engine.revision, revision)
    const answer = await admin('POST', `/backup/backups/${id}/apply/fast`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, '')
    assert.equal(gateway.engine.revision, revision + 1)
    assert.equal((await admin('GET', '/backup/settings')).body.ftp.password, tracer)
    const { 'backup.settings': _sealedAnew, ...restored } = gateway.engine.config
    const { 'backup.settings': _sealed, ...rest } = before
    assert.deepEqual(restored, rest)
    assert.equal((await admin('POST', `/config/revisions/${revision}/revert`)).status, 200)
    assert.deepEqual(gateway.engine.config, changed)
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 200)
    assert.equal((await admin('GET', '/firewall/settings')).body.log_mode, 'all')
  })

  it('of the state as it is changes nothing', async () => {
    const id = await make(admin)
    const { revision } = gateway.engine
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 200)
    assert.equal(gateway.engine.revision, revision)
  })

  it('never brings back a licence or an id', async () => {
    const id = await make(admin)
    await admin('POST', '/license/register', { token: 'another-token' })
    const licence = gateway.engine.config['licence.registration']
    await admin('POST', '/aliases/ip_addresses', { title: 'Four', comment: '', value: '192.168.0.4' })
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 200)
    assert.equal(gateway.engine.config['licence.registration'], licence)
    const made = await admin('POST', '/aliases/ip_addresses', { title: 'Five', comment: '', value: '192.168.0.5' })
    assert.equal(made.body.id, 'ip.id.5')
  })

  it('ends the sessions of administrators it does not know', async () => {
    const id = await make(admin)
    const other = await gateway.client('predefined_security_admin')
    assert.equal((await other('GET', '/backup/backups')).status, 200)
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 200)
    assert.equal((await other('GET', '/backup/backups')).status, 401)
  })

  it('restores an empty gateway elsewhere, once its recovery key is entered', async () => {
    const bytes = await download(gateway, admin, await make(admin, 'moving'))
    const { key } = (await admin('GET', '/backup/recovery_key')).body
    const empty = await start({ parts: { licence: { installationId: 'another', key: null } } })
    const client = await empty.client('predefined_admin_write')
    const stranger = await upload(client, bytes)
    assert.equal(stranger.status, 422)
    assert.match(stranger.body.message, /recovery key/)
    assert.equal((await client('POST', '/backup/recovery_key', { key })).status, 200)
    const { body, status, text } = await upload(client, bytes)
    assert.equal(status, 200, text)
    const [record] = (await client('GET', '/backup/backups')).body
    assert.equal(record.id, body.id)
    assert.equal(record.comment, 'moving')
    assert.equal(record.md5, createHash('md5').update(bytes).digest('hex'))
    const twice = (await upload(client, bytes)).body.id
    assert.notEqual(twice, body.id)
    const applied = await client('POST', `/backup/backups/${body.id}/apply`)
    assert.equal(applied.status, 200, applied.text)

    const moved = await restart(empty)
    const config = moved.services.engine.config
    const differing = areas
      .flatMap((area) => area.slots)
      .map((slot) => slot.key)
      .filter((slot) => JSON.stringify(config[slot]) !== JSON.stringify(gateway.engine.config[slot]))
    assert.deepEqual(differing.sort(), ['administrators.local', 'backup.settings', 'licence.registration'])
    const stored = read(config, settings).ftp.password
    assert.equal(stored && moved.vault.reveal(stored, 'backup.settings//ftp.password'), tracer)
    const signIn = await (await moved.client(null))('POST', '/web/auth/login', {
      login: 'of-predefined_admin_write',
      password: testPassword,
      rest_path: '/',
    })
    assert.equal(signIn.status, 200, signIn.text)
    const movedAdmin = await moved.client('predefined_admin_write')
    const made = await movedAdmin('POST', '/aliases/ip_addresses', { title: 'Next', comment: '', value: '192.168.0.9' })
    assert.equal(made.body.id, 'ip.id.4', 'numbers go on where the other gateway stopped')
  })

  it('switches connections off on another machine, because its cards are others', async () => {
    const lan = {
      type: 'lan',
      enable_dhcp: false,
      title: 'LAN',
      enabled: true,
      mac: '02:00:00:00:00:01',
      addresses: ['10.10.0.1/24'],
    }
    const made = await admin('POST', '/network/connections', lan)
    assert.equal(made.status, 200, made.text)
    const bytes = await download(gateway, admin, await make(admin))
    const { key } = (await admin('GET', '/backup/recovery_key')).body
    for (const [installationId, enabled] of [
      ['another', false],
      ['test-installation', true],
    ] as const) {
      const target = await start({ parts: { licence: { installationId, key: null } } })
      const client = await target.client('predefined_admin_write')
      await client('POST', '/backup/recovery_key', { key })
      const { id } = (await upload(client, bytes)).body
      assert.equal((await client('POST', `/backup/backups/${id}/apply`)).status, 200)
      const { body } = await (await target.client('predefined_admin_write'))('GET', '/network/connections')
      assert.equal(body[0].enabled, enabled, installationId)
    }
  })

  it('that was altered where it lies is refused', async () => {
    const id = await make(admin)
    const path = join(gateway.folder, 'backups', `${id}.backup`)
    const bytes = readFileSync(path)
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1
    writeFileSync(path, bytes)
    await admin('PATCH', '/firewall/settings', { log_mode: 'nothing' })
    const { revision } = gateway.engine
    for (const way of ['apply', 'apply/fast']) {
      const answer = await admin('POST', `/backup/backups/${id}/${way}`)
      assert.equal(answer.status, 409, answer.text)
      assert.match(answer.body.message, /altered/)
    }
    assert.equal(gateway.engine.revision, revision)
  })
})

describe('a restore', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
  })

  const running = runningVersion

  /** A well-sealed backup with entries of the test's choosing, uploaded. */
  async function crafted(change: (entries: Map<string, unknown>) => void, version: object = running): Promise<string> {
    const { id } = (await admin('POST', '/backup/backups', { comment: '' })).body
    const { info, entries } = await gateway.services.of(backupsService).open(id)
    const parsed = new Map([...entries].map(([name, bytes]) => [name, JSON.parse(bytes.toString()) as unknown]))
    change(parsed)
    const files = new Map([...parsed].map(([name, value]) => [name, Buffer.from(JSON.stringify(value))]))
    const bytes = await sealedBy(gateway, { ...info, version: version as never }, files)
    const answer = await upload(admin, bytes)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }

  const refuses = async (id: string, status: number, field?: string): Promise<void> => {
    const { revision } = gateway.engine
    const answer = await admin('POST', `/backup/backups/${id}/apply`)
    assert.equal(answer.status, status, answer.text)
    if (field !== undefined) {
      const fields = answer.body.problems.map((problem: { field: string }) => problem.field)
      assert.ok(fields.includes(field), `${field} is not among ${fields}`)
    }
    assert.equal(gateway.engine.revision, revision)
  }

  it('holds everything against schemas and rules', async () => {
    const slot = (name: string) => `slots/${name}.json`
    await refuses(
      await crafted((e) => e.set(slot('firewall.settings'), { log_mode: 'loud' })),
      422,
      'firewall.settings.log_mode',
    )
    await refuses(await crafted((e) => e.set(slot('firewall.settings'), 'x')), 422, 'firewall.settings.body')
    await refuses(await crafted((e) => e.set(slot('objects.ip_addresses'), [null])), 422)
    await refuses(await crafted((e) => e.set(slot('administrators.local'), {})), 422, 'administrators.local')
    await refuses(await crafted((e) => e.set(slot('unknown.area'), [])), 422, 'unknown.area')
    await refuses(await crafted((e) => e.set('else.json', [])), 422)
    await refuses(await crafted((e) => e.set('backup.json', { installation: 'x' })), 422)
    await refuses(await crafted((e) => e.set('backup.json', { installation: 'x', sequences: { a: -1 } })), 422)
    await refuses(await crafted((e) => e.delete('secrets.json')), 422)
    await refuses(await crafted((e) => e.set('secrets.json', {})), 422)
    await refuses(await crafted((e) => e.set(slot('administrators.local'), [])), 409)
    const twice = await crafted((e) => {
      const [one] = e.get(slot('administrators.local')) as unknown[]
      e.set(slot('administrators.local'), [one, one])
    })
    await refuses(twice, 422, 'administrators.local')
    const upload = { ...ftp, password: null }
    const broken = { common: { hour: 1, rotate: 'weekly' }, ftp: upload, cifs: { ...upload, enabled: false } }
    await refuses(await crafted((e) => e.set(slot('backup.settings'), broken)), 422, 'backup.settings.ftp.password')
  })

  it('gives slots and fields a backup lacks their defaults', async () => {
    await admin('PATCH', '/firewall/settings', { log_mode: 'all', automatic_snat_enabled: false })
    await admin('PATCH', '/gather_stat/settings', { enabled: false })
    const id = await crafted((entries) => {
      entries.set('slots/firewall.settings.json', { log_mode: 'all' })
      entries.delete('slots/backup.settings.json')
    })
    await admin('PATCH', '/backup/settings', { common: { hour: 17 } })
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 200)
    assert.equal((await admin('GET', '/firewall/settings')).body.log_mode, 'all')
    assert.equal((await admin('GET', '/firewall/settings')).body.automatic_snat_enabled, true)
    assert.equal((await admin('GET', '/backup/settings')).body.common.hour, 3)
  })

  it('accepts other versions as docs/behaviour/backup.md 4 says', async () => {
    const nothing = () => {}
    for (const [version, full, fast] of [
      [running, 200, 200],
      [{ ...running, timestamp: 1 }, 200, 409],
      [{ ...running, kind: 'VPP' }, 200, 409],
      [{ ...running, minor: 0 }, 200, 409],
      [{ ...running, minor: 2 }, 409, 409],
      [{ ...running, build: 1 }, 409, 409],
      [{ ...running, major: 1 }, 409, 409],
      [{ ...running, product: 'CC' }, 409, 409],
    ] as const) {
      const id = await crafted(nothing, version)
      const [record] = (await admin('GET', '/backup/backups')).body.filter((one: { id: string }) => one.id === id)
      assert.equal(record.fast_restore_allowed, fast === 200, JSON.stringify(version))
      assert.equal((await admin('POST', `/backup/backups/${id}/apply/fast`)).status, fast, JSON.stringify(version))
      assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, full, JSON.stringify(version))
    }
  })
})
