// Backups as they are made, listed, downloaded and deleted, and what a stop or a broken disk leaves of them.
// Requirement 41.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'
import { type Client, type TestGateway, testPassword } from '../support/test-gateway.ts'
import { download, furnish, make, runningVersion, tracer, useGateways } from './backup-calls.ts'

const { start, restart } = useGateways()

describe('a backup', () => {
  let gateway: TestGateway
  let admin: Client
  beforeEach(async () => {
    gateway = await start()
    admin = await gateway.client('predefined_admin_write')
    await furnish(admin)
  })

  it('is listed with version, time, comment, checksum and size of its file', async () => {
    const id = await make(admin, 'why "not" 😀\n\tand any other text')
    gateway.clock.advance(60)
    const later = await make(admin, '')
    const { body } = await admin('GET', '/backup/backups')
    assert.deepEqual(
      body.map((record: { id: string }) => record.id),
      [later, id],
    )
    const bytes = await download(gateway, admin, id)
    assert.deepEqual(body[1], {
      id,
      version: runningVersion,
      timestamp: Date.UTC(2026, 0, 1) / 1000,
      comment: 'why "not" 😀\n\tand any other text',
      md5: createHash('md5').update(bytes).digest('hex'),
      size: bytes.length,
      fast_restore_allowed: true,
    })
  })

  it('survives a restart, and one that is deleted is gone with its files', async () => {
    const [first, second] = [await make(admin), await make(admin)]
    const { body } = await admin('GET', '/backup/backups')
    const again = await restart(gateway)
    const client = await again.client('predefined_admin_write')
    assert.deepEqual((await client('GET', '/backup/backups')).body, body)
    assert.equal((await client('DELETE', `/backup/backups/${first}`)).status, 200)
    assert.equal((await client('DELETE', `/backup/backups/${first}`)).status, 404)
    const left = readdirSync(join(again.folder, 'backups')).sort()
    assert.deepEqual(left, [`${second}.backup`, `${second}.json`])
  })

  it('is a download with a name of ours and is kept from other eyes', async () => {
    const id = await make(admin)
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
    const id = await make(admin)
    const files = [await download(gateway, admin, id), readFileSync(join(gateway.folder, 'backups', `${id}.json`))]
    for (const bytes of files)
      for (const text of [tracer, 'argon2', testPassword]) assert.equal(bytes.includes(text), false)
  })

  it('with an id that names nothing is 404 everywhere', async () => {
    for (const id of ['x', '..', '%2e%2e%2frecovery', '00000000-0000-4000-8000-000000000000']) {
      assert.equal((await admin('GET', `/backup/download/${id}`)).status, 404, id)
      assert.equal((await admin('DELETE', `/backup/backups/${id}`)).status, 404, id)
      assert.equal((await admin('POST', `/backup/backups/${id}/apply`)).status, 404, id)
      assert.equal((await admin('POST', `/backup/backups/${id}/apply/fast`)).status, 404, id)
    }
  })

  it('that cannot be written or read is reported, and everything else goes on', async () => {
    const id = await make(admin)
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
    const id = await make(admin, 'kept')
    const { body } = await admin('GET', '/backup/backups')
    const folder = join(gateway.folder, 'backups')
    rmSync(join(folder, `${id}.json`))
    for (const name of ['a.backup.new', 'b.json', 'c.json.new']) writeFileSync(join(folder, name), 'x')
    const again = await restart(gateway)
    const client = await again.client('predefined_admin_write')
    assert.deepEqual((await client('GET', '/backup/backups')).body, body)
    assert.deepEqual(readdirSync(folder).sort(), [`${id}.backup`, `${id}.json`])
  })

  it('made many times at once is made as often', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => make(admin, `number ${index}`)))
    assert.equal(new Set(ids).size, 8)
    assert.equal((await admin('GET', '/backup/backups')).body.length, 8)
  })
})

/** Where a secret lies in a list inside an item, sealing again and backups would pass it by. */
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
