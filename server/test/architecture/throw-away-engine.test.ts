// A throw-away engine: one value on each side and a stand-in program, added to the lists and to no other file. applyd
// starts, checks, reloads and probes it; packages, logs, sandbox and firewall know it; then it goes away again.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { engineTables } from '../../src/applyd/engine-tables.ts'
import { planOf, problemsOf, Scene } from '../../src/applyd/stand-ins/harness.ts'
import { createPlanReader } from '../../src/applyd/wire/plan.ts'
import { engineFile, engineUnit } from '../../src/core/engine/artifacts.ts'
import { declareEngine, type EnginePackages } from '../../src/core/engine/engine.ts'
import { closedPorts, logSources, topFolders } from '../../src/core/engine/views.ts'
import type { Artifact } from '../../src/core/plan/artifacts.ts'
import { contentOf } from '../../src/core/plan/planner.ts'
import { compilePolicy } from '../../src/domain/policy/compile.ts'
import { emptyPolicy } from '../../src/domain/policy/model.ts'
import { productionEngines } from '../../src/engines/applyd.ts'
import { engines } from '../../src/engines/index.ts'
import { defineEngine, type Engine } from '../../src/engines/kit/privileged.ts'
import type { EngineRequest } from '../../src/engines/kit/requests.ts'
import { parseDevice, parseForm, parseKeys, parseList, Refusal } from '../../src/engines/kit/values.ts'
import type { Way } from '../../src/engines/kit/ways.ts'
import { serviceFiles } from '../../src/gatewayd/logs/service-logs.ts'
import { until } from '../support/until.ts'

/** Plain JavaScript, because it runs before anything is installed. */
interface Installer {
  readEnginePackages(folder: string): EnginePackages
}

const root = join(import.meta.dirname, '..', '..', '..')
const standIns = join(root, 'server', 'src', 'applyd', 'stand-ins')

const echo = declareEngine({
  service: 'echo',
  title: 'echo server',
  packages: {
    start: [{ name: 'echo-base', file: 'echo', purpose: 'the echo server' }],
    use: [{ name: 'echo-large', file: 'echo-large', leastMajor: 2, purpose: 'long echoes' }],
    tests: [],
  },
  folders: [{ path: 'echo', mode: 0o750 }],
  files: { 'echo.conf': { path: 'echo/echo.conf', mode: 0o640 } },
  fileTemplates: {},
  units: { echo: { log: { form: 'plain', syslogId: 'echo', unit: '{brand}-echo' } } },
  unitTemplates: {},
  ports: {
    tcp: {
      name: 'echo',
      networks: 'local',
      way: 'input',
      protocol: 'tcp',
      sourcePort: null,
      destinationPort: 7,
    },
  },
  kernel: [],
})

/** What the way and the request of the engine were told. */
const told: string[] = []
let isOpen = false

/** Stands for routing or queues: the kernel is a variable. */
const echoWay: Way<{ readonly to: string }> = {
  name: 'echo',
  title: 'The way to the echo server',
  parse: (entries) => parseList(entries, 2, 'entries', (item) => ({ to: parseDevice(parseKeys(item, ['to']).to) })),
  create: () => {
    const bring = async (state: readonly { readonly to: string }[] | null) => {
      told.push(state === null ? 'closed' : `open to ${state.map(({ to }) => to).join()}`)
      isOpen = state !== null
    }
    return {
      isCurrent: async (state) => isOpen === (state !== null),
      open: bring,
      close: async (state) => {
        if (state === null) await bring(null)
      },
      ensure: bring,
      observe: async () => ({ echoes: told.length }),
    }
  },
}

const shout: EngineRequest<{ readonly word: string }> = {
  parse: (args) => ({ word: parseForm(parseKeys(args, ['word']).word, /^[a-z]+$/, 'word is not allowed') }),
  perform: async ({ word }) => word.toUpperCase(),
}

const echoEngine = defineEngine(echo, () => ({
  ways: [echoWay],
  requests: () => ({ requests: { shout }, close: () => void told.push('ended') }),
  units: {
    echo: {
      program: '/bin/sh',
      args: [join(standIns, 'stand-in.sh'), '{echo.conf}'],
      files: { 'echo.conf': { lines: ['', /^(?!include)[a-z]+$/] } },
      check: { program: '/bin/sh', args: [join(standIns, 'check.sh'), '{echo.conf}'] },
      reload: { signal: 'SIGHUP' },
      probe: { kind: 'alive', forMs: 60 },
      capabilities: [],
      limits: { nofile: 256, data: 256 * 1024 * 1024, nproc: 64 },
    },
  },
  unitTemplates: {},
}))

describe('a throw-away engine', () => {
  const scene = new Scene()
  const { stateDir } = scene.bench
  const startWith = (list: readonly Engine[]): Promise<void> => {
    const own = engineTables(list, { stateDir, plane: 'lab', service: null, accountOf: () => undefined })
    return scene.start({ tables: { ...scene.bench.tables(), ...own } })
  }
  const planFor = (revision: number, text: string) =>
    planOf(revision, engineFile(echo, 'echo.conf', `${text}\n`), engineUnit(echo, 'echo'))

  before(() => startWith([...productionEngines, echoEngine]))
  after(async () => {
    await scene.applyd?.close(true)
    scene.bench.remove()
  })

  it('is started in a folder that applyd made', async () => {
    assert.equal(statSync(join(stateDir, 'echo')).mode & 0o777, 0o750)
    const outcome = await scene.apply(planFor(1, 'well'))
    assert.deepEqual(outcome, { status: 'applied', changed: ['file echo.conf', 'unit echo'] })
    assert.equal((await scene.unitNow('echo'))?.state, 'active')
    assert.equal(statSync(join(stateDir, 'echo', 'echo.conf')).mode & 0o777, 0o640)
    await until('it listens to signals', () => /started as well/.test(scene.unitLog('echo')))
  })

  it('has its lines vetted and its files checked', async () => {
    const messages = async (text: string) =>
      (await scene.check(planFor(2, text))).problems.map(({ message }) => message)
    assert.deepEqual(await messages('include'), ['The line "include" is not allowed in echo.conf.'])
    assert.match((await messages('bad')).join(), /bad word/)
    assert.deepEqual(await messages('better'), [])
  })

  it('is reloaded as it says, and keeps its process', async () => {
    const { pid } = (await scene.unitNow('echo')) ?? {}
    await scene.apply(planFor(3, 'better'))
    await until('it has read the file', () => /now better/.test(scene.unitLog('echo')))
    assert.equal((await scene.unitNow('echo'))?.pid, pid)
  })

  it('has a way of packets that it declares: open before the rules, observed, and closed with the plan', async () => {
    const way = (entries: readonly object[]): Artifact => ({ kind: 'way', name: 'echo', entries })
    const { artifacts } = planFor(3, 'better')
    const outcome = await scene.apply(planOf(3, ...artifacts, way([{ to: 'lan0' }])))
    assert.deepEqual(outcome, { status: 'applied', changed: ['way echo'] })
    assert.deepEqual(told, ['open to lan0'])
    assert.deepEqual((await scene.observe()).ways, { echo: { echoes: 1 } })
    await scene.apply(planFor(3, 'better'))
    assert.deepEqual(told, ['open to lan0', 'closed'])
    const read = createPlanReader({ ...scene.bench.tables(), ways: [echoWay] })
    for (const entries of [[{ to: '../x' }], [{}], Array(3).fill({ to: 'lan0' })])
      assert.throws(() => read({ plan: planOf(5, way(entries)) }), Refusal)
  })

  it('answers what it can be asked, and nothing else', async () => {
    const ask = (request: string, args: object) => scene.verbs.ask({ service: 'echo', request, args })
    assert.equal(await ask('shout', { word: 'hello' }), 'HELLO')
    assert.throws(() => ask('whisper', { word: 'hello' }), Refusal)
    assert.throws(() => ask('constructor', {}), Refusal)
  })

  it('is probed: what does not stay alive is refused, with its own words', async () => {
    await scene.apply(planOf(4))
    const [problem] = problemsOf(await scene.apply(planFor(5, 'die')))
    assert.match(problem?.message ?? '', /^echo ended right after its start: cannot bind/)
  })

  it('is read by the log reader', async () => {
    await scene.apply(planFor(6, 'well'))
    await until('it has started', () => /started as well/.test(scene.unitLog('echo')))
    const path = join(stateDir, 'log', 'echo.log')
    const fileIn = (all: Parameters<typeof logSources>[0]) =>
      serviceFiles(join(stateDir, 'log'), logSources(all)).find((file) => file.path === path)
    const records = fileIn([...engines, echo])?.records(readFileSync(path), 0) ?? []
    assert.ok(records.some(({ message }) => message === 'started as well'))
    assert.equal(fileIn(engines), undefined)
  })

  it('has a place in the sandbox', () => {
    assert.ok(topFolders([...engines, echo]).some(({ path }) => path === 'echo'))
  })

  it('has its packages installed: small ones at every start, large ones for tests', async () => {
    const { readEnginePackages } = (await import(join(root, 'scripts', 'lib', 'packages.mjs'))) as Installer
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-engines-'))
    try {
      mkdirSync(join(folder, 'echo'))
      writeFileSync(join(folder, 'echo', 'packages.json'), JSON.stringify(echo.packages))
      assert.deepEqual(readEnginePackages(folder), echo.packages)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('is closed from outside by the firewall', () => {
    const rulesFor = (list: typeof engines): string => {
      const policy = { ...emptyPolicy, externalDevices: ['wan0'], closedPorts: closedPorts(list) }
      return compilePolicy(policy).map(contentOf).join('\n')
    }
    assert.match(rulesFor([...engines, echo]), /iifname @if_external tcp dport 7 counter drop comment "inp\.sys\.echo"/)
    assert.doesNotMatch(rulesFor(engines), /echo/)
  })

  it('goes away with the plan, and when a release does not know it any more', async () => {
    await scene.apply(planOf(7))
    assert.equal(existsSync(join(stateDir, 'echo', 'echo.conf')), false)
    await until('no process is left', () => scene.bench.processes().length === 0)
    await scene.apply(planFor(8, 'well'))
    await startWith(productionEngines)
    await until('no process is left', () => scene.bench.processes().length === 0)
    assert.equal(await scene.unitNow('echo'), undefined)
    assert.deepEqual(await scene.apply(planOf(9)), { status: 'applied', changed: [] })
  })

  it('cannot take a name that another engine has', () => {
    const place = { stateDir, plane: 'lab', service: null, accountOf: () => undefined } as const
    assert.throws(() => engineTables([echoEngine, echoEngine], place), /Two engines use one name/)
  })
})
