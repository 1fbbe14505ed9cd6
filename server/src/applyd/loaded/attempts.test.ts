// Plans that are tried before their revision is committed: settled, undone, left alone, and killed at every step.
// Requirement 59.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { compileCache, ourRuntime } from '../../../test/support/started.ts'
import { until } from '../../../test/support/until.ts'
import { ApplydClient } from '../../gatewayd/apply/client.ts'
import { encodeFrame } from '../../shared/frames.ts'
import type { Applyd } from '../applyd.ts'
import { attemptFailpointNames, type FailpointName } from '../context.ts'
import { attemptPlan, countPackets } from '../stand-ins/attempt-plans.ts'
import { Bench, bothWays, chain, createScenarios, nft, planOf, type Scene } from '../stand-ins/harness.ts'
import { base, rule } from '../stand-ins/sequence.ts'

const { scenario, run } = createScenarios('a plan that is tried', bothWays)

const attempt = (scene: Scene, revision: number, mark: 'a' | 'b', text?: string) =>
  scene.verbs.attempt({ plan: attemptPlan(revision, mark, text) })
const settle = (scene: Scene, revision: number) => scene.verbs.settle({ revision })
const undo = (scene: Scene, revision: number) => scene.verbs.undo({ revision })
const changed = ['nft inet portcullis']

async function countsOf({ verbs }: Pick<Applyd, 'verbs'>): Promise<Record<string, number>> {
  const { counts } = await verbs.hits({})
  return Object.fromEntries(counts.map(({ origin, packets }) => [origin, packets]))
}

/** The first plan, with packets counted. */
async function begin(scene: Scene): Promise<void> {
  await scene.apply(attemptPlan(1, 'a'))
  countPackets((...args) => assert.equal(scene.bench.nft(...args), ''))
}

scenario('is in the kernel at once, and stays when it is settled', async (scene) => {
  await begin(scene)
  assert.deepEqual(await attempt(scene, 2, 'b'), { status: 'applied', changed })
  assert.match(scene.bench.kernel(), /r\.more/)
  assert.equal((await scene.observe()).appliedRevision, 1)
  await settle(scene, 2)
  assert.equal((await scene.observe()).appliedRevision, 2)
  assert.equal(scene.bench.record('intent.json'), null)
  assert.deepEqual(await countsOf(scene), { 'r.b': 0, 'r.kept': 7, 'r.more': 0 })
  await scene.start()
  const seen = await scene.observe()
  assert.deepEqual([seen.appliedRevision, seen.tables[0]?.asLoaded], [2, true])
  assert.deepEqual(await scene.apply(attemptPlan(2, 'b')), { status: 'applied', changed: [] })
})

scenario('goes back to what is settled when it is undone, with what its rules counted', async (scene) => {
  await begin(scene)
  const before = scene.everything()
  await attempt(scene, 2, 'b')
  assert.deepEqual(await undo(scene, 2), { status: 'applied', changed })
  assert.deepEqual(scene.everything(), before)
  assert.deepEqual(await countsOf(scene), { 'r.a': 0, 'r.kept': 7, 'r.old': 5 })
  assert.equal((await scene.observe()).tables[0]?.asLoaded, true)
  assert.deepEqual(await attempt(scene, 2, 'b'), { status: 'applied', changed })
  await settle(scene, 2)
  assert.equal((await scene.observe()).appliedRevision, 2)
})

scenario(
  'is not tried when more than tables differs, or nothing is applied, or it is not known what',
  async (scene) => {
    assert.deepEqual(await attempt(scene, 1, 'a'), { status: 'mixed' })
    await scene.apply(attemptPlan(1, 'a'))
    const before = scene.everything()
    assert.deepEqual(await attempt(scene, 2, 'b', 'well\nother\n'), { status: 'mixed' })
    const [table] = attemptPlan(2, 'b').artifacts
    assert.deepEqual(await scene.verbs.attempt({ plan: { revision: 2, artifacts: table ? [table] : [] } }), {
      status: 'mixed',
    })
    assert.deepEqual(scene.everything(), before)
    await scene.start()
    assert.deepEqual(await attempt(scene, 2, 'b'), { status: 'mixed' })
    await scene.apply(attemptPlan(1, 'a'))
    assert.deepEqual(await attempt(scene, 2, 'b'), { status: 'applied', changed })
    await scene.start({ plane: 'none' })
    assert.deepEqual(await attempt(scene, 2, 'b'), { status: 'mixed' })
  },
)

scenario('is refused with the objects at fault, and changes nothing', async (scene) => {
  await scene.apply(planOf(1, nft([base(rule('r.1'))])))
  const before = scene.everything()
  const wrong = { ...planOf(2, nft([base(rule('r.1'), rule('r.7', 'tcp dport 99999'))])) }
  const { problems } = await scene.check(wrong)
  assert.deepEqual(problems, [{ field: 'r.7', message: 'Service out of range' }])
  assert.deepEqual(await scene.verbs.attempt({ plan: wrong }), { status: 'refused', problems })
  const dangerous = planOf(2, nft([base(rule('r.1')), chain('x', ['include "/etc/passwd"'])]))
  const refused = await scene.verbs.attempt({ plan: dangerous })
  assert.deepEqual(refused, { status: 'refused', problems: (await scene.check(dangerous)).problems })
  assert.equal(refused.status === 'refused' && refused.problems.length, 1)
  await assert.rejects(settle(scene, 2), /Revision 2 was not tried/)
  await assert.rejects(undo(scene, 2), /Revision 2 was not tried/)
  assert.deepEqual(scene.everything(), before)
})

scenario('is compared with the settled revision', async (scene) => {
  await scene.apply(attemptPlan(5, 'a'))
  await assert.rejects(attempt(scene, 4, 'b'), /Revision 4 is older than the applied revision 5/)
  await attempt(scene, 9, 'b')
  await assert.rejects(settle(scene, 8), /Revision 8 was not tried/)
  await undo(scene, 9)
  assert.deepEqual(await attempt(scene, 6, 'b'), { status: 'applied', changed })
})

scenario('needs no load when its tables are those that are applied', async (scene) => {
  await scene.apply(attemptPlan(1, 'a'))
  assert.deepEqual(await attempt(scene, 2, 'a'), { status: 'applied', changed: [] })
  assert.equal(scene.bench.record('intent.json'), null)
  await settle(scene, 2)
  assert.equal((await scene.observe()).appliedRevision, 2)
  assert.deepEqual(await attempt(scene, 3, 'a'), { status: 'applied', changed: [] })
  assert.deepEqual(await undo(scene, 3), { status: 'applied', changed: [] })
  await scene.start()
  assert.equal((await scene.observe()).appliedRevision, 2)
})

scenario('is undone before anything else is applied or tried', async (scene) => {
  await begin(scene)
  const before = scene.everything()
  await attempt(scene, 2, 'b')
  assert.deepEqual(await scene.apply(attemptPlan(1, 'a')), { status: 'applied', changed: [] })
  assert.deepEqual(scene.everything(), before)
  await attempt(scene, 2, 'b')
  assert.deepEqual(await attempt(scene, 2, 'a'), { status: 'applied', changed: [] })
  assert.deepEqual(scene.everything(), before)
  await settle(scene, 2)
  assert.equal((await scene.observe()).appliedRevision, 2)
})

scenario('is left alone by a check', async (scene) => {
  await begin(scene)
  await attempt(scene, 2, 'b')
  assert.deepEqual(await scene.check(attemptPlan(3, 'a')), { problems: [], unchecked: [] })
  await settle(scene, 2)
  assert.match(scene.bench.kernel(), /r\.more/)
})

scenario('is undone when its connection ends before it is settled, and only then', async (scene) => {
  await begin(scene)
  const before = scene.everything()
  const path = scene.applyd?.socketPath ?? ''
  const [client, other] = [new ApplydClient(path), new ApplydClient(path)]
  try {
    assert.equal((await client.apply(attemptPlan(1, 'a'))).status, 'applied')
    assert.equal((await client.attempt(attemptPlan(2, 'b'))).status, 'applied')
    await other.observe()
    other.close()
    await client.observe()
    assert.match(scene.bench.kernel(), /r\.more/)
    client.close()
    await until('the change is undone', () => !scene.bench.kernel().includes('r.more'))
    await until('its intent is gone', () => scene.bench.record('intent.json') === null)
    assert.deepEqual(scene.everything(), before)
    assert.deepEqual(await countsOf(scene), { 'r.a': 0, 'r.kept': 7, 'r.old': 5 })
  } finally {
    client.close()
    other.close()
  }
})

scenario('is settled by a connection that ends right after it said so', async (scene) => {
  await begin(scene)
  const client = new ApplydClient(scene.applyd?.socketPath ?? '')
  await client.apply(attemptPlan(1, 'a'))
  await client.attempt(attemptPlan(2, 'b'))
  const settled = client.settle(2)
  // The next attempt needs no answer: requests of one connection are done in their order.
  assert.deepEqual(await client.attempt(attemptPlan(3, 'a')), { status: 'applied', changed })
  await settled
  const last = client.settle(3)
  await last
  client.close()
  await until('the last revision is applied', async () => (await scene.observe()).appliedRevision === 3)
  assert.deepEqual(await countsOf(scene), { 'r.a': 0, 'r.kept': 7, 'r.old': 0 })
})

scenario(
  'is undone by the next start when its turn comes after the end of applyd began, without a fault',
  async (scene) => {
    const gate = scene.bench.path('gate')
    scene.bench.run('/usr/bin/mkfifo', gate)
    // It waits at the gate for a file with that word.
    const script = `if grep -q wait "$1"; then exec cat ${gate}; fi`
    const check = { program: '/bin/sh', args: ['-c', script, 'sh', '{stand.conf}'] }
    await scene.start({ tables: scene.bench.tables({ check }) })
    await begin(scene)
    const before = scene.everything()
    const client = connect(scene.applyd?.socketPath ?? '')
    const request = { id: 1, verb: 'attempt', args: { number: 1, plan: attemptPlan(2, 'b') } }
    client.resume().write(encodeFrame(request))
    await until('it is tried', () => scene.bench.record('intent.json') !== null)
    const waiting = scene.check(attemptPlan(3, 'a', 'well\nwait\n'))
    let writer: number | null = null
    await until('a check waits', () => {
      writer = openWaiting(gate)
      return writer !== null
    })
    client.end()
    await once(client, 'close')
    const closed = scene.applyd?.close()
    closeSync(writer ?? assert.fail())
    await Promise.all([waiting, closed])
    assert.doesNotMatch(scene.bench.log.join(''), /"level":"error"/)
    await scene.start()
    assert.deepEqual(scene.everything(), before)
  },
)

/** The end of a pipe to write to; null while no one reads it. */
function openWaiting(path: string): number | null {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return null
  }
}

scenario('is void after a reboot', async (scene) => {
  await scene.start({ kernel: 'boot one' })
  await begin(scene)
  await attempt(scene, 2, 'b')
  await scene.applyd?.close(true)
  scene.applyd = null
  assert.notEqual(scene.bench.record('intent.json'), null)
  scene.bench.nft('flush', 'ruleset')
  await scene.start({ kernel: 'boot two' })
  assert.equal(scene.bench.record('intent.json'), null)
  assert.equal((await scene.observe()).appliedRevision, null)
  assert.deepEqual(scene.bench.kernel().match(/^table .*/gm), ['table inet portcullis_boot {'])
})

scenario('is settled although its record cannot be written, and repeated after a restart', async (scene) => {
  await begin(scene)
  await scene.applyd?.close()
  scene.applyd = null
  await scene.start()
  await scene.apply(attemptPlan(1, 'a'))
  await attempt(scene, 2, 'b')
  rmSync(join(scene.bench.stateDir, 'applyd', 'rules.jsonl'))
  await settle(scene, 2)
  assert.equal((await scene.observe()).appliedRevision, 2)
  assert.notEqual(scene.bench.record('intent.json'), null)
  assert.equal((await attempt(scene, 3, 'a')).status, 'applied')
  await settle(scene, 3)
  assert.equal(scene.bench.record('intent.json'), null)
  await scene.start()
  assert.equal((await scene.observe()).appliedRevision, 3)
})

run()

/** The kernel holds one of the two plans whole, and applyd says which. */
async function assertWhole(bench: Bench, applyd: Applyd, isNew: boolean): Promise<void> {
  const seen = await applyd.verbs.observe({})
  assert.equal(seen.appliedRevision, isNew ? 2 : 1)
  assert.deepEqual([seen.tables[0]?.present, seen.tables[0]?.asLoaded], [true, true])
  assert.deepEqual(
    await countsOf(applyd),
    isNew ? { 'r.b': 0, 'r.kept': 7, 'r.more': 0 } : { 'r.a': 0, 'r.kept': 7, 'r.old': 5 },
  )
  assert.doesNotMatch(bench.kernel(), /portcullis_boot/)
  assert.equal(bench.record('intent.json'), null)
  const plan = attemptPlan(isNew ? 2 : 1, isNew ? 'b' : 'a')
  assert.deepEqual(await applyd.verbs.apply({ plan }), { status: 'applied', changed: [] })
}

const isAfterCommit = (name: FailpointName): boolean => name.startsWith('settle.')

type Way = (typeof bothWays)[number]

for (const way of bothWays)
  describe(`at any step of an attempt, by the nft ${way}`, { concurrency: 6 }, () => {
    for (const name of attemptFailpointNames) {
      test(`a kill at ${name} leaves the old rules or the new ones, whole, with their counts`, () => killAt(name, way))
      test(`a fault at ${name} leaves the old rules or the new ones, whole, with their counts`, () => failAt(name, way))
    }
  })

async function killAt(name: FailpointName, way: Way): Promise<void> {
  const bench = new Bench(way)
  try {
    const args = [bench.root, bench.namespace, way, String(bench.dnsPort), name]
    const script = join(import.meta.dirname, '..', 'stand-ins', 'kill-attempt.ts')
    const [runtime, plain] = ourRuntime
    const child = spawn(runtime, [plain, script, ...args], { stdio: 'inherit', env: compileCache })
    const [, signal] = await once(child, 'exit')
    assert.equal(signal, 'SIGKILL', 'the step was reached')
    const applyd = await bench.start()
    await assertWhole(bench, applyd, isAfterCommit(name))
    await applyd.close(true)
  } finally {
    bench.remove()
  }
}

async function failAt(name: FailpointName, way: Way): Promise<void> {
  const bench = new Bench(way)
  let isArmed = false
  try {
    const applyd = await bench.start({
      failpoint: (at) => {
        if (!isArmed || at !== name) return
        isArmed = false
        throw new Error(`broken at ${name}`)
      },
    })
    await applyd.verbs.apply({ plan: attemptPlan(1, 'a') })
    countPackets((...args) => bench.nft(...args))
    isArmed = true
    const tried = await applyd.verbs.attempt({ plan: attemptPlan(2, 'b') })
    assert.equal(tried.status, name.startsWith('attempt.') ? 'refused' : 'applied')
    if (name.startsWith('settle.')) await applyd.verbs.settle({ revision: 2 })
    if (name.startsWith('undo.')) {
      const outcome = await applyd.verbs.undo({ revision: 2 })
      assert.deepEqual([outcome.status, outcome.status === 'put_back' && outcome.restored], ['put_back', false])
      assert.deepEqual(await applyd.verbs.attempt({ plan: attemptPlan(2, 'b') }), { status: 'mixed' })
    }
    assert.equal(isArmed, false, 'the step was reached')
    await applyd.close()
    const next = await bench.start()
    await assertWhole(bench, next, isAfterCommit(name))
    await next.close(true)
  } finally {
    bench.remove()
  }
}
