// What the tests of applyd share: a separate network namespace, tables with a real dnsmasq and a stand-in engine, and
// functions that read the state of the machine from outside.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Artifact, EngineFile, NftPiece, Outcome, Plan } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import { readKernelIdentity } from '../../engines/kit/processes.ts'
import type { NftSpec, Tables, UnitSpec } from '../../engines/kit/tables.ts'
import { createLog } from '../../engines/kit/text.ts'
import { ownApp, plainOption } from '../../shared/files/plain.ts'
import { Applyd, type ApplydOptions } from '../applyd.ts'

const ip = '/usr/sbin/ip'
const here = import.meta.dirname
type Way = NonNullable<NftSpec['way']>
export const bothWays: readonly Way[] = ['library', 'program']
/** Below the ports that clients get, and room for every test that runs at the same time. */
const ports = { first: 20_000, count: 12_000 }

/** A state directory, a place for engine files and a network namespace; `remove` takes all of it away again. */
export class Bench {
  /** In memory where possible: durability is not what these tests measure, and fsync on a disk is slow. */
  readonly root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'applyd-'))
  readonly namespace: string
  readonly log: string[] = []
  readonly dnsPort: number
  readonly nftSpec: NftSpec

  constructor(way: Way = 'library') {
    this.dnsPort = reservePort()
    this.namespace = namespaceOf(this.dnsPort)
    this.nftSpec = benchNft(this.namespace, way)
  }

  get stateDir(): string {
    return join(this.root, 'state')
  }

  path(name: string): string {
    return join(this.root, name)
  }

  tables(stand: Partial<UnitSpec> = {}): Tables {
    return benchTables(this.root, this.nftSpec, this.dnsPort, stand)
  }

  start(options: Partial<ApplydOptions> = {}): Promise<Applyd> {
    const log = createLog((line) => this.log.push(line))
    return Applyd.start({ ...benchOptions(this.stateDir, this.tables()), log, ...options })
  }

  nft(...args: string[]): string {
    const [program = '', ...prefix] = this.nftSpec.command
    return this.run(program, ...prefix, ...args)
  }

  run(program: string, ...args: string[]): string {
    const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    return status === 0 ? stdout : `failed: ${stderr}`
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text)
    return this.path(name)
  }

  /** The whole ruleset and every engine file, for comparing before and after. */
  kernel(): string {
    return this.nft('-s', 'list', 'ruleset')
  }

  file(name: string): string | null {
    const path = join(this.root, 'etc', name)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }

  record(name: string): string | null {
    const path = join(this.stateDir, 'applyd', name)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }

  unitPid(name: string): number | null {
    const text = this.record('units.json')
    const units = text ? (JSON.parse(text).units as { name: string; process: { pid: number } | null }[]) : []
    return units.find((unit) => unit.name === name)?.process?.pid ?? null
  }

  /** Every process that carries the mark of this bench, regardless of what started it. */
  processes(): number[] {
    const mark = `PORTCULLIS_UNIT=${this.stateDir}/`
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return pids.filter((pid) => readIfThere(`/proc/${pid}/environ`).includes(mark)).map(Number)
  }

  remove(): void {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    }
    if (this.nftSpec.namespace !== undefined) closeSync(this.nftSpec.namespace)
    spawnSync(ip, ['netns', 'del', this.namespace])
    rmSync(this.root, { recursive: true, force: true })
  }
}

const namespaceOf = (port: number): string => `pc-${port}`

/**
 * Engines listen in the namespace that all test files share, so each bench needs another port. The namespace of the bench
 * has the port in its name: creating it fails while another bench has that port.
 */
function reservePort(): number {
  let port = ports.first + ((process.pid * 7) % ports.count)
  for (let tries = 1; ; tries++) {
    const { status, stderr } = spawnSync(ip, ['netns', 'add', namespaceOf(port)], { encoding: 'utf8' })
    if (status === 0) return port
    if (tries === 1000 || !stderr.includes('File exists')) throw new Error(`ip netns add failed: ${stderr.trim()}`)
    port = port + 1 < ports.first + ports.count ? port + 1 : ports.first
  }
}

/** A bench with a running applyd and short names for what tests do often. Scenes run in parallel. */
export class Scene {
  readonly bench: Bench
  applyd: Applyd | null = null

  constructor(way: Way = 'library') {
    this.bench = new Bench(way)
  }

  async start(options: Partial<ApplydOptions> = {}): Promise<void> {
    await this.applyd?.close()
    this.applyd = await this.bench.start(options)
  }

  get verbs(): Applyd['verbs'] {
    return (this.applyd ?? assert.fail('applyd does not run')).verbs
  }

  apply = (plan: Plan) => this.verbs.apply({ plan })
  check = (plan: Plan) => this.verbs.check({ plan })
  observe = () => this.verbs.observe({})
  hits = () => this.verbs.hits({})
  unitNow = async (name = 'stand') => (await this.observe()).units.find((unit) => unit.name === name)
  unitLog = (name = 'stand') => readIfThere(join(this.bench.stateDir, 'log', `${name}.log`))

  /** Id and revision of what is applied; how the record says it may differ. */
  applied = () => /"id":"[^"]+","revision":\d+/.exec(this.bench.record('applied.json') ?? '')?.[0]

  /** Everything that must not have changed when a plan was refused or reverted. */
  everything = () => ({
    kernel: this.bench.kernel(),
    dns: this.bench.file('dns.conf'),
    stand: this.bench.file('stand.conf'),
    record: this.applied(),
    intent: this.bench.record('intent.json'),
  })
}

/** Collects scenarios and runs them several at a time: most of their time is waiting. */
export function createScenarios(title: string, ways: readonly Way[] = ['library']) {
  const scenarios: [name: string, work: (scene: Scene) => Promise<void>][] = []
  const scenario = (name: string, work: (scene: Scene) => Promise<void>): void => {
    scenarios.push([name, work])
  }
  const run = (): void => {
    for (const way of ways)
      describe(ways.length === 1 ? title : `${title}, by the nft ${way}`, { concurrency: 6 }, () => {
        for (const [name, work] of scenarios) test(name, () => inScene(way, work))
      })
  }
  return { scenario, run }
}

async function inScene(way: Way, work: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = new Scene(way)
  try {
    await scene.start()
    await work(scene)
  } finally {
    await scene.applyd?.close(true).catch(() => {})
    scene.bench.remove()
  }
}

export const benchOptions = (stateDir: string, tables: Tables): ApplydOptions => ({
  stateDir,
  tables,
  plane: 'lab',
  limitation: null,
  service: null,
  kernel: readKernelIdentity(),
  // Only an engine that ignores SIGTERM takes as long as `stopMs`.
  timings: {
    stopMs: 1000,
    firstRetryMs: 20,
    lastRetryMs: 160,
    stableMs: 60_000,
    pollMs: 20,
    installRetryMs: 20,
    guardMs: 0,
  },
  log: () => {},
  failpoint: () => {},
})

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

const benchLimits = { nofile: 1024, data: 512 * 1024 * 1024 }

export const plainNft: NftSpec = {
  command: ['/usr/sbin/nft'],
  tables: ['inet portcullis', 'inet extra'],
  boot: 'inet portcullis_boot',
}

/** Of a network namespace. */
export const benchNft = (namespace: string, way: Way): NftSpec => ({
  ...plainNft,
  command: [ip, 'netns', 'exec', namespace, ...plainNft.command],
  way,
  namespace: openSync(`/run/netns/${namespace}`, 'r'),
})

export function benchTables(root: string, nft: NftSpec, dnsPort: number, stand: Partial<UnitSpec> = {}): Tables {
  const dns: UnitSpec = {
    program: '/usr/sbin/dnsmasq',
    args: ['--keep-in-foreground', '--pid-file=', '--conf-file={dns.conf}'],
    files: { 'dns.conf': { lines: dnsmasqForms } },
    check: { program: '/usr/sbin/dnsmasq', args: ['--test', '--conf-file={dns.conf}'] },
    reload: 'restart',
    probe: { kind: 'udp', port: dnsPort, timeoutMs: 30_000 },
    capabilities: ['setuid', 'setgid'],
    limits: benchLimits,
  }
  const standIn: UnitSpec = {
    program: '/bin/sh',
    args: [join(here, 'stand-in.sh'), '{stand.conf}'],
    files: { 'stand.conf': { lines: [/^/] } },
    check: { program: '/bin/sh', args: [join(here, 'check.sh'), '{stand.conf}'] },
    reload: { signal: 'SIGHUP' },
    probe: { kind: 'alive', forMs: 60 },
    capabilities: ['setuid', 'setgid', 'chown'],
    limits: benchLimits,
    ...stand,
  }
  return {
    nft,
    files: new Map([
      ['dns.conf', { path: join(root, 'etc', 'dns.conf'), mode: 0o644 }],
      ['stand.conf', { path: join(root, 'etc', 'stand.conf'), mode: 0o640 }],
    ]),
    fileTemplates: new Map([['part', { folder: join(root, 'etc', 'parts'), mode: 0o640 }]]),
    units: new Map([
      ['dns', dns],
      ['stand', standIn],
    ]),
    templates: new Map([
      ['stand-for', (device) => ({ ...standIn, args: [join(here, 'stand-in.sh'), '{stand.conf}', device] })],
    ]),
    formerUnits: new Map(),
    ways: [],
    requests: new Map(),
    makeReady: () => {},
    settings: join(root, 'settings'),
    tracking: { table: join(root, 'tracked'), switches: [join(root, 'counts'), join(root, 'stamps')] },
    cutter: [process.execPath, plainOption(ownApp), join(here, '..', '..', 'exporters', 'connection-cutter.ts')],
    trial: [process.execPath, plainOption(ownApp), join(here, 'trial.ts')],
  }
}

/** For stand-ins that end at their start: long enough to notice it on a busy machine, too. */
export const longAlive = { kind: 'alive', forMs: 3000 } as const

/** The forms that a real engine has: listed keys only, nothing that names a program, a path or a socket. */
const dnsmasqForms = ['', /^(port|listen-address|bind-interfaces|no-resolv|no-hosts|address|cache-size)(=|$)/]

export const dnsText = (port: number, extra = ''): string =>
  `port=${port}\nlisten-address=127.0.0.1\nbind-interfaces\nno-resolv\nno-hosts\n${extra}`

export const forwardHead = 'type filter hook forward priority filter; policy drop;'
export const chain = (name: string, lines: readonly string[], head = ''): NftPiece =>
  makePiece({ kind: 'chain', name, head, lines, origin: '' })
export const set = (name: string, lines: readonly string[], head = 'type ipv4_addr', origin = ''): NftPiece =>
  makePiece({ kind: 'set', name, head, lines, origin })
export const map = (name: string, lines: readonly string[], head = 'type ipv4_addr : verdict'): NftPiece =>
  makePiece({ kind: 'map', name, head, lines, origin: `objects.${name}` })

/** A ruleset that differs with `mark`, and further rules for it. */
export const piecesOf = (mark: string, ...more: readonly string[]): NftPiece[] => [
  chain('forward', [`ct state established counter accept comment "firewall.${mark}"`, ...more], forwardHead),
]

export const planOf = (revision: number, ...artifacts: Artifact[]): Plan => ({ revision, artifacts })
export const nft = (pieces: readonly NftPiece[], name = 'inet portcullis'): Artifact => ({ kind: 'nft', name, pieces })
export const file = (name: string, text: string): EngineFile => ({ kind: 'file', name, text })
export const unit = (name: string): Artifact => ({ kind: 'unit', name })

/** Why the plan was reverted; empty when it was not. */
export const problemsOf = (outcome: Outcome) => (outcome.status === 'put_back' ? outcome.problems : [])

/** A plan with everything in it: a ruleset, dnsmasq and the stand-in. */
export const fullPlan = (revision: number, mark: string, dnsPort: number, mode = 'well'): Plan =>
  planOf(
    revision,
    nft(piecesOf(mark)),
    file('dns.conf', dnsText(dnsPort, `address=/${mark}.test/192.0.2.1\n`)),
    file('stand.conf', `${mode}\n${mark}\n`),
    unit('dns'),
    unit('stand'),
  )
