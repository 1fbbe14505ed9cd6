// Requirement 59.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { compileCache, ourRuntime } from '../../test/support/started.ts'
import { until } from '../../test/support/until.ts'
import type { Applyd } from './applyd.ts'
import { type FailpointName, failpointNames } from './context.ts'
import { Bench, dnsText, fullPlan } from './stand-ins/harness.ts'

const isRestore = (name: FailpointName) => name.startsWith('restore.')
const isAfterCommit = (name: FailpointName) => name === 'record.written' || name === 'intent.removed'

/** The machine holds plan A (revision 1) or plan B (revision 2) whole, and applyd says which. */
async function assertWhole(bench: Bench, applyd: Applyd): Promise<number> {
  const seen = await applyd.verbs.observe({})
  const mark = seen.appliedRevision === 2 ? 'b' : 'a'
  assert.equal(seen.appliedRevision, mark === 'b' ? 2 : 1)
  assert.deepEqual(
    seen.tables.map((table) => [table.present, table.asLoaded]),
    [
      [true, true],
      // Nothing of it is loaded, and nothing of it is there.
      [false, true],
    ],
  )
  assert.deepEqual(
    (await applyd.verbs.hits({})).counts.map(({ origin }) => origin),
    [`firewall.${mark}`],
  )
  assert.doesNotMatch(bench.kernel(), /portcullis_boot/)
  assert.equal(bench.file('dns.conf'), dnsText(bench.dnsPort, `address=/${mark}.test/192.0.2.1\n`))
  assert.equal(bench.file('stand.conf'), `well-${mark}\n${mark}\n`)
  const isActive = async () => (await applyd.verbs.observe({})).units.every((unit) => unit.state === 'active')
  await until('both units are active', isActive)
  await until('the stand-in runs with this file', () => {
    const lines = readFileSync(join(bench.stateDir, 'log', 'stand.log'), 'utf8')
      .trim()
      .split('\n')
    return lines.at(-1)?.endsWith(`well-${mark}`) === true
  })
  // dnsmasq is one process, the stand-in two: itself and what it waits for.
  await until('no process is left over', () => bench.processes().filter((pid) => isLeader(pid)).length === 2)
  assert.equal(bench.record('intent.json'), null)
  const again = await applyd.verbs.apply({
    plan: fullPlan(seen.appliedRevision ?? 0, mark, bench.dnsPort, `well-${mark}`),
  })
  assert.deepEqual(again, { status: 'applied', changed: [] })
  return seen.appliedRevision ?? 0
}

function isLeader(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]) === pid
}

async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = new Bench()
  try {
    await work(bench)
  } finally {
    bench.remove()
  }
}

describe('at any step', { concurrency: 6 }, () => {
  for (const name of failpointNames) {
    test(`a fault at ${name} leaves the old state or the new one, whole`, () =>
      withBench((bench) => failAt(name, bench)))
    test(`a kill at ${name} leaves the old state or the new one, whole`, () =>
      withBench((bench) => killAt(name, bench)))
  }
})

async function failAt(name: FailpointName, bench: Bench): Promise<void> {
  let state: 'quiet' | 'armed' | 'fired' = 'quiet'
  const failpoint = (at: FailpointName) => {
    if (at === name && state === 'armed') {
      state = 'fired'
      throw new Error(`broken at ${name}`)
    }
    if (state === 'armed' && isRestore(name) && at === 'probed') throw new Error('made to fail')
  }
  const applyd = await bench.start({ failpoint })
  const first = await applyd.verbs.apply({ plan: fullPlan(1, 'a', bench.dnsPort, 'well-a') })
  assert.equal(first.status, 'applied')
  state = 'armed'
  const outcome = await applyd.verbs.apply({ plan: fullPlan(2, 'b', bench.dnsPort, 'well-b') })
  assert.equal(state, 'fired', 'the step was reached')
  assert.equal(outcome.status, isAfterCommit(name) ? 'applied' : 'put_back')
  // Only a fault in the revert itself leaves something for the next start.
  assert.equal(outcome.status === 'put_back' && !outcome.restored, isRestore(name))
  await applyd.close()
  const next = await bench.start()
  assert.equal(await assertWhole(bench, next), isAfterCommit(name) ? 2 : 1)
  await next.close(true)
}

async function killAt(name: FailpointName, bench: Bench): Promise<void> {
  const args = [bench.root, bench.namespace, String(bench.dnsPort), name]
  const script = join(import.meta.dirname, 'stand-ins', 'kill-child.ts')
  const [runtime, plain] = ourRuntime
  const words = [plain, script, ...args, isRestore(name) ? 'fail' : '']
  const child = spawn(runtime, words, { stdio: 'inherit', env: compileCache })
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL', 'the step was reached')
  const applyd = await bench.start()
  assert.equal(await assertWhole(bench, applyd), isAfterCommit(name) ? 2 : 1)
  await applyd.close(true)
  await until('no process is left', () => bench.processes().length === 0)
}
