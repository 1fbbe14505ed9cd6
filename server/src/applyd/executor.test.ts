// What an apply does to rules, files, units and links, when nothing goes wrong with it.
// Requirement 51.

import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test/support/until.ts'
import type { Artifact, LinkPlan } from '../core/plan/artifacts.ts'
import type { FailpointName } from './context.ts'
import { Executor } from './executor.ts'
import { createProgramKernel } from './kernel/program.ts'
import { createBusy } from './loaded/busy.ts'
import { Ruleset } from './ruleset.ts'
import {
  type Bench,
  benchOptions,
  chain,
  createScenarios,
  file,
  fullPlan,
  nft,
  piecesOf,
  planOf,
  set,
  unit,
} from './stand-ins/harness.ts'
import { Supervisor } from './supervisor.ts'

const { scenario, run } = createScenarios('the executor')
const stand = (text: string) => [file('stand.conf', `${text}\n`), unit('stand')]

scenario('a plan is loaded whole and read back', async (scene) => {
  const outcome = await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
  assert.deepEqual(outcome, {
    status: 'applied',
    changed: ['nft inet portcullis', 'file dns.conf', 'file stand.conf', 'unit dns', 'unit stand'],
  })
  const seen = await scene.observe()
  assert.equal(seen.appliedRevision, 1)
  assert.deepEqual(seen.tables[0], { name: 'inet portcullis', present: true, asLoaded: true })
  assert.deepEqual((await scene.hits()).counts, [{ origin: 'firewall.a', packets: 0, bytes: 0 }])
  assert.deepEqual(
    seen.units.map(({ name, state }) => [name, state]),
    [
      ['dns', 'active'],
      ['stand', 'active'],
    ],
  )
  assert.equal(scene.bench.file('stand.conf'), 'well\na\n')
  assert.match(scene.bench.kernel(), /firewall\.a/)
  assert.equal(scene.bench.record('intent.json'), null)
  assert.deepEqual(readdirSync(join(scene.bench.stateDir, 'applyd', 'staging')), [])
})

scenario('the same plan again does nothing', async (scene) => {
  await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
  const pids = [scene.bench.unitPid('dns'), scene.bench.unitPid('stand')]
  const handles = scene.bench.nft('-a', 'list', 'table', 'inet', 'portcullis')
  const record = scene.bench.record('applied.json')
  assert.deepEqual(await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort)), { status: 'applied', changed: [] })
  assert.equal(scene.bench.nft('-a', 'list', 'table', 'inet', 'portcullis'), handles)
  assert.deepEqual([scene.bench.unitPid('dns'), scene.bench.unitPid('stand')], pids)
  assert.equal(scene.bench.record('applied.json'), record)
  assert.deepEqual(await scene.apply(fullPlan(2, 'a', scene.bench.dnsPort)), { status: 'applied', changed: [] })
  assert.equal((await scene.observe()).appliedRevision, 2)
})

scenario('an older revision is refused and changes nothing', async (scene) => {
  await scene.apply(fullPlan(5, 'a', scene.bench.dnsPort))
  const before = scene.everything()
  await assert.rejects(
    scene.apply(fullPlan(4, 'b', scene.bench.dnsPort)),
    /Revision 4 is older than the applied revision 5/,
  )
  assert.deepEqual(scene.everything(), before)
})

scenario(
  'what a plan no longer names is removed, and without a ruleset fail-closed rules are loaded',
  async (scene) => {
    await scene.apply(planOf(1, nft(piecesOf('a')), nft([set('s', [])], 'inet extra'), ...stand('well')))
    assert.match(scene.bench.kernel(), /inet extra/)
    const outcome = await scene.apply(planOf(2))
    assert.deepEqual(outcome.status === 'applied' && outcome.changed, [
      'nft inet portcullis',
      'nft inet extra',
      'file stand.conf',
      'unit stand',
    ])
    assert.equal(scene.bench.file('stand.conf'), null)
    await until('no process is left', () => scene.bench.processes().length === 0)
    assert.doesNotMatch(scene.bench.kernel(), /table inet (portcullis|extra) /)
    assert.match(scene.bench.kernel(), /table inet portcullis_boot \{[^}]*hook forward[^}]*policy drop/)
    assert.deepEqual(await scene.apply(planOf(2)), { status: 'applied', changed: [] })
    scene.bench.nft('flush', 'ruleset')
    assert.deepEqual(await scene.apply(planOf(2)), { status: 'applied', changed: ['nft inet portcullis'] })
    assert.match(scene.bench.kernel(), /portcullis_boot/)
  },
)

const drifts: Record<string, (bench: Bench) => void> = {
  'a flushed ruleset': (bench) => bench.nft('flush', 'ruleset'),
  'a flushed chain': (bench) => bench.nft('flush', 'chain', 'inet', 'portcullis', 'forward'),
  'an added rule': (bench) => bench.nft('add', 'rule', 'inet', 'portcullis', 'forward', 'accept'),
  'another policy': (bench) => bench.nft('chain', 'inet', 'portcullis', 'forward', '{ policy accept; }'),
  'an edited file': (bench) => writeFileSync(bench.path('etc/stand.conf'), 'well\nother\n'),
  'a readable file': (bench) => chmodSync(bench.path('etc/stand.conf'), 0o666),
  'a removed file': (bench) => rmSync(bench.path('etc/stand.conf')),
  'a planted link': (bench) => {
    rmSync(bench.path('etc/stand.conf'))
    symlinkSync('/etc/passwd', bench.path('etc/stand.conf'))
  },
}
for (const [name, disturb] of Object.entries(drifts)) {
  scenario(`applying the same plan repairs ${name}`, async (scene) => {
    const plan = planOf(1, nft(piecesOf('a')), ...stand('well\na'))
    await scene.apply(plan)
    const before = scene.everything()
    disturb(scene.bench)
    // The unit may have read a file as it was.
    const changed = /file|link/.test(name) ? ['file stand.conf', 'unit stand'] : ['nft inet portcullis']
    assert.deepEqual(await scene.apply(plan), { status: 'applied', changed })
    assert.deepEqual({ ...scene.everything(), record: null }, { ...before, record: null })
    assert.equal((await scene.observe()).tables[0]?.asLoaded, true)
  })
}

scenario('counters and elements that the kernel adds are not drift', async (scene) => {
  const output = 'type filter hook output priority filter; policy accept;'
  const count = 'ip daddr 127.0.0.1 counter add @seen { ip daddr } comment "count"'
  const pieces = [
    ...piecesOf('a'),
    set('seen', [], 'type ipv4_addr; flags dynamic; size 99'),
    chain('out', [count], output),
  ]
  await scene.apply(planOf(1, nft(pieces)))
  assert.equal((await scene.observe()).tables[0]?.asLoaded, true)
  scene.bench.nft('add', 'element', 'inet', 'portcullis', 'seen', '{ 192.0.2.7 }')
  assert.equal((await scene.observe()).tables[0]?.asLoaded, true)
  assert.deepEqual(await scene.apply(planOf(1, nft(pieces))), { status: 'applied', changed: [] })
})

scenario('the data plane none checks and applies nothing', async (scene) => {
  await scene.applyd?.close()
  scene.bench.nft('flush', 'ruleset')
  await scene.start({ plane: 'none', limitation: 'This machine does not allow rules to be loaded.' })
  const plan = planOf(1, nft([chain('x', ['bogus comment "firewall.bogus"'])]), ...stand('bad'))
  assert.deepEqual(
    (await scene.check(plan)).problems.map((problem) => problem.field),
    ['firewall.bogus', 'stand'],
  )
  assert.deepEqual(await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort)), {
    status: 'stored',
    reason: 'This machine does not allow rules to be loaded.',
  })
  assert.equal(scene.bench.kernel(), '')
  assert.equal(scene.bench.file('stand.conf'), null)
  const seen = await scene.observe()
  assert.deepEqual([seen.plane, seen.appliedRevision, seen.tables[0]?.present], ['none', null, false])
})

scenario('the data plane none works where nothing is installed, and reports what was not checked', async (scene) => {
  const tables = scene.bench.tables()
  await scene.start({
    plane: 'none',
    tables: { ...tables, nft: { ...tables.nft, way: 'program', command: ['/nowhere/nft'] } },
  })
  assert.deepEqual(await scene.check(planOf(1, nft(piecesOf('a')))), {
    problems: [],
    unchecked: [{ artifact: 'nft inet portcullis', reason: '/nowhere/nft is not installed.' }],
  })
  assert.equal((await scene.observe()).tables[0]?.present, false)
})

scenario('applies run one at a time, in the order they came', async (scene) => {
  const outcomes = await Promise.all(
    [1, 2, 3, 4].map((revision) => scene.apply(planOf(revision, nft(piecesOf(`r${revision}`))))),
  )
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['applied', 'applied', 'applied', 'applied'],
  )
  assert.match(scene.bench.kernel(), /firewall\.r4/)
})

scenario('an instance of a template runs as long as a plan names it, and outlives a restart', async (scene) => {
  const names = ['stand-for.lan0', 'stand-for.wan.7'] as const
  await scene.apply(planOf(1, file('stand.conf', 'well\n'), ...names.map(unit)))
  const states = async () => (await scene.observe()).units.map(({ name, state }) => `${name} ${state}`)
  assert.deepEqual(await states(), [
    'dns inactive',
    'stand inactive',
    'stand-for.lan0 active',
    'stand-for.wan.7 active',
  ])
  const pid = scene.bench.unitPid('stand-for.lan0')
  await scene.start()
  const outcome = await scene.apply(planOf(2, file('stand.conf', 'well\n'), unit('stand-for.lan0')))
  assert.deepEqual(outcome.status === 'applied' && outcome.changed, ['unit stand-for.wan.7'])
  assert.deepEqual(await states(), ['dns inactive', 'stand inactive', 'stand-for.lan0 active'])
  assert.equal(scene.bench.unitPid('stand-for.lan0'), pid)
})

scenario('an optional unit may fail, and its status shows it', async (scene) => {
  const output = { path: scene.bench.path('output/stand.json'), mode: 0o640, maxBytes: 1000 }
  await scene.start({ tables: scene.bench.tables({ isOptional: true, output }) })
  assert.equal((await scene.apply(planOf(1, ...stand('die')))).status, 'applied')
  await until('its last message is reported', async () => {
    const unit = await scene.unitNow()
    return unit?.state === 'failed' && /address in use/.test(unit.message)
  })
  assert.deepEqual(await scene.apply(planOf(1, ...stand('die'))), { status: 'applied', changed: [] })
  assert.equal((await scene.apply(planOf(2, ...stand('well')))).status, 'applied')
  // One that was just started again may have read the new file before the signal reaches it, and then says so twice.
  await until('its output is in its file', () =>
    /started as well\n(now well\n)?$/.test(readFileSync(output.path, 'utf8')),
  )
  assert.equal(statSync(output.path).mode & 0o777, 0o640)
  writeFileSync(output.path, 'x'.repeat(1001))
  await until('the file is emptied', () => statSync(output.path).size === 0)
})

/** A stand-in for the links of the kernel. */
function createNetwork() {
  const network = {
    links: null as readonly LinkPlan[] | null,
    adopted: null as readonly LinkPlan[] | null,
    calls: 0,
    adopt: (links: readonly LinkPlan[]) => {
      network.adopted = links
    },
    apply: async (links: readonly LinkPlan[] | null) => {
      network.calls += 1
      network.links = links
    },
    isCurrent: async (links: readonly LinkPlan[] | null) => JSON.stringify(links) === JSON.stringify(network.links),
    observe: () => [],
    vet: (links: readonly LinkPlan[]) => links.filter(({ device }) => device === 'bad').map(() => 'This is bad.'),
  }
  return network
}

scenario(
  'an attacker at a new link meets rules that know it: links are applied after rules, left alone without an artifact, and reverted',
  async (scene) => {
    await scene.applyd?.close()
    scene.applyd = null
    const network = createNetwork()
    const ways = {
      differences: async () => ({ ways: [], areSettings: false }),
      open: async () => {},
      close: async () => {},
      set: async () => {},
      ensure: async () => {},
      observe: async () => ({}),
      giveUp: async () => false,
    }
    const { stateDir } = scene.bench
    const linksAtLoad: (string | undefined)[] = []
    const failpoint = (name: FailpointName) => {
      if (name === 'nft.loaded') linksAtLoad.push(network.links?.[0]?.device)
      if (name === 'network.switched' && network.links?.[0]?.device === 'lan1') throw new Error('made to fail')
    }
    const folders = { directory: join(stateDir, 'applyd'), logs: join(stateDir, 'log') }
    const context = { ...benchOptions(stateDir, scene.bench.tables()), ...folders, failpoint }
    const supervisor = new Supervisor(context)
    const kernel = createProgramKernel(context.tables.nft)
    const start = async () => {
      const busy = createBusy()
      const executor = new Executor(context, {
        supervisor,
        ruleset: new Ruleset(context, kernel, busy),
        busy,
        network,
        ways,
      })
      await executor.recover()
      return executor
    }
    const links = (device: string): Artifact => {
      const rest = { make: null, isUp: true, addresses: ['10.0.0.1/24'], routes: [], mirrors: [] }
      return { kind: 'network', name: 'links', links: [{ origin: 'network.connections[1]', device, ...rest }] }
    }
    const executor = await start()
    linksAtLoad.length = 0
    const first = await executor.apply(planOf(1, nft(piecesOf('a')), links('lan0')))
    assert.deepEqual(first, { status: 'applied', changed: ['nft inet portcullis', 'network links'] })
    assert.deepEqual(linksAtLoad, [undefined])
    const failed = await executor.apply(planOf(2, nft(piecesOf('b')), links('lan1')))
    assert.deepEqual(failed.status === 'put_back' && failed.restored, true)
    assert.equal(network.links?.[0]?.device, 'lan0')
    // One that starts again knows its cards before the next plan: other programs may set them up too.
    assert.equal(network.adopted, null)
    await start()
    assert.equal((network.adopted as readonly LinkPlan[] | null)?.[0]?.device, 'lan0')
    const { calls } = network
    assert.equal((await executor.apply(planOf(3, nft(piecesOf('c'))))).status, 'applied')
    assert.equal(network.calls, calls)
    const report = await (await start()).check(planOf(4, nft(piecesOf('c')), links('bad')))
    assert.deepEqual(report.problems, [{ field: 'network', message: 'This is bad.' }])
    await supervisor.close(true)
  },
)

run()
