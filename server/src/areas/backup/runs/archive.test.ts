// A sealed backup opens with its key and the signature of its maker as it was made, and in no other case.
// Requirements 46 and 47.

import assert from 'node:assert/strict'
import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  ArchiveError,
  type ArchiveInfo,
  keyIdOf,
  type OpenedArchive,
  openArchive,
  readInfo,
  sealArchive,
  type Trust,
} from './archive.ts'
import { openSigningKey, type SigningKey } from './signing-key.ts'
import { writeTar } from './tar.ts'

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

const folder = mkdtempSync(join(tmpdir(), 'backup-archive-'))
after(() => rmSync(folder, { recursive: true }))
const signing = openSigningKey(join(folder, 'own.key'))
const stranger = openSigningKey(join(folder, 'stranger.key'))
const trust: Trust = {
  find: (id) => (id === keyIdOf(key) ? key : null),
  ownKeyId: keyIdOf(key),
  ownSigner: signing.name,
}

function opened(bytes: Buffer, by: Trust = trust, keepsEntries = true): Promise<OpenedArchive> {
  const path = join(folder, 'a.backup')
  writeFileSync(path, bytes)
  return openArchive(path, by, keepsEntries)
}

function withSignature(sealed: Buffer, by: SigningKey): Buffer {
  const hash = createHash('sha512').update(sealed).digest()
  return Buffer.concat([sealed, by.sign(Buffer.concat([Buffer.from('portcullis backup file\0'), hash]))])
}

const header = { ...info, key_id: keyIdOf(key), salt: 'AAAA', nonce: 'AAAAAAAAAAAAAAAA', signer: signing.name }

/** Sealed and signed as ours are, around bytes of the test's choosing. */
function sealed(packed: Buffer, first: unknown = header): Buffer {
  const opening = Buffer.from(`PORTCULLIS-BACKUP 2\n${JSON.stringify(first)}\n`)
  const fileKey = Buffer.from(hkdfSync('sha256', key, Buffer.from('AAAA', 'base64url'), 'backup file', 32))
  const cipher = createCipheriv('aes-256-gcm', fileKey, Buffer.from('AAAAAAAAAAAAAAAA', 'base64url'))
  cipher.setAAD(opening)
  const bytes = Buffer.concat([opening, cipher.update(packed), cipher.final(), cipher.getAuthTag()])
  return withSignature(bytes, signing)
}

describe('a backup file', () => {
  let bytes: Buffer
  before(async () => {
    bytes = await sealArchive(info, entries, key, signing)
  })

  it('opens with its key as it was made', async () => {
    assert.deepEqual(await opened(bytes), { info, entries, isOwn: true })
    assert.deepEqual(readInfo(bytes), info)
  })

  it('of format 2 opens as it was written', async () => {
    const path = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'fixtures', 'format-2.backup')
    const storedKey = createHash('sha256').update('the recovery key of the stored backup').digest()
    const here: Trust = { ...trust, find: (id) => (id === keyIdOf(storedKey) ? storedKey : null) }
    assert.deepEqual(await openArchive(path, here), {
      info: { ...info, comment: 'Kept as it was written' },
      entries: new Map([
        ['backup.json', Buffer.from('{"format":2}')],
        ['slots/firewall.settings.json', Buffer.from(JSON.stringify({ comment: 'stored '.repeat(200) }))],
        ['slots/empty.json', Buffer.alloc(0)],
        ['slots/block.json', Buffer.alloc(512, 'y')],
      ]),
      isOwn: false,
    })
  })

  it('shows nothing of its content', () => {
    assert.equal(bytes.includes('tracer'), false)
    assert.equal(bytes.includes(key), false)
  })

  it('never looks the same twice', async () => {
    assert.notDeepEqual(await sealArchive(info, entries, key, signing), bytes)
  })

  it('does not open with another key, and says which case it is', async () => {
    await assert.rejects(opened(bytes, { ...trust, find: () => null }), /does not know/)
    await assert.rejects(opened(bytes, { ...trust, find: () => randomBytes(32) }), /altered/)
  })

  it('is refused after any change of one byte', async () => {
    for (let at = 0; at < bytes.length; at++) {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] ?? 0) ^ (1 << (at % 8))
      await assert.rejects(opened(altered), ArchiveError, String(at))
    }
  })

  it('is refused when cut anywhere or lengthened', async () => {
    for (let length = 0; length < bytes.length; length++) {
      await assert.rejects(opened(bytes.subarray(0, length)), ArchiveError, String(length))
    }
    await assert.rejects(opened(Buffer.concat([bytes, Buffer.from('\n')])), ArchiveError)
  })

  it('is refused when what is sealed is not an archive, or grows too much', async () => {
    await assert.rejects(opened(sealed(Buffer.from('not packed'))), /damaged/)
    await assert.rejects(opened(sealed(gzipSync(Buffer.alloc(1_000, 'x')))), /refused/)
    await assert.rejects(opened(sealed(gzipSync(Buffer.alloc(64 * 1024 * 1024)))), /too large/)
  })

  it('is refused when its first lines are something else', async () => {
    for (const first of [
      null,
      [],
      'x',
      1,
      {},
      { key_id: 7 },
      { key_id: keyIdOf(key) },
      { key_id: keyIdOf(key), salt: 1, nonce: {} },
      { ...header, salt: 1, nonce: {} },
      { ...header, nonce: '' },
      { ...header, signer: 7 },
      { ...header, signer: '' },
      { ...header, signer: stranger.name },
    ]) {
      await assert.rejects(opened(sealed(gzipSync(writeTar(entries, 1)), first)), ArchiveError, JSON.stringify(first))
    }
    for (const text of [
      '',
      'PK',
      '\x1f\x8b',
      'PORTCULLIS-BACKUP 1\n{}\n',
      `PORTCULLIS-BACKUP 2\n${'x'.repeat(20_000)}\n`,
    ]) {
      await assert.rejects(opened(Buffer.from(text)), ArchiveError, text.slice(0, 30))
      assert.equal(readInfo(Buffer.from(text)), null)
    }
  })

  it('of another gateway is distinguished from an altered one', async () => {
    const foreign = await sealArchive(info, entries, key, stranger)
    const here: Trust = { ...trust, ownKeyId: keyIdOf(randomBytes(32)) }
    assert.equal((await opened(foreign, here)).isOwn, false)
    await assert.rejects(opened(foreign, { ...here, find: () => null }), /recovery key that this gateway does not know/)
    for (const at of [40, foreign.length - 90, foreign.length - 1])
      await assert.rejects(opened(Buffer.from(foreign.with(at, (foreign[at] ?? 0) ^ 1)), here), /altered/, String(at))
  })

  it('is refused when someone else made it with the recovery key of this gateway', async () => {
    await assert.rejects(opened(await sealArchive(info, entries, key, stranger)), /this gateway did not make it/)
    const again = withSignature(bytes.subarray(0, -64), stranger)
    await assert.rejects(opened(again), /altered/)
    await assert.rejects(opened(bytes.subarray(0, -64)), /altered/)
  })

  it('with names that climb is refused, also when nothing of it is kept', async () => {
    const tar = writeTar(new Map([['a.json', Buffer.from('x')]]), 1)
    tar.write('../../a', 0)
    tar.fill(' ', 148, 156)
    const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0)
    tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    for (const keeps of [true, false])
      await assert.rejects(opened(sealed(gzipSync(tar)), trust, keeps), /a name that is not allowed/)
  })

  it('is looked through without keeping its content', async () => {
    const { entries: looked } = await opened(bytes, trust, false)
    assert.deepEqual(looked, new Map([['a.json', Buffer.alloc(0)]]))
  })
})
