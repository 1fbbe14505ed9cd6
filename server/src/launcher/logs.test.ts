import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { trimLog } from './logs.ts'

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
