// Backups that come from elsewhere: only whole ones of ours are taken, and whatever is refused leaves nothing behind.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { sealArchive } from '../../src/areas/backup/runs/archive.ts'
import { openSigningKey } from '../../src/areas/backup/runs/signing-key.ts'
import { backupsService } from '../../src/areas/backup/service.ts'
import type { Client, TestGateway } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'
import { download, furnish, make, multipart, sealedBy, upload, useGateways } from './backup-calls.ts'

const { start } = useGateways()

describe('a backup from elsewhere', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
    await furnish(admin)
  })

  it('that is altered, cut or foreign is not taken and leaves nothing behind', async () => {
    const bytes = await download(gateway, admin, await make(admin))
    const { revision } = gateway.engine
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
    assert.equal(gateway.engine.revision, revision)
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

  it('does not take a file that describes itself wrongly, though it is sealed', async () => {
    const { version } = gateway.services.of(backupsService)
    const entries = new Map([['backup.json', Buffer.from('{}')]])
    for (const info of [
      { version, timestamp: -1, comment: '' },
      { version, timestamp: 1, comment: 7 },
      { version, timestamp: 1, comment: 'a\u0007b' },
      { version: { ...version, kind: 'other' }, timestamp: 1, comment: '' },
      { version: null, timestamp: 1, comment: '' },
    ]) {
      const answer = await upload(admin, await sealedBy(gateway, info as never, entries))
      assert.equal(answer.status, 422, JSON.stringify(info))
    }
    assert.deepEqual((await admin('GET', '/backup/backups')).body, [])
  })

  it('is distinguished from one that someone made with the recovery key of this gateway', async () => {
    const other = await start()
    const { version, keys } = gateway.services.of(backupsService)
    const entries = new Map([['backup.json', Buffer.from('{}')]])
    const signing = openSigningKey(join(other.folder, 'backup-signing.key'))
    const forged = await sealArchive({ version, timestamp: 1, comment: '' }, entries, keys.own, signing)
    const answer = await upload(admin, forged)
    assert.equal(answer.status, 422)
    assert.match(answer.body.message, /this gateway did not make it/)
    assert.deepEqual((await admin('GET', '/backup/backups')).body, [])

    const otherAdmin = await other.client('predefined_admin_write')
    await otherAdmin('POST', '/backup/recovery_key', { key: keys.show().key })
    const { id } = (await upload(otherAdmin, await download(gateway, admin, await make(admin)))).body
    const records = (await otherAdmin('GET', '/journal/records?limit=100')).body as { message: string }[]
    assert.ok(records.some(({ message }) => message === `The backup ${id} is one of another gateway.`))
  })
})

describe('the way in of a backup', () => {
  let gateway: TestGateway
  let admin: Client
  let port = 0
  let whole: Buffer
  const opened: ClientRequest[] = []
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
    whole = multipart(await download(gateway, admin, await make(admin)))[0]
    await gateway.http.listen({ host: '127.0.0.1', port: 0 })
    port = (gateway.http.server.address() as AddressInfo).port
  })
  afterEach(() => {
    for (const one of opened.splice(0)) one.destroy()
  })

  const headers = (): Record<string, string> => ({
    host: 'gateway.test',
    cookie: admin.cookie,
    'content-type': 'multipart/form-data; boundary=x-boundary-x',
  })
  const begin = (more: Record<string, string | number> = {}): ClientRequest => {
    const options = { method: 'POST', port, path: '/backup/upload', agent: false, headers: { ...headers(), ...more } }
    const outgoing = request(options)
    outgoing.on('error', () => {})
    opened.push(outgoing)
    return outgoing
  }
  const statusOf = async (outgoing: ClientRequest): Promise<number | undefined> => {
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    incoming.resume()
    return incoming.statusCode
  }
  const onTheWay = (): number[] =>
    readdirSync(join(gateway.folder, 'backups'))
      .filter((name) => name.endsWith('.new'))
      .map((name) => statSync(join(gateway.folder, 'backups', name)).size)

  it('leads to the disk piece by piece, and what is broken off is removed', async () => {
    const outgoing = begin()
    outgoing.write(whole.subarray(0, 200))
    outgoing.write(Buffer.alloc(1024 * 1024))
    await until('most of it lies on the disk', () => onTheWay().some((size) => size > 1_000_000))
    outgoing.destroy()
    await until('nothing is left of it', () => onTheWay().length === 0)
    assert.equal((await admin('GET', '/backup/backups')).body.length, 1)
  })

  it('takes two at once', async () => {
    for (const outgoing of [begin(), begin()]) outgoing.write(whole.subarray(0, 200))
    await until('both are on their way', () => onTheWay().length === 2)
    const third = await admin('POST', '/backup/upload', whole, headers())
    assert.equal(third.status, 429)
    assert.equal(third.headers['retry-after'], '5')
    const answers = opened.map(statusOf)
    for (const outgoing of opened) outgoing.end(whole.subarray(200))
    assert.deepEqual(await Promise.all(answers), [200, 200])
    assert.equal((await admin('GET', '/backup/backups')).body.length, 3)
    assert.equal((await admin('POST', '/backup/upload', whole, headers())).status, 200)
  })

  it('ends at its limit, before and while it is passed', async () => {
    const limit = 256 * 1024 * 1024
    const declared = begin({ 'content-length': limit + 1 })
    declared.write(whole.subarray(0, 200))
    assert.equal(await statusOf(declared), 413)
    const endless = begin()
    const answer = statusOf(endless)
    const piece = Buffer.alloc(1024 * 1024)
    endless.write(whole.subarray(0, 200))
    for (let sent = 0; sent < limit; sent += piece.length) if (!endless.write(piece)) await once(endless, 'drain')
    assert.equal(await answer, 413)
    await until('nothing is left of it', () => onTheWay().length === 0)
  })

  it('ends at once for what does not begin as a backup', async () => {
    const outgoing = begin()
    outgoing.write(whole.toString('latin1').slice(0, 200).replace('PORTCULLIS', 'portcullis'), 'latin1')
    assert.equal(await statusOf(outgoing), 422)
    assert.deepEqual(onTheWay(), [])
  })
})
