// Changes in the background with real parts: engine, store, reconcile loop, socket, executor and a process. The
// engine's process is a stand-in that is ready when the test answers its probe.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { createScenarios, nft, piecesOf, type Scene } from '../../src/applyd/stand-ins/harness.ts'
import { ConfigEngine } from '../../src/core/config/engine.ts'
import { ConfigStore } from '../../src/core/config/store.ts'
import { strictObject } from '../../src/core/contract/fields.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { Database } from '../../src/core/database/database.ts'
import { read, single, write } from '../../src/core/model/slots.ts'
import type { AreaRules } from '../../src/core/plan/area.ts'
import { noFacts } from '../../src/core/plan/facts.ts'
import { createPlanner } from '../../src/core/plan/planner.ts'
import { ApplydClient } from '../../src/gatewayd/apply/client.ts'
import { startReconciler } from '../../src/gatewayd/apply/reconcile.ts'
import { slowAreaOf, slowSettings, withText } from '../support/slow-area.ts'
import { FakeClock } from '../support/test-gateway.ts'
import { until } from '../support/until.ts'

const { scenario, run } = createScenarios('a change in the background, on a real machine')

const mark = single('quick.mark', strictObject({ mark: Type.String() }), { mark: 'a' })
const quickArea: AreaRules = {
  name: 'quick',
  slots: [mark],
  render: (config) => [nft(piecesOf(read(config, mark).mark))],
}
const areas: readonly AreaRules[] = [quickArea, slowAreaOf('stand.conf', 'stand')]
const slots = areas.flatMap((area) => area.slots)

/** gatewayd without its HTTP service. */
class Gateway {
  readonly scene: Scene
  readonly engine: ConfigEngine
  readonly log: string[] = []
  readonly #database: Database
  readonly #client: ApplydClient
  readonly #reconciler: ReturnType<typeof startReconciler>

  constructor(scene: Scene) {
    this.scene = scene
    running.add(this)
    const clock = new FakeClock()
    this.#database = new Database(scene.bench.path('gateway.db'))
    this.#client = new ApplydClient(scene.applyd?.socketPath ?? assert.fail('applyd does not run'))
    this.engine = new ConfigEngine({
      slots,
      clock,
      database: this.#database,
      applier: this.#client,
      store: new ConfigStore(this.#database, slots),
      planner: createPlanner(areas),
      facts: () => noFacts,
      onCommit: () => {},
    })
    this.#reconciler = startReconciler(
      this.engine,
      async () => {},
      (_level, message) => this.log.push(message),
    )
  }

  change(text: string) {
    return this.engine.change({ edit: (config) => [withText(config, text), null], ...byTest })
  }

  setMark(value: string) {
    return this.engine.change({ edit: (config) => [write(config, mark, { mark: value }), null], ...byTest })
  }

  get state() {
    return this.engine.backgroundState('slow').state
  }

  /** Without waiting: work in applyd continues. */
  kill(): void {
    if (!running.delete(this)) return
    this.#reconciler.stop()
    this.engine.close()
    this.#client.close()
    this.#database.close()
  }
}

const running = new Set<Gateway>()

/** What still runs when a scenario ends is killed. */
const withGateways = (name: string, work: (scene: Scene) => Promise<void>): void =>
  scenario(name, async (scene) => {
    try {
      await work(scene)
    } finally {
      for (const gateway of running) if (gateway.scene === scene) gateway.kill()
      for (const door of doors) if (door.scene === scene) await shut(door.server)
    }
  })

const byTest = { actor: { login: 'admin', address: '127.0.0.1' }, reason: 'test' }

const doorOf = (scene: Scene): string => scene.bench.path('door')

const doors: { readonly scene: Scene; readonly server: Server }[] = []

/** The stand-in counts as ready while this is open, whatever it does. */
async function openDoor(scene: Scene): Promise<Server> {
  const server = createServer((socket) => socket.end()).listen(doorOf(scene))
  doors.push({ scene, server })
  await once(server, 'listening')
  return server
}

const shut = (door: Server): Promise<unknown> => new Promise((resolve) => door.close(resolve))

async function startGateway(scene: Scene): Promise<Gateway> {
  const probe = { kind: 'unix', path: doorOf(scene), timeoutMs: 600_000 } as const
  await scene.start({ tables: scene.bench.tables({ isSlow: true, reload: 'restart', probe }) })
  const gateway = new Gateway(scene)
  const door = await openDoor(scene)
  await gateway.change('well')
  await until('the first text is in force', () => gateway.state === 'applied')
  await shut(door)
  return gateway
}

withGateways('is answered at once, holds up no one, and is applied when the engine is ready', async (scene) => {
  const gateway = await startGateway(scene)
  await gateway.change('better')
  assert.equal(gateway.state, 'reloading')
  await until('the engine starts', () => scene.unitLog().includes('started as better'))
  await gateway.setMark('b')
  assert.match(scene.bench.kernel(), /firewall\.b/)
  assert.deepEqual([gateway.state, scene.bench.file('stand.conf')], ['reloading', 'better\n'])
  await openDoor(scene)
  await until('it is applied', () => gateway.state === 'applied')
  assert.equal((await scene.unitNow())?.state, 'active')
})

withGateways('that fails is reported in the words of the engine; the old file and process are back', async (scene) => {
  const gateway = await startGateway(scene)
  await gateway.change('die')
  await until('it failed', () => gateway.state === 'failed')
  assert.match(gateway.engine.backgroundState('slow').message, /cannot bind/)
  await until('the old file is back', () => scene.bench.file('stand.conf') === 'well\n')
  await openDoor(scene)
  await until('the old engine runs', async () => (await scene.unitNow())?.state === 'active')
  assert.equal(read(gateway.engine.config, slowSettings).text, 'die')
  await until('it is logged', () => gateway.log.length > 0)
  await gateway.setMark('b')
  assert.deepEqual([gateway.state, scene.bench.file('stand.conf')], ['failed', 'well\n'])
  await gateway.change('better')
  await until('the next change is applied', () => gateway.state === 'applied')
  assert.equal(scene.bench.file('stand.conf'), 'better\n')
})

withGateways('that the checker refuses is refused', async (scene) => {
  const gateway = await startGateway(scene)
  await assert.rejects(gateway.change('bad'), { code: 'invalid', message: /bad word/ })
  assert.deepEqual([gateway.state, scene.bench.file('stand.conf')], ['applied', 'well\n'])
})

const isStarted = (scene: Scene): boolean => /started as (better|die)/.test(scene.unitLog())

/** Where gatewayd is killed, and what has to be true first. */
const points: readonly (readonly [string, (scene: Scene, gateway: Gateway) => boolean])[] = [
  ['right after the answer', () => true],
  ['when the file is switched', (scene) => scene.bench.file('stand.conf') !== 'well\n'],
  ['while the engine starts', isStarted],
  ['when it is settled', (_, gateway) => gateway.state !== 'reloading'],
]

for (const [title, isReached] of points) {
  withGateways(`survives a kill of gatewayd ${title}, and succeeds`, async (scene) => {
    const first = await startGateway(scene)
    await openDoor(scene)
    await first.change('better')
    await until('the point is reached', () => isReached(scene, first))
    first.kill()
    const second = new Gateway(scene)
    await until('it is settled', () => second.state === 'applied')
    assert.equal(scene.bench.file('stand.conf'), 'better\n')
    assert.equal((await scene.unitNow())?.state, 'active')
  })

  withGateways(`survives a kill of gatewayd ${title}, and fails`, async (scene) => {
    const first = await startGateway(scene)
    await first.change('die')
    await until('the point is reached', () => isReached(scene, first))
    first.kill()
    const second = new Gateway(scene)
    await until('it is settled', () => second.state === 'failed')
    await until('the old file is back', () => scene.bench.file('stand.conf') === 'well\n')
    await openDoor(scene)
    await until('the old engine runs', async () => (await scene.unitNow())?.state === 'active')
  })
}

run()
