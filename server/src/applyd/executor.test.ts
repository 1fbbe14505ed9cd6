import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Artifact, LinkPlan, Outcome } from '../plan/artifacts.ts'
import type { FailpointName } from './applyd.ts'
import { createExecutor } from './executor.ts'
import { createRuleset } from './ruleset.ts'
import {
  type Bench,
  benchOptions,
  chain,
  createScenarios,
  dnsText,
  file,
  fullPlan,
  nft,
  piecesOf,
  planOf,
  set,
  unit,
  waitFor,
} from './stand-ins/harness.ts'
import { createSupervisor } from './supervisor.ts'

const { scenario, run } = createScenarios('the executor')
const problemsOf = (outcome: Outcome) => (outcome.status === 'put_back' ? outcome.problems : [])
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

scenario('what a plan no longer names goes away, and without a ruleset the way is closed', async (scene) => {
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
  assert.deepEqual(scene.bench.processes(), [])
  assert.doesNotMatch(scene.bench.kernel(), /table inet (portcullis|extra) /)
  assert.match(scene.bench.kernel(), /table inet portcullis_boot \{[^}]*hook forward[^}]*policy drop/)
  assert.deepEqual(await scene.apply(planOf(2)), { status: 'applied', changed: [] })
  scene.bench.nft('flush', 'ruleset')
  assert.deepEqual(await scene.apply(planOf(2)), { status: 'applied', changed: ['nft inet portcullis'] })
  assert.match(scene.bench.kernel(), /portcullis_boot/)
})

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
    const outcome = await scene.apply(plan)
    assert.equal(outcome.status === 'applied' && outcome.changed.length, 1)
    assert.deepEqual({ ...scene.everything(), record: null }, { ...before, record: null })
    assert.equal((await scene.observe()).tables[0]?.asLoaded, true)
  })
}

scenario('counters and elements that the kernel adds are no drift', async (scene) => {
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

scenario('a refusal of nft names the object of each rule and changes nothing', async (scene) => {
  await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
  const before = scene.everything()
  const wrong = [
    'tcp dport 99999 accept comment "firewall.forward.7"',
    'ip saddr 1.2.3.4/55 drop comment "firewall.forward.8"',
  ]
  const plan = { ...fullPlan(2, 'b', scene.bench.dnsPort), artifacts: [nft(piecesOf('b', ...wrong))] }
  const report = await scene.check(plan)
  assert.deepEqual(
    report.problems.map((problem) => problem.field),
    ['firewall.forward.7', 'firewall.forward.8'],
  )
  assert.equal(report.problems[0]?.message, 'Service out of range')
  assert.deepEqual(scene.everything(), before)
  const outcome = await scene.apply(plan)
  assert.deepEqual(outcome, { status: 'put_back', problems: report.problems, restored: true })
  assert.deepEqual(scene.everything(), before)
})

scenario('every checker is asked, and all refusals are answered at once', async (scene) => {
  const report = await scene.check(
    planOf(
      1,
      nft([chain('x', ['jump nowhere comment "firewall.jump"'])]),
      file('dns.conf', `${dnsText(scene.bench.dnsPort)}address=//\ncache-size=none\n`),
      unit('dns'),
      ...stand('bad'),
    ),
  )
  assert.deepEqual(
    report.problems.map((problem) => problem.field),
    ['firewall.jump', 'dns', 'stand'],
  )
  assert.match(report.problems[1]?.message ?? '', /^dnsmasq: bad option at line \d of dns\.conf|^dnsmasq: .*dns\.conf/)
  assert.equal(report.problems[2]?.message, 'stand.conf: line 1: bad word')
  assert.equal(JSON.stringify(report).includes(scene.bench.root), false)
})

scenario('a checker that is not installed is told, not passed over in silence', async (scene) => {
  await scene.applyd?.close()
  const tables = scene.bench.tables({ check: { program: '/nowhere/check', args: [] } })
  await scene.start({ tables })
  const report = await scene.check(planOf(1, ...stand('well')))
  assert.deepEqual(report, {
    problems: [],
    unchecked: [{ artifact: 'unit stand', reason: '/nowhere/check is not installed.' }],
  })
})

scenario('directives the engine would accept are refused, and its checker never sees the file', async (scene) => {
  const dangerous = [
    'conf-file=/etc/passwd',
    'dhcp-script=/bin/sh',
    'log-facility=/tmp/x',
    'enable-tftp',
    'conf-dir=/tmp',
  ]
  for (const line of dangerous) {
    const text = dnsText(scene.bench.dnsPort, `${line}\n`)
    const { problems } = await scene.check(planOf(1, file('dns.conf', text), unit('dns')))
    assert.deepEqual(problems, [
      { field: 'dns.conf', message: 'Line 6 of dns.conf holds a directive that is not allowed.' },
    ])
  }
})

scenario('a unit without its file is refused', async (scene) => {
  const { problems } = await scene.check(planOf(1, unit('dns')))
  assert.deepEqual(problems, [{ field: 'dns', message: 'dns needs dns.conf, which is not part of the plan.' }])
})

scenario('control characters in a file are refused', async (scene) => {
  for (const character of ['\r', '\0', '\x1b', '\x85', '\u2028', '\x7f'])
    assert.equal((await scene.check(planOf(1, ...stand(`well${character}x`)))).problems.length, 1)
})

scenario('a unit that dies at its start puts everything back, with its own words', async (scene) => {
  await scene.start({ tables: scene.bench.tables({ reload: 'restart' }) })
  await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
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

scenario('a unit that never answers puts everything back', async (scene) => {
  await scene.applyd?.close()
  const probe = { kind: 'tcp', host: '127.0.0.1', port: 1, timeoutMs: 150 } as const
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
  assert.deepEqual(scene.bench.processes(), [])
})

scenario('a program that is missing puts everything back', async (scene) => {
  await scene.start({ tables: scene.bench.tables({ program: '/nowhere/engine' }) })
  const outcome = await scene.apply(planOf(1, nft(piecesOf('a')), ...stand('well')))
  assert.match(problemsOf(outcome)[0]?.message ?? '', /^stand ended right after its start: .*No such file/)
  assert.match(scene.bench.kernel(), /portcullis_boot/)
  assert.equal((await scene.observe()).appliedRevision, null)
})

scenario('faults of the put-back are added to the first fault and the next apply heals', async (scene) => {
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
      { field: 'apply', message: 'Put back: broken at restore.tables' },
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
  'before the first apply the way is closed; the first ruleset takes the boot rules away in the same load',
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
  'after a reboot the record is void: nothing counts as applied and the next apply loads everything',
  async (scene) => {
    await scene.start({ kernel: 'boot one' })
    await scene.apply(fullPlan(7, 'a', scene.bench.dnsPort))
    await scene.applyd?.close()
    scene.bench.nft('flush', 'ruleset')
    await scene.start({ kernel: 'boot two' })
    assert.equal((await scene.observe()).appliedRevision, null)
    assert.match(scene.bench.kernel(), /portcullis_boot/)
    await waitFor('units of the other kernel are ended', () => scene.bench.processes().length === 0)
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

scenario('a table that somebody deleted while applyd was away voids the record', async (scene) => {
  await scene.apply(planOf(1, nft(piecesOf('a'))))
  await scene.applyd?.close()
  scene.bench.nft('delete', 'table', 'inet', 'portcullis')
  await scene.start()
  assert.equal((await scene.observe()).appliedRevision, null)
  assert.match(scene.bench.kernel(), /portcullis_boot/)
})

scenario('an unreadable record is ignored and found out anew', async (scene) => {
  await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
  await scene.applyd?.close()
  for (const name of ['applied.json', 'units.json', 'intent.json'])
    writeFileSync(join(scene.bench.stateDir, 'applyd', name), '{"half')
  await scene.start()
  assert.equal((await scene.observe()).appliedRevision, null)
  await waitFor('unknown processes are ended', () => scene.bench.processes().length === 0)
  assert.equal((await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))).status, 'applied')
})

scenario('the data plane none checks and applies nothing', async (scene) => {
  await scene.applyd?.close()
  scene.bench.nft('flush', 'ruleset')
  await scene.start({ plane: 'none', limitation: 'This machine lets nobody load rules.' })
  const plan = planOf(1, nft([chain('x', ['bogus comment "firewall.bogus"'])]), ...stand('bad'))
  assert.deepEqual(
    (await scene.check(plan)).problems.map((problem) => problem.field),
    ['firewall.bogus', 'stand'],
  )
  assert.deepEqual(await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort)), {
    status: 'stored',
    reason: 'This machine lets nobody load rules.',
  })
  assert.equal(scene.bench.kernel(), '')
  assert.equal(scene.bench.file('stand.conf'), null)
  const seen = await scene.observe()
  assert.deepEqual([seen.plane, seen.appliedRevision, seen.tables[0]?.present], ['none', null, false])
})

scenario('the data plane none serves where nothing is installed, and tells what was not checked', async (scene) => {
  const tables = scene.bench.tables()
  await scene.start({ plane: 'none', tables: { ...tables, nft: { ...tables.nft, command: ['/nowhere/nft'] } } })
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

scenario('after a failed put-back, the next failure goes back to the last whole state', async (scene) => {
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

scenario('a reboot in the middle of an apply puts the files back and closes the way', async (scene) => {
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
  assert.match(scene.bench.kernel(), /^table inet portcullis_boot \{[^}]*policy drop;\s*\}\s*\}\s*$/)
  assert.deepEqual(scene.bench.processes(), [])
  assert.equal((await scene.observe()).appliedRevision, null)
})

scenario('a record of another kernel does not count even where a table of that name stands', async (scene) => {
  await scene.start({ kernel: 'boot one' })
  await scene.apply(planOf(1, nft(piecesOf('a'))))
  await scene.start({ kernel: 'boot two' })
  const seen = await scene.observe()
  assert.deepEqual([seen.appliedRevision, seen.tables[0]?.present, seen.tables[0]?.asLoaded], [null, true, false])
  const outcome = await scene.apply(planOf(1, nft(piecesOf('a'))))
  assert.deepEqual(outcome, { status: 'applied', changed: ['nft inet portcullis'] })
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

scenario('a unit that traffic does not need may fail, and its status says so', async (scene) => {
  const output = { path: scene.bench.path('output/stand.json'), mode: 0o640, maxBytes: 1000 }
  await scene.start({ tables: scene.bench.tables({ isOptional: true, output }) })
  assert.equal((await scene.apply(planOf(1, ...stand('die')))).status, 'applied')
  await waitFor('its last words are told', async () => {
    const unit = await scene.unitNow()
    return unit?.state === 'failed' && /address in use/.test(unit.message)
  })
  assert.deepEqual(await scene.apply(planOf(1, ...stand('die'))), { status: 'applied', changed: [] })
  assert.equal((await scene.apply(planOf(2, ...stand('well')))).status, 'applied')
  await waitFor('its words are in its file', () => readFileSync(output.path, 'utf8').endsWith('started as well\n'))
  assert.equal(statSync(output.path).mode & 0o777, 0o640)
  writeFileSync(output.path, 'x'.repeat(1001))
  await waitFor('the file is emptied', () => statSync(output.path).size === 0)
})

/** Stands in for the links of the kernel. */
function createNetwork() {
  const network = {
    links: null as readonly LinkPlan[] | null,
    calls: 0,
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

scenario('links are applied before rules, left alone without an artifact, and put back', async (scene) => {
  await scene.applyd?.close()
  scene.applyd = null
  const network = createNetwork()
  const { stateDir } = scene.bench
  const failpoint = (name: FailpointName) => {
    if (name === 'nft.loaded' && network.links?.[0]?.device === 'lan1') throw new Error('made to fail')
  }
  const context = { ...benchOptions(stateDir, scene.bench.tables()), directory: join(stateDir, 'applyd'), failpoint }
  const supervisor = createSupervisor(context)
  const start = async () => {
    const executor = createExecutor(context, { supervisor, ruleset: createRuleset(context), network })
    await executor.recover()
    return executor
  }
  const links = (device: string): Artifact => {
    const rest = { make: null, isUp: true, addresses: ['10.0.0.1/24'], routes: [], mirrors: [] }
    return { kind: 'network', name: 'links', links: [{ origin: 'network.connections[1]', device, ...rest }] }
  }
  const executor = await start()
  const first = await executor.apply(planOf(1, nft(piecesOf('a')), links('lan0')))
  assert.deepEqual(first, { status: 'applied', changed: ['nft inet portcullis', 'network links'] })
  const failed = await executor.apply(planOf(2, nft(piecesOf('b')), links('lan1')))
  assert.deepEqual(failed.status === 'put_back' && failed.restored, true)
  assert.equal(network.links?.[0]?.device, 'lan0')
  const { calls } = network
  assert.equal((await executor.apply(planOf(3, nft(piecesOf('c'))))).status, 'applied')
  assert.equal(network.calls, calls)
  const report = await (await start()).check(planOf(4, nft(piecesOf('c')), links('bad')))
  assert.deepEqual(report.problems, [{ field: 'network', message: 'This is bad.' }])
  await supervisor.close(true)
})

run()
