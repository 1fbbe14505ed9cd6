// Archives as programs write them, and archives made to do harm.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type TarEntry, tarOf } from '../../../../test/support/list-archive.ts'
import { readArchive } from './list-archive.ts'
import { ListsRefused } from './refused.ts'

describe('an archive of lists', () => {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'portcullis-archive-'))
  })
  afterEach(() => rmSync(root, { recursive: true }))

  const read = async (bytes: Buffer, maxBytes = 1_000_000): Promise<Record<string, string>> => {
    const path = join(root, 'archive')
    writeFileSync(path, bytes)
    const found: Record<string, string> = {}
    const open = (name: string) => {
      found[name] = ''
      const add = (text: string): void => {
        found[name] += text
      }
      return { write: (part: Buffer) => add(part.toString()), end: () => add('.') }
    }
    await readArchive(path, open, { maxBytes })
    return found
  }
  const refusal = async (bytes: Buffer, message: RegExp, maxBytes?: number): Promise<void> => {
    await assert.rejects(read(bytes, maxBytes), (error: Error) => {
      assert.ok(error instanceof ListsRefused, String(error))
      assert.match(error.message, message)
      return true
    })
    assert.deepEqual(readdirSync(root), ['archive'], 'nothing is unpacked')
  }
  const files: TarEntry[] = [
    { name: './lists/', type: '5' },
    { name: './lists/a/domains', content: 'x'.repeat(700) },
    { name: 'lists/b/urls', content: '' },
  ]
  const expected = { 'lists/a/domains': `${'x'.repeat(700)}.`, 'lists/b/urls': '.' }

  it('is read plain, compressed, in parts, and without an end mark', async () => {
    const tar = tarOf(files)
    assert.deepEqual(await read(tar), expected)
    assert.deepEqual(await read(gzipSync(tar)), expected)
    assert.deepEqual(await read(Buffer.concat([gzipSync(tar.subarray(0, 900)), gzipSync(tar.subarray(900))])), expected)
    assert.deepEqual(await read(tar.subarray(0, tar.length - 1_024)), expected)
  })

  it('may have long names of both kinds', async () => {
    const long = `${'d'.repeat(150)}/domains`
    const record = ` path=${long}\n`
    const pax = `${record.length + 3}${record}`
    const gnu = 'ustar  \0'
    for (const before of [
      { name: '@long', type: 'L', content: `${long}\0`, magic: gnu },
      { name: 'pax', type: 'x', content: pax },
    ])
      assert.deepEqual(await read(tarOf([before, { name: 'short', content: 'x' }])), { [long]: 'x.' })
  })

  it('has its links passed over', async () => {
    const links = [
      { name: 'a/domains', type: '2' },
      { name: 'b/domains', type: '1' },
    ]
    assert.deepEqual(await read(tarOf([...links, ...files])), expected)
  })

  it('is refused when a name leads out of it or is something else than a file', async () => {
    for (const name of ['../x/domains', 'a/../../domains', '/etc/domains', 'a/..'])
      await refusal(tarOf([{ name, content: 'x' }]), /a name outside the archive/)
    await refusal(tarOf([{ name: 'a/domains', type: '3' }]), /something other than files, folders and links/)
    await refusal(tarOf([{ name: 'x', type: 'x', content: '99999 path=a\n' }]), /a header in it is damaged/)
    await refusal(tarOf([{ name: 'x', type: 'L', content: 'x'.repeat(70_000) }]), /a name in it is too long/)
  })

  it('is refused when it is a bomb', async () => {
    await refusal(gzipSync(tarOf([{ name: 'a/domains', content: Buffer.alloc(3_000_000) }])), /too large when unpacked/)
    const many = tarOf(Array.from({ length: 100_001 }, () => ({ name: 'a/domains' })))
    await refusal(gzipSync(many), /too many files/, 100_000_000)
  })

  it('is refused when it is damaged or cut off anywhere', async () => {
    const tar = tarOf(files)
    const zipped = gzipSync(tar)
    for (let end = 1; end < zipped.length; end += 7)
      await refusal(zipped.subarray(0, end), /damaged|incomplete|neither/)
    for (const end of [300, 600, 1_100, 1_500]) await refusal(tar.subarray(0, end), /incomplete/)
    const wrong = Buffer.from(tar)
    wrong[700] = 7
    await refusal(wrong, /checksum/)
    await refusal(Buffer.from('text'), /neither a tar archive/)
    await refusal(Buffer.alloc(0), /neither a tar archive/)
  })
})
