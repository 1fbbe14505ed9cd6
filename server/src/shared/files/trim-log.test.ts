import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { unlessComplete } from '../../../test/support/requires.ts'
import { trimLog } from './trim-log.ts'

test('I2: a log is set aside while a process writes to it, and the process goes on in an empty file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'))
  const path = join(folder, 'gatewayd.log')
  const writer = openSync(path, 'a')
  const line = `${'x'.repeat(99)}\n`
  for (let count = 0; count < 100; count++) writeSync(writer, line)
  trimLog(path, 100_000)
  assert.equal(statSync(path).size, 10_000)
  trimLog(path, 5_000)
  assert.equal(readFileSync(`${path}.1`, 'utf8'), line.repeat(100))
  writeSync(writer, 'after\n')
  assert.equal(readFileSync(path, 'utf8'), 'after\n')
  closeSync(writer)
  rmSync(folder, { recursive: true })
})

test('nothing is emptied while its writer cannot be held up', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'))
  const path = join(folder, 'hits.json')
  writeFileSync(path, 'a line\n')
  assert.equal(
    trimLog(path, 3, () => false),
    false,
  )
  assert.equal(readFileSync(path, 'utf8'), 'a line\n')
  rmSync(folder, { recursive: true })
})

const unshare = ['--mount', '--propagation=private', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])]
const skip =
  spawnSync('/usr/bin/unshare', [...unshare, 'true']).status === 0 ? false : unlessComplete('no namespaces here')

test('a log that grew large on a disk that became read-only does not end the process that cuts it', { skip }, () => {
  const program = `
    import { trimLog } from ${JSON.stringify(join(import.meta.dirname, 'trim-log.ts'))}
    console.log(trimLog('/mnt/dns.log', 10))`
  const script =
    'mount -t tmpfs none /mnt && echo twenty bytes or more >/mnt/dns.log && mount -o remount,ro /mnt && "$@"'
  const { stdout, stderr } = spawnSync(
    '/usr/bin/unshare',
    [...unshare, '/bin/sh', '-c', script, 'sh', process.execPath, '--input-type=module', '--eval', program],
    { encoding: 'utf8' },
  )
  assert.equal(stdout, 'false\n', stderr)
})
