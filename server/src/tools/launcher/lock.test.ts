import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { isRunning, readIdentity } from './identity.ts'
import { releaseLock, takeLock } from './lock.ts'

describe('the lock of a state folder', () => {
  let stateDir = ''
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'portcullis-lock-'))
    mkdirSync(join(stateDir, 'run'))
  })
  afterEach(() => rmSync(stateDir, { recursive: true, force: true }))
  const files = () => readdirSync(join(stateDir, 'run'))
  const leave = (content: string) => writeFileSync(join(stateDir, 'run', 'launcher.lock'), content)

  test('is taken once, and refused with the owner named', () => {
    takeLock(stateDir)
    assert.throws(() => takeLock(stateDir), new RegExp(`already runs .* \\(process ${process.pid}\\)`))
    assert.deepEqual(files(), ['launcher.lock'])
    releaseLock(stateDir)
    takeLock(stateDir)
  })

  test('of a process that is gone, or whose number another one has, is taken over', () => {
    const own = readIdentity(process.pid)
    assert.ok(own)
    for (const stale of [
      { ...own, startTicks: '1' },
      { ...own, bootId: 'another' },
      { ...own, pid: 2 ** 22 + 1 },
    ]) {
      assert.equal(isRunning(stale), false)
      leave(JSON.stringify(stale))
      assert.equal(takeLock(stateDir).pid, process.pid)
      assert.deepEqual(files(), ['launcher.lock'])
      releaseLock(stateDir)
    }
  })

  test('that is unreadable counts as left by a crash', () => {
    leave('{"pid":')
    assert.equal(takeLock(stateDir).pid, process.pid)
  })
})
