// Backups over the interface: made, listed, carried to another gateway and restored there; nothing else than a whole
// backup of ours is taken, and a restore is a change like any other.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { settings } from '../../src/areas/backup/config.ts'
import { runDaily } from '../../src/areas/backup/jobs.ts'
import { areas } from '../../src/areas/index.ts'
import { read } from '../../src/contract/slots.ts'
import { sealArchive } from '../../src/runtime/backup-archive.ts'
import {
  type Answer,
  type Client,
  createTestGateway,
  logged,
  type TestGateway,
  testPassword,
} from '../support/test-gateway.ts'

const tracer = `tracer-${randomBytes(8).toString('hex')}`

const openGateways: TestGateway[] = []
afterEach(async () => {
  for (const gateway of openGateways.splice(0)) await gateway.close()
  assert.deepEqual(logged, [])
})

async function start(parts: Parameters<typeof createTestGateway>[0] = {}): Promise<TestGateway> {
  const gateway = await createTestGateway(parts)
  openGateways.push(gateway)
  return gateway
}

const multipart = (bytes: Buffer): readonly [Buffer, Record<string, string>] => [
  Buffer.concat([
    Buffer.from('--x-boundary-x\r\nContent-Disposition: form-data; name="backup_file"; filename="b"\r\n\r\n'),
    bytes,
    Buffer.from('\r\n--x-boundary-x--\r\n'),
  ]),
  { 'content-type': 'multipart/form-data; boundary=x-boundary-x' },
]

const upload = (client: Client, bytes: Buffer): Promise<Answer> => {
  const [body, headers] = multipart(bytes)
  return client('POST', '/backup/upload', body, headers)
}

async function download(gateway: TestGateway, client: Client, id: string): Promise<Buffer> {
  const url = `/backup/download/${id}`
  const answer = await gateway.http.inject({
    method: 'GET',
    url,
    headers: { host: 'gateway.test', cookie: client.cookie },
  })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.rawPayload
}

const ftp = { enabled: true, server: 'ftp.example', login: 'up', password: tracer, remote_dir: 'dir_1/backup' }

/** A configuration with something of every kind: settings, lists in an order, numbers, secrets. */
async function furnish(admin: Client): Promise<void> {
  const calls: readonly (readonly [string, string, unknown])[] = [
    ['PATCH', '/backup/settings', { ftp }],
    ['PATCH', '/firewall/settings', { log_mode: 'all' }],
    ['POST', '/aliases/ip_addresses', { title: 'One', comment: '', value: '192.168.0.1' }],
    ['POST', '/aliases/ip_addresses', { title: 'Two', comment: '', value: '192.168.0.2' }],
    ['POST', '/aliases/ip_addresses', { title: 'Three', comment: '', value: '192.168.0.3' }],
    ['POST', '/license/register', { token: 'a-licence-token' }],
  ]
  for (const [method, url, body] of calls) {
    const answer = await admin(method, url, body)
    assert.equal(answer.status, 200, `${url}: ${answer.text}`)
  }
}

describe('the settings of automatic backups', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
  })

  const off = { enabled: false, server: '', login: '', password: '', remote_dir: '' }
  const initial = { common: { hour: 3, rotate: 'weekly' }, ftp: off, cifs: off }

  it('start with both uploads off', async () => {
    assert.deepEqual((await admin('GET', '/backup/settings')).body, initial)
  })

  it('take any subset of parts and fields and keep the rest, also over a restart', async () => {
    for (const [patch, expected] of [
      [{ common: { hour: 23 } }, { ...initial, common: { hour: 23, rotate: 'weekly' } }],
      [{ common: { rotate: 'monthly' } }, { ...initial, common: { hour: 23, rotate: 'monthly' } }],
      [{ ftp }, { common: { hour: 23, rotate: 'monthly' }, ftp, cifs: off }],
      [
        { cifs: { server: '192.0.2.1' } },
        { common: { hour: 23, rotate: 'monthly' }, ftp, cifs: { ...off, server: '192.0.2.1' } },
      ],
      [{}, { common: { hour: 23, rotate: 'monthly' }, ftp, cifs: { ...off, server: '192.0.2.1' } }],
    ] as const) {
      const answer = await admin('PATCH', '/backup/settings', patch)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.text, '')
      assert.deepEqual((await admin('GET', '/backup/settings')).body, expected)
    }
    const { body } = await admin('GET', '/backup/settings')
    const again = await gateway.restart()
    openGateways.splice(0, 1, again)
    assert.deepEqual((await (await again.client('predefined_admin_write'))('GET', '/backup/settings')).body, body)
  })

  it('show passwords to full administrators only, and journal that', async () => {
    await admin('PATCH', '/backup/settings', { ftp })
    const count = async () =>
      (await admin('GET', '/journal/records?limit=1000')).body.filter((r: { message: string }) =>
        /were shown/.test(r.message),
      ).length
    assert.equal(await count(), 0)
    assert.equal((await admin('GET', '/backup/settings')).body.ftp.password, tracer)
    assert.equal(await count(), 1)
    for (const role of [
      'predefined_admin_readonly',
      'predefined_firewall_admin',
      'predefined_security_admin',
    ] as const) {
      const { text, body } = await (await gateway.client(role))('GET', '/backup/settings')
      assert.equal(body.ftp.password, '***', role)
      assert.equal(body.cifs.password, '', role)
      assert.ok(!text.includes(tracer), role)
    }
    assert.equal(await count(), 1)
  })

  it('keep the password for the mask, null and absence, and take a new or an empty one', async () => {
    await admin('PATCH', '/backup/settings', { ftp })
    const passwordAfter = async (patch: object): Promise<string> => {
      assert.equal((await admin('PATCH', '/backup/settings', { ftp: patch })).status, 200)
      return (await admin('GET', '/backup/settings')).body.ftp.password
    }
    assert.equal(await passwordAfter({ password: '***' }), tracer)
    assert.equal(await passwordAfter({ password: null }), tracer)
    assert.equal(await passwordAfter({ login: 'other' }), tracer)
    assert.equal(await passwordAfter({ password: 'ж'.repeat(42) }), 'ж'.repeat(42))
    assert.equal(await passwordAfter({ password: '', enabled: false }), '')
  })

  it('name every field that is missing while an upload is on', async () => {
    const fields = async (patch: object): Promise<string[]> => {
      const answer = await admin('PATCH', '/backup/settings', patch)
      assert.equal(answer.status, 422, answer.text)
      return answer.body.problems.map((problem: { field: string }) => problem.field).sort()
    }
    const all = (kind: string) => ['login', 'password', 'remote_dir', 'server'].map((field) => `${kind}.${field}`)
    assert.deepEqual(await fields({ ftp: { enabled: true } }), all('ftp'))
    assert.deepEqual(await fields({ ftp: { enabled: true }, cifs: { enabled: true } }), [...all('cifs'), ...all('ftp')])
    for (const field of ['server', 'login', 'remote_dir', 'password'] as const) {
      assert.deepEqual(await fields({ cifs: { ...ftp, [field]: '' } }), [`cifs.${field}`])
    }
    assert.deepEqual((await admin('GET', '/backup/settings')).body, initial)
  })

  it('refuse values that are not allowed, with their field', async () => {
    for (const [patch, field] of [
      [{ common: { hour: 24 } }, 'common.hour'],
      [{ common: { hour: -1 } }, 'common.hour'],
      [{ common: { rotate: 'daily' } }, 'common.rotate'],
      [{ ftp: { server: '300.1.1.1' } }, 'ftp.server'],
      [{ ftp: { server: '-oProxy=x' } }, 'ftp.server'],
      [{ ftp: { server: 'a b' } }, 'ftp.server'],
      [{ ftp: { server: 'ftp://x' } }, 'ftp.server'],
      [{ ftp: { login: 'a\nb' } }, 'ftp.login'],
      [{ ftp: { password: 'x'.repeat(43) } }, 'ftp.password'],
      [{ ftp: { password: 'a\r\nb' } }, 'ftp.password'],
      [{ cifs: { remote_dir: '..' } }, 'cifs.remote_dir'],
      [{ cifs: { remote_dir: 'a/../b' } }, 'cifs.remote_dir'],
      [{ cifs: { remote_dir: 'a\\b' } }, 'cifs.remote_dir'],
      [{ cifs: { remote_dir: 'a/..' } }, 'cifs.remote_dir'],
    ] as const) {
      const answer = await admin('PATCH', '/backup/settings', patch)
      assert.equal(answer.status, 422, JSON.stringify(patch))
      assert.equal(answer.body.problems[0].field, field)
    }
    for (const remote_dir of ['a..b/c', 'dir_1/dir 2/..backup', '/backups/', '😀']) {
      assert.equal((await admin('PATCH', '/backup/settings', { cifs: { remote_dir } })).status, 200, remote_dir)
    }
  })
})

describe('a backup', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
    await furnish(admin)
  })

  const make = async (comment = 'by hand'): Promise<string> => {
    const answer = await admin('POST', '/backup/backups', { comment })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }

  it('is listed with version, time, comment, checksum and size of its file', async () => {
    const id = await make('why "not" 😀\n\tand any other text')
    gateway.clock.advance(60)
    const later = await make('')
    const { body } = await admin('GET', '/backup/backups')
    assert.deepEqual(
      body.map((record: { id: string }) => record.id),
      [later, id],
    )
    const bytes = await download(gateway, admin, id)
    assert.deepEqual(body[1], {
      id,
      version: {
        major: 0,
        minor: 1,
        build: 0,
        timestamp: 1_794_700_800,
        vendor: 'Portcullis',
        product: 'UTM',
        kind: 'STANDARD',
        release_type: 'devel',
      },
      timestamp: Date.UTC(2026, 0, 1) / 1000,
      comment: 'why "not" 😀\n\tand any other text',
      md5: createHash('md5').update(bytes).digest('hex'),
      size: bytes.length,
      fast_restore_allowed: true,
    })
  })

  it('survives a restart, and one that is deleted is gone with its files', async () => {
    const [first, second] = [await make(), await make()]
    const { body } = await admin('GET', '/backup/backups')
    const again = await gateway.restart()
    openGateways.splice(0, 1, again)
    const client = await again.client('predefined_admin_write')
    assert.deepEqual((await client('GET', '/backup/backups')).body, body)
    assert.equal((await client('DELETE', `/backup/backups/${first}`)).status, 200)
    assert.equal((await client('DELETE', `/backup/backups/${first}`)).status, 404)
    const left = readdirSync(join(again.folder, 'backups')).sort()
    assert.deepEqual(left, [`${second}.backup`, `${second}.json`])
  })

  it('is a download with a name of ours and is kept from other eyes', async () => {
    const id = await make()
    const { headers } = await admin('GET', `/backup/download/${id}`)
    assert.equal(headers['content-type'], 'application/octet-stream')
    assert.equal(headers['content-disposition'], 'attachment; filename="portcullis-0.1.0-20260101T000000Z.backup"')
    for (const name of [`backups/${id}.backup`, 'recovery.key']) {
      assert.equal(statSync(join(gateway.folder, name)).mode & 0o777, 0o600, name)
    }
    assert.equal(statSync(join(gateway.folder, 'backups')).mode & 0o777, 0o700)
    const { body } = await admin('GET', '/journal/records?limit=100')
    assert.ok(body.some((entry: { message: string }) => entry.message === `The backup ${id} was downloaded.`))
  })

  it('holds no secret in clear, nor does anything beside it', async () => {
    const id = await make()
    const files = [await download(gateway, admin, id), readFileSync(join(gateway.folder, 'backups', `${id}.json`))]
    for (const bytes of files)
      for (const text of [tracer, 'argon2', testPassword]) assert.equal(bytes.includes(text), false)
  })

  it('brings everything back in one revision that can be reverted', async () => {
    const before = gateway.services.engine.config
    const id = await make()
    await admin('PATCH', '/backup/settings', { ftp: { password: 'another one' }, common: { hour: 9 } })
    await admin('PATCH', '/firewall/settings', { log_mode: 'nothing' })
    await admin('DELETE', '/aliases/ip_addresses/ip.id.2')
    const changed = gateway.services.engine.config
    const { revision } = gateway.services.engine
    for (const way of ['apply', 'apply/fast']) {
      const dry = await admin('POST', `/backup/backups/${id}/${way}?dry_run=true`)
      assert.equal(dry.body.dry_run, true)
      assert.ok(!dry.text.includes(tracer))
    }
    assert.equal(gateway.services.engine.revision, revision)
    const answer = await admin('POST', `/backup/backups/${id}/apply/fast`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, '')
    assert.equal(gateway.services.engine.revision, revision + 1)
    assert.equal((await admin('GET', '/backup/settings')).body.ftp.password, tracer)
    const { 'backup.settings': _sealedAnew, ...restored } = gateway.services.engine.config
    const { 'backup.settings': _sealed, ...rest } = before
    assert.deepEqual(restored, rest)
    assert.equal((await admin('POST', `/config/revisions/${revision}/revert`)).status, 200)
    assert.deepEqual(gateway.services.engine.config, changed)
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 200)
    assert.equal((await admin('GET', '/firewall/settings')).body.log_mode, 'all')
  })

  it('of the state as it is changes nothing', async () => {
    const id = await make()
    const { revision } = gateway.services.engine
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 200)
    assert.equal(gateway.services.engine.revision, revision)
  })

  it('never brings back a licence or an id', async () => {
    const id = await make()
    await admin('POST', '/license/register', { token: 'another-token' })
    const licence = gateway.services.engine.config['licence.registration']
    await admin('POST', '/aliases/ip_addresses', { title: 'Four', comment: '', value: '192.168.0.4' })
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 200)
    assert.equal(gateway.services.engine.config['licence.registration'], licence)
    const made = await admin('POST', '/aliases/ip_addresses', { title: 'Five', comment: '', value: '192.168.0.5' })
    assert.equal(made.body.id, 'ip.id.5')
  })

  it('ends the sessions of administrators it does not know', async () => {
    const id = await make()
    const other = await gateway.client('predefined_security_admin')
    assert.equal((await other('GET', '/backup/backups')).status, 200)
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 200)
    assert.equal((await other('GET', '/backup/backups')).status, 401)
  })

  it('restores an empty gateway elsewhere, once its recovery key is entered', async () => {
    const bytes = await download(gateway, admin, await make('moving'))
    const { key } = (await admin('GET', '/backup/recovery_key')).body
    const empty = await start({ parts: { installationId: 'another' } })
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

    const moved = await empty.restart()
    openGateways.splice(openGateways.indexOf(empty), 1, moved)
    const config = moved.services.engine.config
    const differing = areas
      .flatMap((area) => area.slots)
      .map((slot) => slot.key)
      .filter((slot) => JSON.stringify(config[slot]) !== JSON.stringify(gateway.services.engine.config[slot]))
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
    const bytes = await download(gateway, admin, await make())
    const { key } = (await admin('GET', '/backup/recovery_key')).body
    for (const [installationId, enabled] of [
      ['another', false],
      ['test-installation', true],
    ] as const) {
      const target = await start({ parts: { installationId } })
      const client = await target.client('predefined_admin_write')
      await client('POST', '/backup/recovery_key', { key })
      const { id } = (await upload(client, bytes)).body
      assert.equal((await client('POST', `/backup/backups/${id}/apply`)).status, 200)
      const { body } = await (await target.client('predefined_admin_write'))('GET', '/network/connections')
      assert.equal(body[0].enabled, enabled, installationId)
    }
  })

  it('that is altered, cut or foreign is not taken and leaves nothing behind', async () => {
    const bytes = await download(gateway, admin, await make())
    const { revision } = gateway.services.engine
    const files = readdirSync(join(gateway.folder, 'backups')).length
    const flipped = (at: number): Buffer => bytes.with(at, (bytes[at] ?? 0) ^ 1) as Buffer
    for (const wrong of [
      Buffer.alloc(0),
      Buffer.from('hello'),
      randomBytes(5_000),
      bytes.subarray(0, -1),
      bytes.subarray(0, bytes.length >> 1),
      Buffer.concat([bytes, Buffer.from('x')]),
      ...[0, 25, 60, 300, bytes.length - 40, bytes.length - 1].map((at) => Buffer.from(flipped(at))),
    ]) {
      const answer = await upload(admin, wrong)
      assert.equal(answer.status, 422, answer.text)
      assert.equal(answer.body.problems[0].field, 'backup_file')
    }
    assert.equal(readdirSync(join(gateway.folder, 'backups')).length, files)
    assert.equal(gateway.services.engine.revision, revision)
  })

  it('that was altered where it lies is refused', async () => {
    const id = await make()
    const path = join(gateway.folder, 'backups', `${id}.backup`)
    const bytes = readFileSync(path)
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1
    writeFileSync(path, bytes)
    await admin('PATCH', '/firewall/settings', { log_mode: 'nothing' })
    const { revision } = gateway.services.engine
    for (const way of ['apply', 'apply/fast']) {
      const answer = await admin('POST', `/backup/backups/${id}/${way}`)
      assert.equal(answer.status, 409, answer.text)
      assert.match(answer.body.message, /altered/)
    }
    assert.equal(gateway.services.engine.revision, revision)
  })

  it('is asked for as a form with one file', async () => {
    const [body, headers] = multipart(Buffer.from('x'))
    assert.equal((await admin('POST', '/backup/upload', undefined)).status, 400)
    assert.equal((await admin('POST', '/backup/upload', body.subarray(0, -6), headers)).status, 400)
    assert.equal((await admin('POST', '/backup/upload', { backup_file: 'x' })).status, 422)
    const browser = { origin: 'https://gateway.test', 'sec-fetch-site': 'same-origin', ...headers }
    assert.equal((await admin('POST', '/backup/upload', body, browser)).status, 422)
    assert.equal(
      (await admin('POST', '/backup/upload', body, { ...browser, 'content-type': 'text/plain' })).status,
      415,
    )
    assert.equal((await admin('POST', '/backup/upload', body, { ...browser, origin: 'https://evil.test' })).status, 403)
  })

  it('with an id that names nothing is 404 everywhere', async () => {
    for (const id of ['x', '..', '%2e%2e%2frecovery', '00000000-0000-4000-8000-000000000000']) {
      assert.equal((await admin('GET', `/backup/download/${id}`)).status, 404, id)
      assert.equal((await admin('DELETE', `/backup/backups/${id}`)).status, 404, id)
      assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 404, id)
      assert.equal((await admin('POST', `/backup/backups/${id}/apply/fast`)).status, 404, id)
    }
  })

  it('that cannot be written or read is told, and everything else goes on', async () => {
    const id = await make()
    rmSync(join(gateway.folder, 'backups'), { recursive: true })
    const answer = await admin('POST', '/backup/backups', { comment: '' })
    assert.equal(answer.status, 503, answer.text)
    assert.equal((await admin('GET', `/backup/download/${id}`)).status, 503)
    assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 503)
    assert.deepEqual(
      (await admin('GET', '/backup/backups')).body.map((record: { id: string }) => record.id),
      [id],
    )
    assert.equal((await admin('DELETE', `/backup/backups/${id}`)).status, 200)
  })

  it('that a stop left half done is cleared away, and one without its record gets a new one', async () => {
    const id = await make('kept')
    const { body } = await admin('GET', '/backup/backups')
    const folder = join(gateway.folder, 'backups')
    rmSync(join(folder, `${id}.json`))
    for (const name of ['a.backup.new', 'b.json', 'c.json.new']) writeFileSync(join(folder, name), 'x')
    const again = await gateway.restart()
    openGateways.splice(0, 1, again)
    const client = await again.client('predefined_admin_write')
    assert.deepEqual((await client('GET', '/backup/backups')).body, body)
    assert.deepEqual(readdirSync(folder).sort(), [`${id}.backup`, `${id}.json`])
  })

  it('made many times at once is made as often', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => make(`number ${index}`)))
    assert.equal(new Set(ids).size, 8)
    assert.equal((await admin('GET', '/backup/backups')).body.length, 8)
  })
})

describe('a restore', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
  })

  const running = gatewayVersion()

  /** A well-sealed backup with entries of the test's choosing, uploaded. */
  async function crafted(change: (entries: Map<string, unknown>) => void, version: object = running): Promise<string> {
    const { id } = (await admin('POST', '/backup/backups', { comment: '' })).body
    const { info, entries } = await gateway.services.backups.open(id)
    const parsed = new Map([...entries].map(([name, bytes]) => [name, JSON.parse(bytes.toString()) as unknown]))
    change(parsed)
    const files = new Map([...parsed].map(([name, value]) => [name, Buffer.from(JSON.stringify(value))]))
    const bytes = await sealArchive({ ...info, version: version as never }, files, gateway.services.backups.keys.own)
    const answer = await upload(admin, bytes)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.id
  }

  const refuses = async (id: string, status: number, field?: string): Promise<void> => {
    const { revision } = gateway.services.engine
    const answer = await admin('POST', `/backup/backups/${id}/apply`)
    assert.equal(answer.status, status, answer.text)
    if (field !== undefined) {
      const fields = answer.body.problems.map((problem: { field: string }) => problem.field)
      assert.ok(fields.includes(field), `${field} is not among ${fields}`)
    }
    assert.equal(gateway.services.engine.revision, revision)
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

  it('takes other versions as backup.md says', async () => {
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

  it('does not take a file that describes itself wrongly, though it is sealed', async () => {
    const { keys, version } = gateway.services.backups
    const entries = new Map([['backup.json', Buffer.from('{}')]])
    for (const info of [
      { version, timestamp: -1, comment: '' },
      { version, timestamp: 1, comment: 7 },
      { version, timestamp: 1, comment: 'a\u0007b' },
      { version: { ...version, kind: 'other' }, timestamp: 1, comment: '' },
      { version: null, timestamp: 1, comment: '' },
    ]) {
      const answer = await upload(admin, await sealArchive(info as never, entries, keys.own))
      assert.equal(answer.status, 422, JSON.stringify(info))
    }
    assert.deepEqual((await admin('GET', '/backup/backups')).body, [])
  })
})

/** Where a secret lies in a list inside an item, sealing anew and backups would pass it by. */
function hasSecretInList(schema: unknown, isInList: boolean): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const { properties = {}, items, anyOf = [] } = schema as { properties?: object; items?: unknown; anyOf?: unknown[] }
  if ('sealed' in properties) return isInList
  return (
    [...Object.values(properties), ...anyOf].some((inner) => hasSecretInList(inner, isInList)) ||
    hasSecretInList(items, true)
  )
}

describe('secrets of every area', () => {
  it('lie where backups find them', () => {
    const wrong = areas.flatMap((area) => area.slots).filter((slot) => hasSecretInList(slot.schema, false))
    assert.deepEqual(
      wrong.map((slot) => slot.key),
      [],
    )
  })
})

function gatewayVersion() {
  return {
    major: 0,
    minor: 1,
    build: 0,
    timestamp: 1_794_700_800,
    vendor: 'Portcullis',
    product: 'UTM',
    kind: 'STANDARD',
    release_type: 'devel',
  }
}

describe('the recovery key', () => {
  it('is made once, shown on request to full administrators, and each look is journalled', async () => {
    const gateway = await start()
    const admin = await gateway.client('predefined_admin_write')
    const { body } = await admin('GET', '/backup/recovery_key')
    assert.match(body.key, /^[0-9a-f]{8}(-[0-9a-f]{8}){7}$/)
    const journal = await admin('GET', '/journal/records?limit=100')
    assert.equal(journal.body.filter((r: { message: string }) => r.message === 'The recovery key was shown.').length, 1)
    assert.ok(!journal.text.includes(body.key.slice(0, 8)))
    const again = await gateway.restart()
    openGateways.splice(0, 1, again)
    assert.deepEqual((await (await again.client('predefined_admin_write'))('GET', '/backup/recovery_key')).body, body)
    const other = await start()
    const stranger = await (await other.client('predefined_admin_write'))('GET', '/backup/recovery_key')
    assert.notEqual(stranger.body.key, body.key)
  })

  it('of another gateway is taken in its form only', async () => {
    const admin = await (await start()).client('predefined_admin_write')
    const { key, id } = (await (await (await start()).client('predefined_admin_write'))('GET', '/backup/recovery_key'))
      .body
    assert.deepEqual((await admin('POST', '/backup/recovery_key', { key })).body, { id })
    assert.deepEqual((await admin('POST', '/backup/recovery_key', { key })).body, { id })
    for (const wrong of [key.slice(1), key.replaceAll('-', ''), key.toUpperCase().replace(/.$/, 'G'), `${key} `, '']) {
      const answer = await admin('POST', '/backup/recovery_key', { key: wrong })
      assert.equal(answer.status, 422, wrong)
      assert.equal(answer.body.problems[0].field, 'key')
    }
  })
})

describe('the automatic backup', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
    await admin('PATCH', '/backup/settings', { common: { hour: 5 } })
    at(5, 0)
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
    gateway = await gateway.restart()
    openGateways.splice(0, 1, gateway)
    at(5, 59, 11)
    assert.equal(await runDaily(gateway.services), false)
  })

  it('deletes what lies here for longer than a week or a month', async () => {
    for (const [rotate, days] of [
      ['weekly', 7],
      ['monthly', 31],
    ] as const) {
      await admin('PATCH', '/backup/settings', { common: { rotate } })
      at(12, 0, 1)
      await admin('POST', '/backup/backups', { comment: `kept ${rotate}` })
      at(5, 0, 1 + days)
      await runDaily(gateway.services)
      assert.ok((await comments()).includes(`kept ${rotate}`), `${rotate}: on the last day`)
      at(5, 0, 2 + days)
      admin = await gateway.client('predefined_admin_write')
      await runDaily(gateway.services)
      assert.ok(!(await comments()).includes(`kept ${rotate}`), `${rotate}: a day later`)
    }
  })

  it('tells how it fares, and that nothing is uploaded yet', async () => {
    const status = async () => (await admin('GET', '/backup/status')).body
    const uploads = (kind: string, title: string) => ({
      name: `${kind}-upload`,
      status: 'inactive',
      msg: [`The upload to the ${title} is off.`],
    })
    assert.deepEqual(await status(), [
      {
        name: 'automatic-backup',
        status: 'active',
        msg: ['No automatic backup was made yet; the first one is due at 05:00.'],
      },
      uploads('ftp', 'FTP server'),
      uploads('cifs', 'CIFS share'),
    ])
    await runDaily(gateway.services)
    await admin('PATCH', '/backup/settings', { ftp })
    const [made, onFtp] = await status()
    assert.equal(made.msg[0], `The last automatic backup was made at ${gateway.clock.now().toISOString()}.`)
    assert.equal(onFtp.status, 'inactive')
    assert.match(onFtp.msg[0], /not part of this release/)
    gateway.services.backups.noteAutomatic('The disk is full.')
    assert.equal((await status())[0].status, 'failed')
  })
})

describe('the previous version', () => {
  it('is none, and cannot be returned to', async () => {
    const admin = await (await start()).client('predefined_admin_write')
    const path = '/system_management/change_sys_root'
    assert.deepEqual((await admin('GET', path)).body, { previous_version: null })
    for (const kind of ['FSTEK', 'NGFW-FSTEK', 'VPP', 'STANDARD', 'BPF']) {
      assert.equal((await admin('POST', path, { version: { ...gatewayVersion(), kind } })).status, 409, kind)
    }
    const wrong = await admin('POST', path, { version: { ...gatewayVersion(), kind: 'OTHER' } })
    assert.equal(wrong.status, 422)
    assert.equal(wrong.body.problems[0].field, 'version.kind')
  })
})
