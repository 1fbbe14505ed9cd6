// Backups that come from elsewhere: only whole ones of ours are taken, and whatever is refused leaves nothing behind.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { sealArchive } from '../../src/runtime/backup-archive.ts'
import type { Client, TestGateway } from '../support/test-gateway.ts'
import { download, furnish, make, multipart, upload, useGateways } from './backup-calls.ts'

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
