import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { nextDelay, type ProcessSpec, SupervisedProcess } from './processes.ts'
import { parseReady } from './programs.ts'

/** Runs a script as the process; `pids` grows with each start, `told` passes on what the supervisor reports. */
function supervise(script: string, change: Partial<ProcessSpec> = {}) {
  const told = new EventEmitter()
  const pids: number[] = []
  const spec: ProcessSpec = {
    name: 'child',
    command: process.execPath,
    args: ['--eval', script],
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    report: { pipe: 3, parse: parseReady },
    env: () => ({}),
    ...change,
  }
  const child = new SupervisedProcess(spec, {
    onStart: (_name, pid) => pids.push(pid),
    onReady: (_name, message) => told.emit('ready', message),
    onEnd: (_name, how) => told.emit('end', how),
  })
  return { child, told, pids }
}

const sayReady = `require('node:fs').writeSync(3, 'noise\\n{"event":"ready","address":"x"}\\n')`
const stay = 'setInterval(() => {}, 1e6)'

describe('a supervised process', () => {
  test('waits longer after each failed start, but not for ever', () => {
    const delays: number[] = []
    for (let i = 0; i < 8; i++) delays.push(nextDelay(delays.at(-1) ?? 0, 50, false))
    assert.deepEqual(delays, [100, 200, 400, 800, 1600, 3200, 5000, 5000])
    assert.equal(nextDelay(5000, 10_000, false), 100)
    assert.equal(nextDelay(5000, 50, true), 100)
  })

  test('reports when it serves, and is started again when it dies', async () => {
    const { child, told, pids } = supervise(`${sayReady}; ${stay}`)
    child.start()
    assert.deepEqual(await once(told, 'ready'), [{ event: 'ready', address: 'x' }])
    const [end, ready] = [once(told, 'end'), once(told, 'ready')]
    process.kill(pids[0] ?? 0, 'SIGKILL')
    assert.deepEqual(await end, ['SIGKILL'])
    await ready
    assert.equal(pids.length, 2)
    await child.stop('SIGTERM', 5000)
  })

  test('may tell by the file it makes; one left by a predecessor does not count', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-report-'))
    const file = join(folder, 'socket')
    writeFileSync(file, 'old')
    const { child, told } = supervise(`require('node:fs').writeFileSync('${file}', 'new'); ${stay}`, {
      report: { file },
    })
    child.start()
    assert.equal(existsSync(file), false)
    await once(told, 'ready')
    await child.stop('SIGKILL', 5000)
    rmSync(folder, { recursive: true })
  })

  test('is made to go when it does not go by itself, and stays gone', async () => {
    const { child, told, pids } = supervise(`process.on('SIGTERM', () => {}); ${sayReady}; ${stay}`)
    child.start()
    await once(told, 'ready')
    const end = once(told, 'end')
    await child.stop('SIGTERM', 50)
    assert.deepEqual(await end, ['SIGKILL'])
    assert.equal(pids.length, 1)
  })

  test('a program that is not there is reported like any other death', async () => {
    const { child, told } = supervise('', { command: '/nonexistent' })
    const end = once(told, 'end')
    child.start()
    assert.match(String(await end), /ENOENT/)
    await child.stop('SIGTERM', 50)
  })
})
