// Archives that hold anything but plain files under plain names are refused, and so is every damaged one.
// Requirement 46.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readTar, TarError, writeTar } from './tar.ts'

const entries = new Map([
  ['backup.json', Buffer.from('{}')],
  ['slots/firewall.settings.json', Buffer.alloc(1_300, 'x')],
  ['slots/empty.json', Buffer.alloc(0)],
  ['whole.json', Buffer.alloc(512, 'y')],
])
const whole = writeTar(entries, 1_700_000_000)

/** Changes bytes of the first header and mends its checksum, as a maker of hostile archives would. */
function forged(change: (header: Buffer) => void): Buffer {
  const bytes = Buffer.from(whole)
  change(bytes.subarray(0, 512))
  bytes.fill(' ', 148, 156)
  const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}

const named = (name: string): Buffer =>
  forged((header) => {
    header.fill(0, 0, 100)
    header.write(name, 0, 'latin1')
  })

describe('a tar archive', () => {
  it('gives back what was put in', () => assert.deepEqual(readTar(whole), entries))

  it('is one that tar itself reads', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tar-test-'))
    try {
      writeFileSync(join(folder, 'a.tar'), whole)
      execFileSync('/usr/bin/tar', ['-xf', join(folder, 'a.tar'), '-C', folder])
      for (const [name, content] of entries) assert.deepEqual(readFileSync(join(folder, name)), content)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('is refused when a name leads elsewhere or is none of ours', () => {
    const names = [
      '../x',
      'a/../../x',
      '/etc/passwd',
      './x',
      'a//b',
      'a/',
      '..',
      '.',
      'a\\b',
      'A',
      '',
      'a b',
      'é',
      '-rf',
      'a/.x',
    ]
    for (const name of names) assert.throws(() => readTar(named(name)), TarError, name)
    assert.throws(() => readTar(forged((header) => header.write('../../..', 345))), TarError, 'prefix')
  })

  it('is refused when it holds links, devices, folders or extensions', () => {
    for (const type of ['1', '2', '3', '4', '5', '6', '7', 'L', 'K', 'x', 'g', 'S']) {
      assert.throws(() => readTar(forged((header) => header.write(type, 156))), TarError, type)
    }
  })

  it('is refused when a size is a lie', () => {
    for (const size of ['77777777777\0', '-1         \0', '99999999999\0', '\x80'.repeat(12), ' '.repeat(12)]) {
      assert.throws(() => readTar(forged((header) => header.write(size, 124, 'latin1'))), TarError, size)
    }
  })

  it('is refused when cut anywhere, lengthened or with a name twice', () => {
    for (let length = 0; length < whole.length; length += 100) {
      assert.throws(() => readTar(whole.subarray(0, length)), TarError, String(length))
    }
    assert.throws(() => readTar(Buffer.concat([whole, Buffer.from('x')])), TarError)
    const [first] = [whole.subarray(0, 1024)]
    assert.throws(() => readTar(Buffer.concat([first, first, Buffer.alloc(1024)])), /duplicate name/)
  })

  it('is refused when a byte of a header changed', () => {
    for (let at = 0; at < 512; at++) {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      assert.throws(() => readTar(bytes), TarError, String(at))
    }
  })

  it('takes no name it would refuse itself', () => {
    for (const name of ['../x', '/x', 'x'.repeat(101)])
      assert.throws(() => writeTar(new Map([[name, Buffer.alloc(1)]]), 0))
  })
})
