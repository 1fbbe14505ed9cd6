// What is reverted when an apply fails half way, and which records are trusted after a restart or a reboot.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test/support/until.ts'
import type { FailpointName } from './context.ts'
import {
  createScenarios,
  dnsText,
  file,
  fullPlan,
  longAlive,
  nft,
  piecesOf,
  planOf,
  problemsOf,
  unit,
} from './stand-ins/harness.ts'

const { scenario, run } = createScenarios('recovery')
const stand = (text: string) => [file('stand.conf', `${text}\n`), unit('stand')]

scenario('a unit that dies at its start reverts everything, and its last message is reported', async (scene) => {
  await scene.start({ tables: scene.bench.tables({ reload: 'restart', probe: longAlive }) })
  assert.equal((await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))).status, 'applied')
  const before = scene.everything()
  const outcome = await scene.apply(fullPlan(2, 'b', scene.bench.dnsPort, 'die'))
  assert.deepEqual(outcome, {
    status: 'put_back',
    problems: [{ field: 'stand', message: 'stand ended right after its start: cannot bind: address in use' }],
    restored: true,
  })
  assert.deepEqual(scene.everything(), before)
  const seen = await scene.observe()
  assert.equal(seen.appliedRevision, 1)
  assert.equal(seen.tables[0]?.asLoaded, true)
  assert.deepEqual(
    seen.units.map((unit) => unit.state),
    ['active', 'active'],
  )
})

scenario('a unit that never answers reverts everything', async (scene) => {
  await scene.applyd?.close()
  const probe = { kind: 'tcp', host: '127.0.0.1', port: 1, timeoutMs: 3000 } as const
  await scene.start({ tables: scene.bench.tables({ probe }) })
  await scene.apply(planOf(1, nft(piecesOf('a'))))
  const before = scene.everything()
  const outcome = await scene.apply(planOf(2, nft(piecesOf('b')), ...stand('well')))
  assert.deepEqual(outcome, {
    status: 'put_back',
    problems: [{ field: 'stand', message: 'stand does not answer. started as well' }],
    restored: true,
  })
  assert.deepEqual(scene.everything(), before)
  await until('no process is left', () => scene.bench.processes().length === 0)
})

scenario('a program that is missing reverts everything', async (scene) => {
  await scene.start({ tables: scene.bench.tables({ program: '/nowhere/engine', probe: longAlive }) })
  const outcome = await scene.apply(planOf(1, nft(piecesOf('a')), ...stand('well')))
  assert.match(problemsOf(outcome)[0]?.message ?? '', /^stand ended right after its start: .*No such file/)
  assert.match(scene.bench.kernel(), /portcullis_boot/)
  assert.equal((await scene.observe()).appliedRevision, null)
})

scenario('faults of the revert are added to the first fault, and the next apply repairs them', async (scene) => {
  await scene.applyd?.close()
  let isBroken = false
  const failpoint = (name: string) => {
    if (isBroken && (name === 'probed' || name === 'restore.tables')) throw new Error(`broken at ${name}`)
  }
  await scene.start({ failpoint })
  await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
  isBroken = true
  assert.deepEqual(await scene.apply(fullPlan(2, 'b', scene.bench.dnsPort)), {
    status: 'put_back',
    problems: [
      { field: 'apply', message: 'broken at probed' },
      { field: 'apply', message: 'The revert failed: broken at restore.tables' },
    ],
    restored: false,
  })
  isBroken = false
  assert.equal((await scene.observe()).tables[0]?.asLoaded, false)
  assert.equal((await scene.apply(fullPlan(3, 'c', scene.bench.dnsPort))).status, 'applied')
  assert.match(scene.bench.kernel(), /firewall\.c/)
  assert.equal(scene.bench.record('intent.json'), null)
})

scenario(
  'before the first apply fail-closed rules are loaded; the first ruleset removes them in the same load',
  async (scene) => {
    assert.match(scene.bench.kernel(), /table inet portcullis_boot \{[^}]*hook forward[^}]*policy drop/)
    assert.deepEqual((await scene.observe()).tables[0], {
      name: 'inet portcullis',
      present: false,
      asLoaded: false,
    })
    await scene.apply(planOf(1, nft(piecesOf('a'))))
    assert.doesNotMatch(scene.bench.kernel(), /portcullis_boot/)
  },
)

scenario(
  'after a reboot the record is not valid: nothing counts as applied and the next apply loads everything',
  async (scene) => {
    await scene.start({ kernel: 'boot one' })
    await scene.apply(fullPlan(7, 'a', scene.bench.dnsPort))
    await scene.applyd?.close()
    scene.bench.nft('flush', 'ruleset')
    await scene.start({ kernel: 'boot two' })
    assert.equal((await scene.observe()).appliedRevision, null)
    assert.match(scene.bench.kernel(), /portcullis_boot/)
    await until('units of the other kernel are ended', () => scene.bench.processes().length === 0)
    const outcome = await scene.apply(fullPlan(7, 'a', scene.bench.dnsPort))
    assert.deepEqual(outcome.status === 'applied' && outcome.changed, ['nft inet portcullis', 'unit dns', 'unit stand'])
  },
)

scenario('a restart without a reboot keeps the record and touches neither rules nor engines', async (scene) => {
  await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
  const pids = [scene.bench.unitPid('dns'), scene.bench.unitPid('stand')]
  const handles = scene.bench.nft('-a', 'list', 'ruleset')
  await scene.start()
  assert.equal((await scene.observe()).appliedRevision, 1)
  assert.equal(scene.bench.nft('-a', 'list', 'ruleset'), handles)
  assert.deepEqual(await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort)), { status: 'applied', changed: [] })
  assert.deepEqual([scene.bench.unitPid('dns'), scene.bench.unitPid('stand')], pids)
})

scenario('a table that was deleted while applyd did not run makes the record invalid', async (scene) => {
  await scene.apply(planOf(1, nft(piecesOf('a'))))
  await scene.applyd?.close()
  scene.bench.nft('delete', 'table', 'inet', 'portcullis')
  await scene.start()
  assert.equal((await scene.observe()).appliedRevision, null)
  assert.match(scene.bench.kernel(), /portcullis_boot/)
})

scenario('an unreadable record is ignored and made again', async (scene) => {
  await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
  await scene.applyd?.close()
  for (const name of ['applied.json', 'units.json', 'intent.json'])
    writeFileSync(join(scene.bench.stateDir, 'applyd', name), '{"half')
  await scene.start()
  assert.equal((await scene.observe()).appliedRevision, null)
  await until('unknown processes are ended', () => scene.bench.processes().length === 0)
  assert.equal((await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))).status, 'applied')
})

scenario('after a failed revert, the next failure reverts to the last complete state', async (scene) => {
  let broken: readonly FailpointName[] = []
  const failpoint = (name: FailpointName) => {
    if (broken.includes(name)) throw new Error(`broken at ${name}`)
  }
  await scene.start({ failpoint })
  await scene.apply(planOf(1, nft(piecesOf('a')), ...stand('well-a')))
  const before = scene.everything()
  broken = ['probed', 'restore.files', 'restore.tables', 'restore.units']
  const torn = await scene.apply(fullPlan(2, 'b', scene.bench.dnsPort, 'well-b'))
  assert.equal(torn.status === 'put_back' && torn.restored, false)
  assert.match(scene.bench.kernel(), /firewall\.b/)
  broken = ['probed']
  const outcome = await scene.apply(planOf(3, nft(piecesOf('c')), file('dns.conf', dnsText(scene.bench.dnsPort))))
  assert.deepEqual(outcome, {
    status: 'put_back',
    problems: [{ field: 'apply', message: 'broken at probed' }],
    restored: true,
  })
  assert.deepEqual(scene.everything(), before)
  assert.deepEqual(
    (await scene.observe()).units.map((unit) => unit.state),
    ['inactive', 'active'],
  )
})

scenario('a reboot in the middle of an apply restores the files and loads fail-closed rules', async (scene) => {
  let isBroken = false
  const failpoint = (name: FailpointName) => {
    if (isBroken && (name === 'probed' || name.startsWith('restore.'))) throw new Error('power cut')
  }
  await scene.start({ failpoint, kernel: 'boot one' })
  await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
  isBroken = true
  await scene.apply(fullPlan(2, 'b', scene.bench.dnsPort))
  assert.equal(scene.bench.file('stand.conf'), 'well\nb\n')
  await scene.applyd?.close(true)
  scene.bench.nft('flush', 'ruleset')
  await scene.start({ kernel: 'boot two' })
  assert.equal(scene.bench.file('stand.conf'), 'well\na\n')
  assert.equal(scene.bench.record('intent.json'), null)
  assert.deepEqual(scene.bench.kernel().match(/^table .*/gm), ['table inet portcullis_boot {'])
  await until('no process is left', () => scene.bench.processes().length === 0)
  assert.equal((await scene.observe()).appliedRevision, null)
})

scenario('a record of another kernel is ignored even where a table of that name exists', async (scene) => {
  await scene.start({ kernel: 'boot one' })
  await scene.apply(planOf(1, nft(piecesOf('a'))))
  await scene.start({ kernel: 'boot two' })
  const seen = await scene.observe()
  assert.deepEqual([seen.appliedRevision, seen.tables[0]?.present, seen.tables[0]?.asLoaded], [null, true, false])
  const outcome = await scene.apply(planOf(1, nft(piecesOf('a'))))
  assert.deepEqual(outcome, { status: 'applied', changed: ['nft inet portcullis'] })
})

run()
