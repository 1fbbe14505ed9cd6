// Updates without a connection: this release keeps and installs neither images nor databases, and says why.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Client, createTestGateway, type TestGateway } from '../support/test-gateway.ts'

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

  const assertNothingKept = async (): Promise<void> => {
    assert.equal((await admin('GET', '/sysupdate/iso-upload')).text, '{"uploaded_iso_version":null}')
  }

  it('shows no image', assertNothingKept)

  it('refuses an image of any size with the reason, and keeps nothing', async () => {
    for (const [file, status] of [
      [image, 409],
      [Buffer.concat([image, Buffer.alloc(100_000)]), 413],
    ] as const) {
      const answer = await admin('PUT', '/sysupdate/iso-upload', file)
      assert.equal(answer.status, status)
      assert.equal(answer.body.message, 'This release cannot install system updates, so it accepts no update image.')
    }
    await assertNothingKept()
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
    for (const [path, files] of [
      ['/sysupdate/iso-upload', [archive, Buffer.from('CD001'), Buffer.from('text'), image.subarray(0, 32_770)]],
      ...archivePaths.map((path) => [path, notArchives] as const),
    ] as const) {
      for (const file of files) {
        const answer = await admin('PUT', path, file)
        assert.equal(answer.status, 422, path)
        assert.equal(answer.body.problems[0].field, 'body')
      }
      assert.equal((await admin('PUT', path)).status, 400)
    }
  })

  it('installs nothing', async () => {
    const answer = await admin('POST', '/sysupdate/iso-install')
    assert.equal(answer.status, 409)
    assert.match(answer.body.message, /^No update image has been uploaded\./)
  })
})
