import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { shortReads, shortReadsFile } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'portcullis-short-reads-'))
after(() => rmSync(folder, { recursive: true }))

test('a program that loads it is given one byte less than it has room for, and one where there is room for one', () => {
  const path = join(folder, shortReadsFile)
  writeFileSync(path, shortReads(process.arch) ?? assert.fail(process.arch))
  const code = `open my $zeros, '<', '/dev/zero'; print sysread($zeros, my $bytes, $_), ' ' for 100, 2, 1, 0, 65536`
  const output = execFileSync('/usr/bin/perl', ['-e', code], { env: { LD_PRELOAD: path }, encoding: 'utf8' })
  assert.equal(output, '99 1 1 0 65535 ')
})

test('there is one for each architecture of ours, and none for others', () => {
  assert.deepEqual(
    ['x64', 'arm64', 's390x'].map((name) => shortReads(name)?.readUInt16LE(18)),
    [62, 183, undefined],
  )
})
