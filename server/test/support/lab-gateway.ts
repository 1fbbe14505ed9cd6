// A whole gateway for end-to-end tests: the real launcher with a separate state folder on any free port,
// used and observed from outside, and stopped with a check that nothing is left behind. Declare it with
// `await using`: then a failing test leaves nothing behind either.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DataPlane } from '../../src/core/plan/artifacts.ts'
import { plainOption } from '../../src/shared/files/plain.ts'
import { type ExecOptions, type ExecResult, execInLab } from '../../src/tools/launcher/enter-lab.ts'
import { isRunning, type ProcessIdentity, readIdentity } from '../../src/tools/launcher/identity.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { type LauncherRecord, readRecord } from '../../src/tools/launcher/record.ts'
import { CleanLog, type LogEntry } from './clean-log.ts'
import { keepSeed, plantSeed } from './lab-seed.ts'
import { patienceMs, until } from './until.ts'

export interface StartOptions {
  readonly adminPassword?: string
  readonly dataplane?: DataPlane
  readonly env?: Readonly<Record<string, string>>
  /** A state folder to use again; without it a new one is made and removed at the end. */
  readonly stateDir?: string
  /** Another checkout than this one. */
  readonly app?: string
  /** Prefix of the launcher's command line, to run it as another user. */
  readonly wrapper?: readonly string[]
}

export function startGateway(options: StartOptions = {}): Promise<LabGateway> {
  const stateDir = options.stateDir ?? makeStateDir()
  if (isUsual(options)) plantSeed(stateDir)
  return startOn(stateDir, options, options.stateDir === undefined)
}

/** Starts this program from nothing, with all its rights. */
const isUsual = ({ stateDir, app, wrapper }: StartOptions): boolean =>
  stateDir === undefined && app === undefined && wrapper === undefined

async function startOn(stateDir: string, options: StartOptions, ownsState: boolean): Promise<LabGateway> {
  const logsBefore = readLogs(stateDir)
  const launcher = spawnLauncher(stateDir, options)
  const output = collectOutput(launcher)
  await waitForBanner(launcher, output, stateDir)
  const record = readRecord(stateDir)
  assert.ok(record, `the launcher reported ready but wrote no record:\n${output.text}`)
  return new LabGateway(launcher, stateDir, record, output, options, ownsState, logsBefore)
}

/** For starts that are meant to fail: the exit code and all output. */
export async function expectRefusal(
  options: StartOptions,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const stateDir = options.stateDir ?? makeStateDir()
  const launcher = spawnLauncher(stateDir, options)
  const output = collectOutput(launcher)
  const code = await new Promise<number | null>((resolve) => launcher.once('close', resolve))
  if (options.stateDir === undefined) rmSync(join(stateDir, '..'), { recursive: true, force: true })
  return { code, text: output.text }
}

/** Two levels, because the service account must be able to pass the folder that mkdtemp closes to others. */
function makeStateDir(): string {
  const parent = mkdtempSync(join(tmpdir(), 'portcullis-lab-'))
  chmodSync(parent, 0o711)
  return join(parent, 'state')
}

/** A test run that is interrupted stops its labs too. */
const tiedToUs = ['/usr/bin/setpriv', '--pdeathsig=TERM', '--']

function spawnLauncher(
  stateDir: string,
  { adminPassword, dataplane, env, app = appRoot, wrapper = [] }: StartOptions,
): ChildProcess {
  const [command = '', ...args] = [
    ...wrapper,
    ...tiedToUs,
    runtimePath(app),
    plainOption(app),
    join(app, 'server/src/tools/launcher/main.ts'),
  ]
  return spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: app,
    env: {
      PORTCULLIS_STATE: stateDir,
      PORTCULLIS_LISTEN: '127.0.0.1:0',
      NODE_COMPILE_CACHE: join(app, '.cache/compile'),
      ...(adminPassword === undefined ? {} : { PORTCULLIS_ADMIN_PASSWORD: adminPassword }),
      ...(dataplane === undefined ? {} : { PORTCULLIS_DATAPLANE: dataplane }),
      ...env,
    },
  })
}

interface Output {
  text: string
}

function collectOutput(child: ChildProcess): Output {
  const output: Output = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output.text += text
    })
  return output
}

/** The last log lines of gatewayd, for a start that fails. */
function lastLines(stateDir: string): string {
  const path = join(stateDir, 'log', 'gatewayd.log')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(-4).join('\n') : ''
}

function waitForBanner(launcher: ChildProcess, output: Output, stateDir: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(new Error(`The gateway did not start: ${why}\n${output.text}\n${lastLines(stateDir)}`))
    const timer = setTimeout(() => {
      launcher.kill('SIGKILL')
      fail(`no banner within ${patienceMs} ms`)
    }, patienceMs)
    launcher.once('error', (error) => fail(error.message))
    launcher.once('close', (code) => {
      clearTimeout(timer)
      fail(`exit code ${code}`)
    })
    launcher.stdout?.on('data', () => {
      if (!output.text.includes('Ctrl-C to stop')) return
      clearTimeout(timer)
      resolve()
    })
  })
}

type Logs = Readonly<Record<string, string>>

function readLogs(stateDir: string): Logs {
  const folder = join(stateDir, 'log')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** What our own processes wrote since. Engines write in their own forms, and the last line of a killed process may be cut. */
function readEntries(logs: Logs, before: Logs): readonly LogEntry[] {
  return ['gatewayd', 'applyd'].flatMap((name) => {
    const text = (logs[`${name}.log`] ?? '').slice(before[`${name}.log`]?.length ?? 0)
    const lines = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'))
    return lines.map((line): LogEntry => {
      const { level, message, time: _time, ...fields } = JSON.parse(line) as Record<string, unknown>
      return { level: String(level), message: `${name}: ${message}`, fields }
    })
  })
}

export class LabGateway {
  readonly stateDir: string
  /** Warnings and errors of gatewayd and applyd; those that the test did not expect make `restart` and `stop` fail. */
  readonly log = new CleanLog()
  readonly #launcher: ChildProcess
  readonly #output: Output
  readonly #options: StartOptions
  readonly #ownsState: boolean
  readonly #closed: Promise<number | null>
  readonly #first: LauncherRecord
  readonly #logsBefore: Logs
  /** What tests run in the namespaces of the lab: it ends with them, shortly after the launcher. */
  readonly #guests = new Set<Promise<void>>()

  constructor(
    launcher: ChildProcess,
    stateDir: string,
    record: LauncherRecord,
    output: Output,
    options: StartOptions,
    ownsState: boolean,
    logsBefore: Logs,
  ) {
    this.#launcher = launcher
    this.stateDir = stateDir
    this.#output = output
    this.#options = options
    this.#ownsState = ownsState
    this.#logsBefore = logsBefore
    this.#first = record
    this.#closed = new Promise((resolve) => launcher.once('close', resolve))
  }

  get address(): string {
    return this.#first.address
  }

  /** What the banner showed; null when the password was set from outside or by an earlier start. */
  get firstPassword(): string | null {
    return /^ {2}Password +(\S+)/m.exec(this.#output.text)?.[1] ?? null
  }

  get output(): string {
    return this.#output.text
  }

  record(): LauncherRecord {
    const record = readRecord(this.stateDir)
    assert.ok(record, 'the launcher is gone')
    return record
  }

  pids(): { readonly launcher: number; readonly inside: number; readonly gatewayd: number; readonly applyd: number } {
    const { pid, inside, processes } = this.record()
    const { gatewayd, applyd } = processes
    assert.ok(gatewayd?.pid && applyd?.pid, 'a process is down')
    return { launcher: pid, inside: inside.pid, gatewayd: gatewayd.pid, applyd: applyd.pid }
  }

  exec(namespace: string, argv: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    const running = execInLab(this.stateDir, namespace, argv, { timeoutMs: patienceMs, ...options })
    const ended = running.then(
      () => {},
      () => {},
    )
    this.#guests.add(ended)
    void ended.then(() => this.#guests.delete(ended))
    return running
  }

  /** Resolves when the new one serves. */
  killGatewayd(): Promise<void> {
    return this.#killAndWait('gatewayd')
  }

  killApplyd(): Promise<void> {
    // gatewayd may just be asking.
    this.log.allow(/^warning: gatewayd: .*The apply service/s)
    return this.#killAndWait('applyd')
  }

  async #killAndWait(name: string): Promise<void> {
    const before = this.record().processes[name]
    assert.ok(before?.pid, `${name} is down`)
    process.kill(before.pid, 'SIGKILL')
    await until(`${name} serves again`, () => {
      const now = readRecord(this.stateDir)?.processes[name]
      return now !== undefined && now.starts > before.starts && now.ready
    })
  }

  /** Ends the launcher as a crash would, and waits until the kernel has removed the rest. */
  async crash(which: 'launcher' | 'inside' = 'launcher'): Promise<void> {
    const members = this.#members()
    process.kill(this.pids()[which], 'SIGKILL')
    await this.#closed
    await until('everything is gone', () => this.#leftovers(members).length === 0)
  }

  /** Ends what a failed test left running; a passed one has stopped its gateway and checked that nothing is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#launcher.exitCode === null && this.#launcher.signalCode === null) this.#launcher.kill('SIGKILL')
    await this.#closed
    if (this.#ownsState) this.removeState()
  }

  async stop(): Promise<void> {
    await this.#stop()
    if (isUsual(this.#options)) keepSeed(this.stateDir)
    if (this.#ownsState) this.removeState()
  }

  /** The next one on the same state; of this one nothing is left. */
  async restart(): Promise<LabGateway> {
    await this.#stop()
    return startOn(this.stateDir, this.#options, this.#ownsState)
  }

  async #stop(): Promise<void> {
    const members = this.#members()
    this.#launcher.kill('SIGTERM')
    const code = await this.#closed
    assert.equal(code, 0, `the launcher ended with ${code}:\n${this.#output.text}`)
    await Promise.all(this.#guests)
    assert.deepEqual(this.#leftovers(members), [], 'processes or mounts are left behind')
    assert.deepEqual(readdirSync(join(this.stateDir, 'run')).filter(isLauncherFile), [], 'the launcher left its files')
    for (const entry of readEntries(this.logs(), this.#logsBefore)) this.log.add(entry)
    this.log.assertClean()
  }

  removeState(): void {
    rmSync(join(this.stateDir, '..'), { recursive: true, force: true })
  }

  logs(): Logs {
    return readLogs(this.stateDir)
  }

  /**
   * Processes of this lab whose command line has the part. The state folder is not a sign of them: where the service account
   * cannot reach it or the checkout, they know it by another path (tools/launcher/mounts.ts).
   */
  processesOf(part: string): readonly number[] {
    return this.#within().filter((pid) => commandOf(pid).includes(part))
  }

  /** Every process in the namespaces of the lab, engines included. The namespaces end with the first of them. */
  #members(): readonly ProcessIdentity[] {
    const { inside, launcher } = this.record()
    const within = this.#within().map((pid) => readIdentity(pid))
    return [launcher, inside, ...within.filter((identity) => identity !== null)]
  }

  #within(): readonly number[] {
    const { inside, processes } = this.record()
    const walls = readNamespaces([inside.pid, ...Object.values(processes).map(({ pid }) => pid)])
    return listPids().filter((pid) => [...readNamespaces([pid])].some((id) => walls.has(id)))
  }

  #leftovers(members: readonly ProcessIdentity[]): readonly string[] {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
    return [
      ...members.filter(isRunning).map(({ pid }) => `process ${pid}`),
      ...mounts.filter((line) => line.includes(this.stateDir)),
    ]
  }
}

function isLauncherFile(name: string): boolean {
  return name.startsWith('launcher.')
}

/** Identifiers such as `net:[4026532177]`, without those of this very process. */
function readNamespaces(pids: readonly (number | null)[]): ReadonlySet<string> {
  const kinds = ['mnt', 'pid', 'net', 'user']
  const read = (pid: number | string) => kinds.map((kind) => readLink(`/proc/${pid}/ns/${kind}`))
  const own = new Set(read('self'))
  return new Set(pids.flatMap((pid) => (pid === null ? [] : read(pid))).filter((id) => id !== '' && !own.has(id)))
}

function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // The process has ended, or is a zombie without resources.
    return ''
  }
}

/** Arguments end with a zero each. Empty when the process has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function listPids(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}
