// After a power cut the records of applyd name processes by number and start time. Both count from the boot, so after the
// next one they can be those of any other process.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { identify, stateOf } from '../engines/kit/processes.ts'
import { Bench } from './stand-ins/harness.ts'

test('a process that has the number of an engine or an applyd of another boot is neither ended nor waited for', async () => {
  const bench = new Bench()
  const other = spawn('/usr/bin/sleep', ['600'], { detached: true, stdio: 'ignore' })
  try {
    const id = identify(other.pid ?? 0)
    const directory = join(bench.stateDir, 'applyd')
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const kernel = 'earlier net:[1]'
    writeFileSync(join(directory, 'lock.json'), JSON.stringify({ ...id, kernel }))
    const units = [{ name: 'dns', inputs: '', process: id }]
    writeFileSync(join(directory, 'units.json'), JSON.stringify({ kernel, units }))
    const applyd = await bench.start({ kernel: 'later net:[1]' })
    await applyd.close(true)
    assert.notEqual(stateOf(id), 'gone')
    writeFileSync(join(directory, 'lock.json'), JSON.stringify({ ...id, kernel: 'later net:[2]' }))
    await assert.rejects(bench.start({ kernel: 'later net:[1]' }), /Another applyd/)
  } finally {
    other.kill('SIGKILL')
    bench.remove()
  }
})
