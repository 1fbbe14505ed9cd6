import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { unlessComplete } from '../../../test/support/requires.ts'
import { until } from '../../../test/support/until.ts'
import { trimLog } from '../../shared/files/trim-log.ts'
import {
  identify,
  isSameBoot,
  processesMarked,
  readKernelIdentity,
  run,
  signal,
  stateOf,
  whileSuspended,
} from './processes.ts'

const isRoot = process.getuid?.() === 0

test('a program answers with its status, its output and what it was given', async () => {
  assert.deepEqual(await run(['/bin/cat', '-'], 5000, 'given'), { code: 0, failure: null, stdout: 'given', stderr: '' })
  assert.equal((await run(['/bin/false'], 5000)).code, 1)
})

test('a program that does not finish is killed, and one that is missing is reported as missing', async () => {
  const slow = await run(['/bin/sleep', '100'], 50)
  assert.deepEqual([slow.code, slow.failure], [null, 'timeout'])
  assert.deepEqual((await run(['/nowhere/program'], 50)).failure, 'missing')
})

test('a program that reads nothing of a large input is not a fault', async () => {
  assert.equal((await run(['/bin/true'], 5000, 'x'.repeat(10_000_000))).code, 0)
})

test('nothing of our environment reaches a program', async () => {
  const { stdout } = await run(['/usr/bin/env'], 5000)
  assert.deepEqual(stdout.trim().split('\n').toSorted(), ['LC_ALL=C', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'TZ=UTC'])
})

test('a process is known by number and start time, and a zombie is gone', async () => {
  // The shell becomes a program that never collects the child it started before.
  const parent = spawn('/bin/sh', ['-c', 'sleep 0.05 & exec sleep 1000'], { env: { MARK: 'zombie-test:x' } })
  const pid = parent.pid ?? assert.fail()
  const id = identify(pid) ?? assert.fail()
  assert.equal(stateOf(id), 'running')
  assert.equal(stateOf({ ...id, startTime: '1' }), 'gone')
  let child = 0
  await until('the child is there', () => {
    child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
    return child > 0
  })
  const childId = identify(child) ?? assert.fail()
  await until('the child is a zombie', () => / Z /.test(readFileSync(`/proc/${child}/stat`, 'utf8')))
  assert.equal(stateOf(childId), 'gone')
  assert.ok(processesMarked('MARK=zombie-test:').found.some((found) => found.pid === pid))
  parent.kill('SIGSTOP')
  await until('it is suspended', () => stateOf(id) === 'suspended')
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  assert.equal(stateOf(id), 'gone')
  assert.equal(identify(pid), null)
  signal(pid, 'SIGTERM')
})

test('a file is emptied under a process that writes all the time, and no line is lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-output-'))
  const path = join(folder, 'hits.json')
  const code = `const fs = require('fs'); const file = fs.openSync(${JSON.stringify(path)}, 'a');
    for (let number = 0; ; number++) fs.writeSync(file, number + '\\n')`
  const writer = spawn(process.execPath, ['-e', code], { stdio: 'ignore' })
  const id = identify(writer.pid ?? 0)
  let read = ''
  for (let turn = 0; turn < 20; turn++) {
    await until('there is more than fits', () => trimLog(path, 20_000, (work) => whileSuspended(id, work)))
    read += readFileSync(`${path}.1`, 'utf8')
  }
  assert.equal(stateOf(id), 'running')
  writer.kill('SIGKILL')
  await once(writer, 'exit')
  rmSync(folder, { recursive: true })
  const lines = read.split('\n').slice(0, -1)
  assert.deepEqual(
    lines.findIndex((line, index) => line !== `${index}`),
    -1,
  )
  assert.ok(lines.length > 20 * 1000)
})

test('a container that boots again in the same network is another boot', {
  skip: isRoot ? false : unlessComplete('only root can make a table of processes'),
}, async () => {
  const module = JSON.stringify(import.meta.resolve('./processes.ts'))
  const show = `import(${module}).then((own) => process.stdout.write(own.readKernelIdentity()))`
  const boot = async (): Promise<string> => {
    const command = ['/usr/bin/unshare', '--pid', '--fork', '--mount-proc', process.execPath, '--eval', show]
    const { code, stdout, stderr } = await run(command, 60_000)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const [one, other] = [await boot(), await boot()]
  assert.equal(one.split(' ')[1], other.split(' ')[1])
  assert.equal(isSameBoot(one, other), false)
  assert.equal(isSameBoot(readKernelIdentity(), readKernelIdentity()), true)
})
