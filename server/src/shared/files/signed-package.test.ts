// An update package is believed only when every byte of it is signed by a key that this gateway trusts.
// Requirement 47.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { compareVersions, keyId, PackageReader, RefusedPackage, readTrustedKeys } from './signed-package.ts'

interface Signer {
  readonly arMember: (name: string, content: Buffer, time: number) => Buffer
  readonly keyId: (key: string) => string
  readonly signedPackage: (bytes: Buffer, about: object, key: string) => Buffer
  readonly withoutSignature: (bytes: Buffer) => Buffer
}
const signer = new URL('../../../../scripts/lib/sign-package.mjs', import.meta.url).href as string
const { arMember, keyId: nameOfKey, signedPackage, withoutSignature } = (await import(signer)) as Signer

const pair = generateKeyPairSync('ed25519')
const foreign = generateKeyPairSync('ed25519')
const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const key = pem(pair.privateKey)
const keys = new Map([[keyId(pair.publicKey), pair.publicKey]])
const about = { version: '0.2.0', architecture: 'arm64', format: 3, timestamp: 1_794_700_800 }

const first = Buffer.from('!<arch>\n')
const binary = arMember('debian-binary', Buffer.from('2.0\n'), 0)
const control = arMember('control.tar.xz', Buffer.from('control'), 0)
const data = arMember('data.tar.xz', Buffer.alloc(5_001, 'd'), 0)
const plain = Buffer.concat([first, binary, control, data])
const good = signedPackage(plain, about, key)

function read(file: Buffer, step = 997): ReturnType<PackageReader['finish']> {
  const reader = new PackageReader(keys)
  for (let at = 0; at < file.length; at += step) reader.push(file.subarray(at, at + step))
  return reader.finish()
}

const isRefused = (fault: string) => (error: unknown) => error instanceof RefusedPackage && error.fault === fault

describe('an update package', () => {
  it('is taken in pieces of any size', () => {
    for (const step of [1, 7, 60, 68, 4096, good.length]) {
      const { version, architecture, format, timestamp, bytes } = read(good, step)
      assert.deepEqual({ version, architecture, format, timestamp }, about)
      assert.equal(bytes, good.length)
    }
    assert.equal(read(good).key, nameOfKey(key))
  })

  it('is signed again to the same bytes', () => {
    assert.deepEqual(withoutSignature(good), plain)
    assert.deepEqual(withoutSignature(plain), plain)
    assert.deepEqual(signedPackage(withoutSignature(good), about, key), good)
  })

  it('is refused with one changed bit anywhere', () => {
    for (let at = 0; at < good.length; at += at < 300 || at > good.length - 500 ? 1 : 131) {
      const changed = Buffer.from(good)
      changed[at] = (changed[at] ?? 0) ^ 1
      assert.throws(() => read(changed), RefusedPackage, `byte ${at}`)
    }
  })

  it('is refused wherever it ends too early', () => {
    for (let length = 0; length < good.length; length += length < 300 || length > good.length - 500 ? 1 : 131)
      assert.throws(() => read(good.subarray(0, length)), RefusedPackage, `${length} bytes`)
  })

  it('is refused with more after it', () => {
    for (const more of [
      '\n',
      'x',
      good.toString('latin1'),
      arMember('_other', Buffer.from('text'), 0).toString('latin1'),
    ])
      assert.throws(() => read(Buffer.concat([good, Buffer.from(more, 'latin1')])), isRefused('not-a-package'))
  })

  it('has its four members once and in their order', () => {
    const other = arMember('evil', Buffer.from('text'), 0)
    for (const parts of [
      [first, binary, control, data, data],
      [first, binary, control, control, data],
      [first, binary, binary, control, data],
      [first, control, binary, data],
      [first, binary, data, control],
      [first, other, binary, control, data],
      [first, binary, control, other, data],
      [first, binary, control, data, other],
      [first, binary, control, arMember('data.tar.xz/../x', Buffer.from('text'), 0)],
      [first, binary, control, arMember('data.tar.bz2', Buffer.from('text'), 0)],
    ])
      assert.throws(() => read(signedPackage(Buffer.concat(parts), about, key)), isRefused('not-a-package'))
    assert.throws(() => read(signedPackage(good, about, key)), isRefused('not-a-package'))
  })

  it('is refused for sizes that are no sizes, before they are read', () => {
    for (const size of ['9999999999', '-1', '0', '1e3', '0x10', ' 5', '']) {
      const header = Buffer.from(data.subarray(0, 60))
      header.write(size.padEnd(10), 48, 'latin1')
      const reader = new PackageReader(keys)
      reader.push(Buffer.concat([first, binary, control]))
      assert.throws(() => reader.push(header), isRefused('not-a-package'), size)
    }
  })

  it('is refused when it is not signed, or by a key that is not trusted', () => {
    assert.throws(() => read(plain), isRefused('not-signed'))
    assert.throws(() => read(signedPackage(plain, about, pem(foreign.privateKey))), isRefused('unknown-key'))
  })

  it('is refused when the signature is over other bytes, or the words were changed', () => {
    const other = signedPackage(
      Buffer.concat([first, binary, control, arMember('data.tar.xz', Buffer.from('o'), 0)]),
      about,
      key,
    )
    assert.throws(
      () => read(Buffer.concat([plain, other.subarray(withoutSignature(other).length)])),
      isRefused('broken-signature'),
    )
    const text = good.subarray(plain.length + 60).toString()
    for (const [from, to] of [
      ['0.2.0', '0.9.0'],
      ['arm64', 'amd64'],
      ['"format":3', '"format":1'],
      ['{', '['],
      ['"portcullis"', '"other"'],
      ['"signature"', '"signature":null,"other"'],
      ['0.2.0', '../../etc'],
    ] as const)
      assert.throws(
        () => read(Buffer.concat([plain, arMember('_portcullis', Buffer.from(text.replace(from, to)), 0)])),
        isRefused('broken-signature'),
        to,
      )
    // A key with the name of a trusted one.
    const named = signedPackage(plain, about, pem(foreign.privateKey))
      .subarray(plain.length + 60)
      .toString()
    const renamed = named.replace(nameOfKey(pem(foreign.privateKey)), nameOfKey(key))
    assert.throws(
      () => read(Buffer.concat([plain, arMember('_portcullis', Buffer.from(renamed), 0)])),
      isRefused('broken-signature'),
    )
  })

  it('is read by dpkg as if it had no signature', (t) => {
    if (spawnSync('dpkg-deb', ['--version']).status !== 0) return t.skip('This machine has no dpkg-deb.')
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-package-'))
    after(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'tree/DEBIAN'), { recursive: true })
    writeFileSync(
      join(folder, 'tree/DEBIAN/control'),
      'Package: portcullis\nVersion: 0.2.0\nArchitecture: arm64\nMaintainer: x <x@example.org>\nDescription: x\n',
    )
    writeFileSync(join(folder, 'tree/file'), 'text')
    const deb = join(folder, 'x.deb')
    assert.equal(spawnSync('dpkg-deb', ['--root-owner-group', '-b', join(folder, 'tree'), deb]).status, 0)
    const signed = signedPackage(readFileSync(deb), about, key)
    writeFileSync(deb, signed)
    assert.equal(read(signed).version, '0.2.0')
    assert.equal(spawnSync('dpkg-deb', ['-f', deb, 'Version'], { encoding: 'utf8' }).stdout, '0.2.0\n')
    assert.equal(spawnSync('dpkg-deb', ['-x', deb, join(folder, 'out')]).status, 0)
    assert.equal(readFileSync(join(folder, 'out/file'), 'utf8'), 'text')
  })
})

describe('trusted keys', () => {
  it('are the ed25519 keys of the folders that are there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-keys-'))
    after(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'one.pem'), pair.publicKey.export({ type: 'spki', format: 'pem' }))
    writeFileSync(join(folder, 'broken.pem'), 'text')
    writeFileSync(join(folder, 'huge.pem'), 'x'.repeat(100_000))
    writeFileSync(join(folder, 'two.txt'), foreign.publicKey.export({ type: 'spki', format: 'pem' }))
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeFileSync(join(folder, 'rsa.pem'), rsa.publicKey.export({ type: 'spki', format: 'pem' }))
    assert.deepEqual([...readTrustedKeys([join(folder, 'missing'), folder]).keys()], [keyId(pair.publicKey)])
  })
})

describe('versions', () => {
  it('have the order that dpkg gives them', (t) => {
    if (spawnSync('dpkg', ['--version']).status !== 0) return t.skip('This machine has no dpkg.')
    const all = [
      '0.1.0',
      '0.1.0-1',
      '0.1.0-2',
      '0.1.0~rc1',
      '0.1.0+git5',
      '0.2.0',
      '0.10.0',
      '1.0',
      '1.0.0',
      '1a',
      '1.0a-1',
      '01.0',
    ]
    for (const left of all)
      for (const right of all) {
        const sign = Math.sign(compareVersions(left, right))
        const word = sign < 0 ? 'lt' : sign > 0 ? 'gt' : 'eq'
        assert.equal(spawnSync('dpkg', ['--compare-versions', left, word, right]).status, 0, `${left} ${word} ${right}`)
      }
  })
})
