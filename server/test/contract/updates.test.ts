// Updates without a connection: signed packages where the gateway is one, and no databases.
// Requirements 45 and 47.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { backupsService } from '../../src/areas/backup/service.ts'
import { followUpgrades } from '../../src/areas/updates/jobs.ts'
import { Upgrades } from '../../src/areas/updates/runs/upgrades.ts'
import { maxPackageBytes } from '../../src/shared/files/signed-package.ts'
import { say } from '../../src/shared/said.ts'
import { upgradePlaces } from '../../src/upgrade/places.ts'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { makeKey, packageOf, packageStart, unsignedPackage } from '../support/update-packages.ts'

const signer = makeKey()

const withMark = (bytes: number, at: number, mark: string): Buffer => {
  const file = Buffer.alloc(bytes)
  file.write(mark, at, 'latin1')
  return file
}

const image = withMark(40_000, 16 * 2048 + 1, 'CD001')
const archive = withMark(10_240, 257, 'ustar')

const archivePaths = ['/api/offline-update']
const notArchives = [image, Buffer.from('ustar'), Buffer.from('text'), Buffer.from([0x1f])]

describe('an update without a connection', () => {
  let gateway: TestGateway
  let admin: Client
  before(async () => {
    gateway = await createTestGateway()
    admin = await gateway.client('predefined_admin_write')
  })
  after(async () => {
    await gateway.close()
  })

  it('shows that it was not installed as a package, and refuses every file', async () => {
    assert.equal((await admin('GET', '/sysupdate/iso-upload')).text, '{"uploaded_iso_version":null}')
    const { body } = await admin('GET', '/sysupdate/status')
    assert.deepEqual([body.installed_version, body.uploaded, body.last], [null, null, null])
    assert.match(body.obstacle, /^This gateway was not installed as a package/)
    for (const file of [image, packageOf(signer.secret), Buffer.from('text')]) {
      const answer = await admin('PUT', '/sysupdate/iso-upload', file)
      assert.equal(answer.status, 409)
      assert.match(answer.body.message, /^This gateway was not installed as a package/)
    }
    const answer = await admin('POST', '/sysupdate/iso-install')
    assert.equal(answer.status, 409)
    assert.match(answer.body.message, /^This gateway was not installed as a package/)
  })

  it('refuses an archive of databases of any size with the reason', async () => {
    const files = [
      [archive, 409],
      [gzipSync(archive), 409],
      [Buffer.concat([archive, Buffer.alloc(100_000)]), 413],
    ] as const
    for (const [file, status, path] of archivePaths.flatMap((path) => files.map((row) => [...row, path] as const))) {
      const answer = await admin('PUT', path, file)
      assert.equal(answer.status, status, path)
      assert.match(answer.body.message, /^This release cannot install databases from an archive/)
    }
  })

  it('reports a file of the wrong kind', async () => {
    for (const [path, files] of archivePaths.map((one) => [one, notArchives] as const)) {
      for (const file of files) {
        const answer = await admin('PUT', path, file)
        assert.equal(answer.status, 422, path)
        assert.equal(answer.body.problems[0].field, 'body')
      }
      assert.equal((await admin('PUT', path)).status, 400)
    }
  })
})

describe('a gateway that was installed as a package', () => {
  let gateway: TestGateway
  let admin: Client
  let state: string
  let upgrades: Upgrades
  const installed = { version: '0.1.0', architecture: 'arm64', built: 1_794_700_000, format: 3 }
  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), 'portcullis-upgrades-'))
    const places = upgradePlaces(state)
    for (const folder of [places.incoming, dirname(places.status)]) mkdirSync(folder)
    upgrades = new Upgrades({
      places,
      installed: () => installed,
      keys: () => signer.keys,
      room: () => room,
      notedPath: join(state, 'noted'),
    })
    gateway = await createTestGateway({ parts: { upgrades } })
    admin = await gateway.client('predefined_admin_write')
  })
  afterEach(async () => {
    room = Number.MAX_SAFE_INTEGER
    await gateway.close()
    rmSync(state, { recursive: true })
  })
  let room = Number.MAX_SAFE_INTEGER
  const kept = (): string[] => readdirSync(upgradePlaces(state).incoming).sort()
  const statusOf = (words: object): void =>
    writeFileSync(upgradePlaces(state).status, JSON.stringify({ ...finished, ...words }))
  const finished = {
    id: 'one',
    from: '0.1.0',
    to: '0.2.0',
    by: 'gateway',
    state: 'done',
    step: 'starting',
    message: 'The gateway was upgraded from 0.1.0 to 0.2.0.',
    started_at: 1,
    finished_at: 2,
  }

  it('takes a signed package and shows its version', async () => {
    const file = packageOf(signer.secret)
    assert.equal((await admin('PUT', '/sysupdate/iso-upload', file)).status, 200)
    const { uploaded_iso_version: shown } = (await admin('GET', '/sysupdate/iso-upload')).body
    assert.deepEqual([shown.major, shown.minor, shown.build, shown.timestamp], [0, 2, 0, 1_794_700_800])
    const { uploaded, installed_version, obstacle } = (await admin('GET', '/sysupdate/status')).body
    assert.deepEqual(
      [uploaded.version, uploaded.bytes, installed_version, obstacle],
      ['0.2.0', file.length, '0.1.0', ''],
    )
    assert.equal(uploaded.sha256, createHash('sha256').update(file).digest('hex'))
    assert.deepEqual(kept(), ['package.deb', 'package.json'])
    assert.deepEqual(readFileSync(join(upgradePlaces(state).incoming, 'package.deb')), file)
  })

  it('refuses every other file with the reason and keeps what was there', async () => {
    await admin('PUT', '/sysupdate/iso-upload', packageOf(signer.secret))
    const before = kept()
    const changed = packageOf(signer.secret)
    changed[300] = (changed[300] ?? 0) ^ 1
    for (const [file, reason] of [
      [image, /^The file is an ISO image/],
      [archive, /^The file is not an update package/],
      [Buffer.from('text'), /^The file is not an update package/],
      [packageOf(signer.secret).subarray(0, 3_000), /^The file is not an update package: it ends/],
      [unsignedPackage(), /^The package is not signed/],
      [
        packageOf(makeKey().secret),
        /^The package is signed with the key [0-9a-f]{16}, which this gateway does not trust/,
      ],
      [changed, /^The signature of the package is broken/],
      [packageOf(signer.secret, { architecture: 'amd64' }), /^The package is for amd64/],
      [packageOf(signer.secret, { version: '0.0.9' }), /^The package has version 0\.0\.9, which is older/],
      [
        packageOf(signer.secret, { version: '0.1.0', timestamp: 1_794_699_999 }),
        /^The package is an older build of version 0\.1\.0, 2026-11-14 23:46:39 UTC; installed is that of 2026-11-14 23:46:40 UTC\.$/,
      ],
      [packageOf(signer.secret, { format: 2 }), /^The package cannot read the stored configuration/],
    ] as const) {
      const answer = await admin('PUT', '/sysupdate/iso-upload', file)
      assert.equal(answer.status, 422, String(reason))
      assert.equal(answer.body.problems[0].field, 'body')
      assert.match(answer.body.problems[0].message, reason)
      assert.deepEqual(kept(), before)
    }
    assert.equal((await admin('PUT', '/sysupdate/iso-upload')).status, 400)
    assert.equal((await admin('GET', '/sysupdate/status')).body.uploaded.version, '0.2.0')
  })

  it('leaves nothing when the disk has no room', async () => {
    room = 100
    assert.equal((await admin('PUT', '/sysupdate/iso-upload', packageOf(signer.secret))).status, 503)
    assert.deepEqual(kept(), [])
  })

  it('ends an upload at its limit, before and while it is passed, and keeps what was there', async () => {
    await admin('PUT', '/sysupdate/iso-upload', packageOf(signer.secret))
    const before = kept()
    await gateway.http.listen({ host: '127.0.0.1', port: 0 })
    const { port } = gateway.http.server.address() as AddressInfo
    const begin = (more: Record<string, string | number> = {}): ClientRequest => {
      const headers = {
        host: 'gateway.test',
        cookie: admin.cookie,
        'content-type': 'application/octet-stream',
        ...more,
      }
      const outgoing = request({ method: 'PUT', port, path: '/sysupdate/iso-upload', agent: false, headers })
      return outgoing.on('error', () => {})
    }
    const answerTo = async (outgoing: ClientRequest): Promise<[number | undefined, string]> => {
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      const pieces = await incoming.toArray()
      outgoing.destroy()
      return [incoming.statusCode, (JSON.parse(Buffer.concat(pieces).toString()) as { message: string }).message]
    }
    const refused = [413, 'The file is larger than 256 MB. A package of this gateway is smaller.']

    const declared = begin({ 'content-length': maxPackageBytes + 1 })
    declared.write(packageStart(1_000))
    assert.deepEqual(await answerTo(declared), refused)
    // One that says nothing about its length, and is a package as far as can be seen.
    const endless = begin()
    const answer = answerTo(endless)
    endless.write(packageStart(maxPackageBytes))
    const piece = Buffer.alloc(1024 * 1024)
    for (let sent = 0; sent < maxPackageBytes; sent += piece.length)
      if (!endless.write(piece)) await once(endless, 'drain')
    assert.deepEqual(await answer, refused)
    await until('nothing is left of it', () => !kept().includes('arriving'))
    assert.deepEqual(kept(), before)
  })

  it('shows nothing as uploaded when the description of the package is damaged', async () => {
    writeFileSync(join(state, 'upgrade', 'package.json'), '{"version":')
    assert.equal((await admin('GET', '/sysupdate/iso-upload')).text, '{"uploaded_iso_version":null}')
    assert.equal((await admin('GET', '/sysupdate/status')).status, 200)
    assert.equal((await admin('POST', '/sysupdate/iso-install')).status, 409)
  })

  it('makes a backup, then has root install the package', async () => {
    const asked: string[] = []
    gateway.applier.beginUpgrade = (digest) => {
      asked.push(digest)
      return { status: 'started', from: '0.1.0', to: '0.2.0' }
    }
    assert.match((await admin('POST', '/sysupdate/iso-install')).body.message, /^No package has been uploaded/)
    await admin('PUT', '/sysupdate/iso-upload', packageOf(signer.secret))
    assert.equal((await admin('POST', '/sysupdate/iso-install')).status, 200)
    assert.deepEqual(asked, [upgrades.state().uploaded?.digest])
    const [backup] = gateway.services.of(backupsService).list()
    assert.equal(backup?.comment, 'Before the upgrade to 0.2.0')
    gateway.services.audit.flush()
    const records = (await admin('GET', '/journal/records')).text
    assert.match(records, /The upgrade from 0\.1\.0 to 0\.2\.0 was begun/)
    assert.match(records, /Version 0\.2\.0, signed with the key [0-9a-f]{16}, was uploaded/)
  })

  it('does not offer what was just installed, until another package is uploaded', async () => {
    await admin('PUT', '/sysupdate/iso-upload', packageOf(signer.secret))
    const offered = async (): Promise<string | undefined> =>
      (await admin('GET', '/sysupdate/status')).body.uploaded?.version
    statusOf({ state: 'returned' })
    assert.equal(await offered(), '0.2.0')
    statusOf({ state: 'done', id: 'two' })
    assert.equal(await offered(), undefined)
    assert.equal((await admin('POST', '/sysupdate/iso-install')).status, 409)
    upgrades.takeEnd()
    assert.equal(await offered(), undefined)
    await admin('PUT', '/sysupdate/iso-upload', packageOf(signer.secret))
    assert.equal(await offered(), '0.2.0')
  })

  it('shows what root refuses', async () => {
    gateway.applier.beginUpgrade = () => ({
      status: 'refused',
      message: say`The package is not the one that was uploaded.`,
    })
    await admin('PUT', '/sysupdate/iso-upload', packageOf(signer.secret))
    const answer = await admin('POST', '/sysupdate/iso-install')
    assert.deepEqual([answer.status, answer.body.message], [409, 'The package is not the one that was uploaded.'])
  })

  it('does nothing else while an upgrade runs, and shows its step', async () => {
    await admin('PUT', '/sysupdate/iso-upload', packageOf(signer.secret))
    statusOf({ state: 'running', step: 'keeping', message: '', finished_at: null })
    for (const [method, path] of [
      ['PUT', '/sysupdate/iso-upload'],
      ['POST', '/sysupdate/iso-install'],
    ] as const)
      assert.equal((await admin(method, path, method === 'PUT' ? packageOf(signer.secret) : undefined)).status, 409)
    const { last } = (await admin('GET', '/sysupdate/status')).body
    assert.deepEqual(
      [last.state, last.step, last.from, last.to, last.id],
      ['running', 'keeping', '0.1.0', '0.2.0', undefined],
    )
  })

  it('notes once how an upgrade ended, and drops the package that was installed', async () => {
    await admin('PUT', '/sysupdate/iso-upload', packageOf(signer.secret))
    const faults: unknown[] = []
    const look = (): void => followUpgrades(gateway.services, (error) => faults.push(error)).stop()
    look()
    statusOf({ by: 'root' })
    look()
    look()
    gateway.services.audit.flush()
    const text = (await admin('GET', '/journal/records')).text
    assert.equal(text.split('The gateway was upgraded from 0.1.0 to 0.2.0. It was begun by root').length, 2)
    assert.deepEqual([kept(), faults], [[], []])
  })
})
