// Units whose start or reload takes long: an apply does not wait for them, and the observation shows the result. The test
// decides when such a unit is ready, by answering its probe.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { until } from '../../test/support/until.ts'
import type { UnitSpec } from '../engines/kit/tables.ts'
import { createScenarios, file, nft, piecesOf, planOf, type Scene, unit } from './stand-ins/harness.ts'

const { scenario, run } = createScenarios('slow units')

const slowPlan = (revision: number, text: string, mark = 'a') =>
  planOf(revision, nft(piecesOf(mark)), file('stand.conf', `${text}\n`), unit('stand'))

/** Answers the probe of the unit while it is open. */
async function openDoor(path: string): Promise<Server> {
  const door = createServer((socket) => socket.end()).listen(path)
  await once(door, 'listening')
  return door
}

const shut = (door: Server): Promise<unknown> => new Promise((resolve) => door.close(resolve))

async function startSlow(scene: Scene, more: Partial<UnitSpec> = {}): Promise<string> {
  const path = scene.bench.path('door')
  const probe = { kind: 'unix', path, timeoutMs: 600_000 } as const
  await scene.start({ tables: scene.bench.tables({ isSlow: true, reload: 'restart', probe, ...more }) })
  return path
}

const stateNow = async (scene: Scene) => (await scene.unitNow())?.state
const isStarted = (scene: Scene, mode: string) => until('the unit is started', () => scene.unitLog().includes(mode))

scenario('do not delay an apply, nor the next one', async (scene) => {
  const path = await startSlow(scene)
  assert.equal((await scene.apply(slowPlan(1, 'well'))).status, 'applied')
  assert.equal(await stateNow(scene), 'activating')
  assert.deepEqual(await scene.apply(slowPlan(2, 'well', 'b')), { status: 'applied', changed: ['nft inet portcullis'] })
  assert.match(scene.bench.kernel(), /firewall\.b/)
  assert.equal(await stateNow(scene), 'activating')
  const door = await openDoor(path)
  await until('it is active', async () => (await stateNow(scene)) === 'active')
  assert.deepEqual(await scene.apply(slowPlan(2, 'well', 'b')), { status: 'applied', changed: [] })
  await shut(door)
})

scenario('that end are shown as failed with their message, and accept the next change', async (scene) => {
  const path = await startSlow(scene)
  const door = await openDoor(path)
  await scene.apply(slowPlan(1, 'well'))
  await until('it is active', async () => (await stateNow(scene)) === 'active')
  await shut(door)
  assert.equal((await scene.apply(slowPlan(2, 'die'))).status, 'applied')
  await until('it failed', async () => (await stateNow(scene)) === 'failed')
  assert.match((await scene.unitNow())?.message ?? '', /cannot bind/)
  const again = await openDoor(path)
  assert.equal((await scene.apply(slowPlan(2, 'well'))).status, 'applied')
  await until('it is active again', async () => (await stateNow(scene)) === 'active')
  await shut(again)
})

scenario('take the last of several changes', async (scene) => {
  const path = await startSlow(scene)
  for (const [index, text] of ['one', 'two', 'three'].entries())
    assert.equal((await scene.apply(slowPlan(index + 1, text))).status, 'applied')
  await isStarted(scene, 'started as three')
  const door = await openDoor(path)
  await until('it is active', async () => (await stateNow(scene)) === 'active')
  assert.match(scene.unitLog(), /started as three\n$/)
  await shut(door)
})

scenario('are not taken for ready by an applyd that was restarted since', async (scene) => {
  const path = await startSlow(scene)
  await scene.apply(slowPlan(1, 'well'))
  await isStarted(scene, 'started as well')
  const pid = scene.bench.unitPid('stand')
  await startSlow(scene)
  assert.equal(await stateNow(scene), 'reloading')
  assert.deepEqual(await scene.apply(slowPlan(1, 'well')), { status: 'applied', changed: [] })
  const door = await openDoor(path)
  await until('it is active', async () => (await stateNow(scene)) === 'active')
  assert.equal(scene.bench.unitPid('stand'), pid)
  await shut(door)
})

scenario('are ended while they start, when they are no longer wanted', async (scene) => {
  await startSlow(scene)
  await scene.apply(slowPlan(1, 'well'))
  await isStarted(scene, 'started as well')
  assert.equal((await scene.apply(planOf(2, nft(piecesOf('a'))))).status, 'applied')
  assert.equal(await stateNow(scene), 'inactive')
  assert.equal(scene.bench.unitPid('stand'), null)
})

scenario('keep their checker: what it refuses changes nothing', async (scene) => {
  await startSlow(scene)
  await scene.apply(slowPlan(1, 'well'))
  const { problems } = await scene.check(slowPlan(2, 'bad'))
  assert.deepEqual(
    problems.map(({ field }) => field),
    ['stand'],
  )
  assert.equal((await scene.apply(slowPlan(2, 'bad'))).status, 'put_back')
  assert.equal(scene.bench.file('stand.conf'), 'well\n')
})

scenario('are reverted with a plan that fails for another reason', async (scene) => {
  const path = await startSlow(scene)
  const door = await openDoor(path)
  await scene.apply(slowPlan(1, 'well'))
  await until('it is active', async () => (await stateNow(scene)) === 'active')
  const dns = [file('dns.conf', 'port=1\nlisten-address=192.0.2.1\nbind-interfaces\n'), unit('dns')]
  const outcome = await scene.apply(planOf(2, nft(piecesOf('a')), file('stand.conf', 'other\n'), unit('stand'), ...dns))
  assert.equal(outcome.status, 'put_back')
  assert.equal(scene.bench.file('stand.conf'), 'well\n')
  await until('it is active', async () => (await stateNow(scene)) === 'active')
  await until('it runs with the old file', () => /started as well\n$/.test(scene.unitLog()))
  await shut(door)
})

run()
