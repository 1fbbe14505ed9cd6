// A sealed backup opens with its key as it was made, and in no other case.

import assert from 'node:assert/strict'
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { ArchiveError, type ArchiveInfo, keyIdOf, openArchive, readInfo, sealArchive } from './backup-archive.ts'

const info: ArchiveInfo = {
  version: {
    major: 1,
    minor: 2,
    build: 3,
    timestamp: 4,
    vendor: 'v',
    product: 'UTM',
    kind: 'STANDARD',
    release_type: 'devel',
  },
  timestamp: 1_700_000_000.25,
  comment: 'Zeile "eins" 😀',
}
const key = randomBytes(32)
const entries = new Map([['a.json', Buffer.from('tracer-in-clear '.repeat(200))]])
const keyOf = (id: string): Buffer | null => (id === keyIdOf(key) ? key : null)

/** Sealed as ours are, around bytes of the test's choosing. */
function sealed(
  packed: Buffer,
  header: unknown = { ...info, key_id: keyIdOf(key), salt: 'AAAA', nonce: 'AAAAAAAAAAAAAAAA' },
): Buffer {
  const opening = Buffer.from(`PORTCULLIS-BACKUP 1\n${JSON.stringify(header)}\n`)
  const fileKey = Buffer.from(hkdfSync('sha256', key, Buffer.from('AAAA', 'base64url'), 'backup file', 32))
  const cipher = createCipheriv('aes-256-gcm', fileKey, Buffer.from('AAAAAAAAAAAAAAAA', 'base64url'))
  cipher.setAAD(opening)
  return Buffer.concat([opening, cipher.update(packed), cipher.final(), cipher.getAuthTag()])
}

describe('a backup file', () => {
  let bytes: Buffer
  before(async () => {
    bytes = await sealArchive(info, entries, key)
  })

  it('opens with its key as it was made', async () => {
    assert.deepEqual(await openArchive(bytes, keyOf), { info, entries })
    assert.deepEqual(readInfo(bytes), info)
  })

  it('shows nothing of its content', () => {
    assert.equal(bytes.includes('tracer'), false)
    assert.equal(bytes.includes(key), false)
  })

  it('never looks the same twice', async () => {
    assert.notDeepEqual(await sealArchive(info, entries, key), bytes)
  })

  it('does not open with another key, and says which case it is', async () => {
    await assert.rejects(
      openArchive(bytes, () => null),
      /does not know/,
    )
    await assert.rejects(
      openArchive(bytes, () => randomBytes(32)),
      /altered/,
    )
  })

  it('is refused after any change of one byte', async () => {
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] ?? 0) ^ (1 << (at % 8))
      await assert.rejects(openArchive(altered, keyOf), ArchiveError, String(at))
    }
  })

  it('is refused when cut anywhere or lengthened', async () => {
    for (let length = 0; length < bytes.length; length++) {
      await assert.rejects(openArchive(bytes.subarray(0, length), keyOf), ArchiveError, String(length))
    }
    await assert.rejects(openArchive(Buffer.concat([bytes, Buffer.from('\n')]), keyOf), ArchiveError)
  })

  it('is refused when what is sealed is no archive, or grows too much', async () => {
    await assert.rejects(openArchive(sealed(Buffer.from('not packed')), keyOf), /damaged/)
    await assert.rejects(openArchive(sealed(gzipSync(Buffer.alloc(1_000, 'x'))), keyOf), /refused/)
    await assert.rejects(openArchive(sealed(gzipSync(Buffer.alloc(64 * 1024 * 1024))), keyOf), /too large/)
  })

  it('is refused when its first lines are something else', async () => {
    for (const header of [
      null,
      [],
      'x',
      1,
      {},
      { key_id: 7 },
      { key_id: keyIdOf(key) },
      { key_id: keyIdOf(key), salt: 1, nonce: {} },
    ]) {
      await assert.rejects(openArchive(sealed(gzipSync(''), header), keyOf), ArchiveError, JSON.stringify(header))
    }
    for (const text of [
      '',
      'PK',
      '\x1f\x8b',
      'PORTCULLIS-BACKUP 2\n{}\n',
      `PORTCULLIS-BACKUP 1\n${'x'.repeat(20_000)}\n`,
    ]) {
      await assert.rejects(openArchive(Buffer.from(text), keyOf), ArchiveError, text.slice(0, 30))
      assert.equal(readInfo(Buffer.from(text)), null)
    }
  })
})
