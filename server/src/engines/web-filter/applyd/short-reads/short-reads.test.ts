import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ensureShortReads, shortReadsFile } from '../short-reads.ts'
import { shortReads } from './index.ts'

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

test('applyd has a program without rights make it, and takes exactly what it knows', () => {
  for (const architecture of ['x64', 'arm64']) {
    const path = join(folder, `${architecture}.so`)
    ensureShortReads(path, { mode: 0o640 }, undefined, { architecture })
    assert.deepEqual(readFileSync(path), shortReads(architecture))
    assert.equal(statSync(path).mode & 0o777, 0o640)
    // With one that is right nothing is started.
    ensureShortReads(path, { mode: 0o640 }, undefined, { architecture, command: ['/nowhere/program'] })
    assert.deepEqual(readFileSync(path), shortReads(architecture))
  }
})

test('whatever else the program prints, or if it prints nothing, no file is left', () => {
  const path = join(folder, 'other.so')
  const right = JSON.stringify(shortReads('x64')?.toString('base64'))
  const program = (code: string) => [process.execPath, '-e', code]
  const commands = [
    program(`process.stdout.write(Buffer.concat([Buffer.from(${right}, 'base64'), Buffer.alloc(1)]))`),
    program(`process.stdout.write(Buffer.from(${right}, 'base64').fill(0x90, -8))`),
    program('process.kill(process.pid, "SIGKILL")'),
    program('process.stdout.write("x".repeat(10_000_000))'),
    program(''),
    ['/nowhere/program'],
  ]
  for (const command of commands) {
    writeFileSync(path, 'of someone else')
    ensureShortReads(path, { mode: 0o640 }, undefined, { architecture: 'x64', command })
    assert.equal(existsSync(path), false, command.join(' ').slice(0, 100))
  }
})

test('a link in its place is replaced, and what it leads to stays as it is', () => {
  const [path, victim] = [join(folder, 'link.so'), join(folder, 'victim')]
  writeFileSync(victim, 'mine')
  symlinkSync(victim, path)
  ensureShortReads(path, { mode: 0o640 }, undefined, { architecture: 'x64' })
  assert.equal(readFileSync(victim, 'utf8'), 'mine')
  assert.deepEqual(readFileSync(path), shortReads('x64'))
})

test('a machine that has no Debian of ours has none', () => {
  const path = join(folder, 'none.so')
  for (const architecture of ['s390x', 'toString']) {
    ensureShortReads(path, { mode: 0o640 }, undefined, { architecture })
    assert.equal(existsSync(path), false)
  }
})
