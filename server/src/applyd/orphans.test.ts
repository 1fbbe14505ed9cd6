// Requirement 59.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { compileCache, ourRuntime } from '../../test/support/started.ts'
import { until } from '../../test/support/until.ts'
import { imageOf, processesMarked, signal } from '../engines/kit/processes.ts'
import { Bench } from './stand-ins/harness.ts'

const scratch = mkdtempSync(join(tmpdir(), 'applyd-orphans-'))
after(() => rmSync(scratch, { recursive: true }))

const times = process.env.PORTCULLIS_NIGHTLY === '1' ? 20 : 6
/** From before the fork to after the record, and as soon as there is a child. */
const moments = [
  ...Array.from({ length: times }, (_, index) => String(Math.round((index * 6000) / times))),
  ...Array<string>(times).fill('fork'),
]

describe('a kill of applyd while it starts a unit leaves no process that it does not know', { concurrency: 6 }, () => {
  for (const [index, moment] of moments.entries())
    test(`kill ${index + 1}: ${moment === 'fork' ? 'at the fork' : `after ${moment} microseconds`}`, async () => {
      const bench = new Bench()
      try {
        await killDuringStart(bench, moment)
      } finally {
        bench.remove()
      }
    })
})

async function killDuringStart(bench: Bench, moment: string): Promise<void> {
  const args = [bench.root, bench.namespace, String(bench.dnsPort), 'unit.stopped', moment]
  const script = join(import.meta.dirname, 'stand-ins', 'kill-child.ts')
  const [runtime, plain] = ourRuntime
  const child = spawn(runtime, [plain, script, ...args], { stdio: 'inherit', env: compileCache })
  const [, ending] = await once(child, 'exit')
  assert.equal(ending, 'SIGKILL')
  const applyd = await bench.start()
  // A suspended child goes on only now, when the new applyd has looked.
  if (moment === 'fork') signal(Number(readFileSync(bench.path('child'), 'utf8')), 'SIGCONT')
  const isActive = async () => (await applyd.verbs.observe({})).units.every((unit) => unit.state === 'active')
  await until('both units are active', isActive)
  await applyd.close(true)
  await until('no process is left', () => bench.processes().length === 0)
}

/** A process as the kernel shows it: state, flags and the end of its environment are fields 3, 9 and 51. */
function showProcess(
  pid: number,
  { cmdline = '', environ = '', state = 'S', flags = 0, environmentEnd = 1, session = pid },
): void {
  const folder = join(scratch, 'proc', String(pid))
  mkdirSync(folder, { recursive: true })
  const fields = [state, 1, pid, session, 0, 0, flags, ...Array.from({ length: 41 }, () => 0), environmentEnd]
  writeFileSync(join(folder, 'stat'), `${pid} (a) b) ${fields.join(' ')}`)
  writeFileSync(join(folder, 'cmdline'), cmdline)
  writeFileSync(join(folder, 'environ'), environ)
}

const look = (image: string | null = null) => processesMarked('UNIT=/state:', image, join(scratch, 'proc'))

test('a process is ours by its environment, or as a copy of the applyd that was killed', () => {
  const applyd = { cmdline: 'node\0main.ts\0', environ: 'STATE=/state\0' }
  showProcess(10, { cmdline: 'engine\0', environ: 'PATH=/bin\0UNIT=/state:dns\0', session: 9 })
  showProcess(11, applyd)
  showProcess(12, { cmdline: 'other\0', environ: applyd.environ })
  const image = imageOf(11, join(scratch, 'proc'))
  assert.deepEqual(look(), { found: [{ pid: 10, session: 9, parent: 1 }], isSettled: true })
  assert.deepEqual(look(image).found, [
    { pid: 10, session: 9, parent: 1 },
    { pid: 11, session: 11, parent: 1 },
  ])
  rmSync(join(scratch, 'proc'), { recursive: true })
})

test('a process that is becoming another program is in doubt, and nothing else is', () => {
  showProcess(20, { cmdline: 'env\0-i\0' })
  showProcess(21, { flags: 0x00200000, environmentEnd: 0 })
  showProcess(22, { state: 'Z', environmentEnd: 0 })
  showProcess(23, { environmentEnd: 5 })
  assert.deepEqual(look(), { found: [], isSettled: true })
  // One of another account, whose memory is not shown to us.
  showProcess(24, { environmentEnd: 0 })
  rmSync(join(scratch, 'proc', '24', 'environ'))
  symlinkSync('/nowhere', join(scratch, 'proc', '24', 'environ'))
  assert.deepEqual(look(), { found: [], isSettled: true })
  showProcess(25, { environmentEnd: 0 })
  assert.deepEqual(look(), { found: [], isSettled: false })
  rmSync(join(scratch, 'proc'), { recursive: true })
})
