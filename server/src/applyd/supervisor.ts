// The life of engine processes: started in a separate session so that they outlive applyd, found again after a
// restart, restarted with a growing pause when they die. The executor decides what should run.

import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { UnitObservation } from '../core/plan/artifacts.ts'
import {
  identify,
  imageOf,
  isSameBoot,
  type ProcessId,
  processesMarked,
  programEnvironment,
  run,
  signal,
  stateOf,
  whileSuspended,
} from '../engines/kit/processes.ts'
import {
  type ChangedFiles,
  type Command,
  type FilesBefore,
  findFile,
  findUnit,
  type Reload,
  type UnitSpec,
} from '../engines/kit/tables.ts'
import { oneLine, wordsOf } from '../engines/kit/text.ts'
import { readJson, readRegular, withFile, writeDurable } from '../shared/files/durable.ts'
import { isStorageFault } from '../shared/files/reserve.ts'
import { trimLog } from '../shared/files/trim-log.ts'
import { patient } from '../shared/pace.ts'
import { printSaid, type SaidText, say, verbatim } from '../shared/said.ts'
import type { Context } from './context.ts'
import { createInstaller, describeInstallation } from './install.ts'
import { describeHeld, heldBefore } from './machine/ports.ts'
import { answers, askReload, commandLine, kernelFault, unitCommandLine } from './units.ts'

/**
 * `logOffset` is where the output of the current process begins in the log, `lastWords` the end of that of the one before, `held` the sockets that others had on its port. `asked`
 * are the inputs that background work will bring into use, null without such work; `task` is the last such work, and `turn` resolves when all earlier work has ended.
 */
const idle = {
  state: 'inactive' as UnitObservation['state'],
  message: '' as SaidText,
  isWanted: false,
  inputs: '',
  process: null as ProcessId | null,
  startedAt: 0,
  logOffset: 0,
  lastWords: '',
  held: new Set<string>() as ReadonlySet<string>,
  failures: 0,
  retry: undefined as NodeJS.Timeout | undefined,
  isInstalling: false,
  asked: null as string | null,
  task: null as object | null,
  turn: Promise.resolve(),
}
type Unit = typeof idle & { readonly name: string; readonly spec: UnitSpec; readonly logPath: string }
type Remembered = {
  readonly kernel: string
  readonly units: readonly Pick<Unit, 'name' | 'inputs' | 'process'>[]
  /** Of the applyd that wrote this; missing in records of earlier releases. */
  readonly image?: string
}

const appending = fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_CREAT
/** On a small file system less. */
const mostLogBytes = 8 * 1024 * 1024
const notifyTimeoutMs = 15_000
/** A process becomes another program, or ends by SIGKILL, in milliseconds; only one that the kernel holds up takes longer. */
const settleTimeoutMs = 10_000

export interface FileChange {
  readonly files: ChangedFiles
  readonly before: FilesBefore
  /** The unit may run with other contents than it was given. */
  readonly isAltered: boolean
}
const unknownChange: FileChange = { files: null, before: () => null, isAltered: false }

export class Supervisor {
  readonly #context: Context
  readonly #recordPath: string
  readonly #image = imageOf(process.pid)
  readonly #installPackages = createInstaller()
  readonly #units: Map<string, Unit>
  /** Processes whose end is reported by an exit event. */
  readonly #children = new Set<number>()
  #poll: NodeJS.Timeout | undefined
  #isClosed = false
  /** False while the disk does not take the record. */
  #isRemembered = true
  readonly #logLimit: number

  constructor(context: Context) {
    this.#context = context
    this.#recordPath = join(context.directory, 'units.json')
    this.#units = new Map([...context.tables.units].map(([name, spec]) => [name, this.#newUnit(name, spec)]))
    const { blocks, bsize } = fs.statfsSync(context.directory)
    this.#logLimit = Math.min(mostLogBytes, Math.floor((blocks * bsize) / 64))
  }

  /** Finds the processes of an earlier applyd; ends those that do not belong to a unit. Starts nothing. */
  async adopt(): Promise<void> {
    const remembered = readJson<Remembered>(this.#recordPath, this.#context.log)
    for (const { name: recorded, inputs, process: known } of remembered?.units ?? []) {
      const process = isSameBoot(remembered?.kernel ?? '', this.#context.kernel) ? known : null
      const name = this.#context.tables.formerUnits.get(recorded) ?? recorded
      if (name !== recorded) moveLog(this.#logOf(recorded), this.#logOf(name))
      const unit = this.#findOwn(name)
      // A unit of another namespace, or one that is no longer in the table, is not used: it is ended, not adopted.
      if (!unit || remembered?.kernel !== this.#context.kernel) await this.#end(process, name)
      else if (stateOf(process) === 'gone') Object.assign(unit, { isWanted: true, inputs })
      else Object.assign(unit, { isWanted: true, inputs, process, state: 'active' })
      // That applyd may have been killed while it emptied the output of the unit.
      if (unit?.spec.output && unit.process) signal(unit.process.pid, 'SIGCONT')
      // Whether a slow start or reload was complete is not recorded.
      if (unit?.spec.isSlow && unit.process) this.#workOn(unit, inputs, async () => {})
    }
    await this.#endUnrecorded(remembered?.image ?? null)
    this.#persist()
    this.#poll = setInterval(() => this.look(), this.#context.timings.pollMs).unref()
  }

  /** Processes that are not children have no exit event, and a program that cannot start has no process. */
  look(): void {
    for (const unit of this.#units.values()) {
      const hasExitEvent = unit.process !== null && this.#children.has(unit.process.pid)
      if (!hasExitEvent && stateOf(unit.process) === 'gone') this.#ended(unit, 'an unknown status')
      const fault = unit.process && unit.spec.watch ? unit.spec.watch(unit.process.pid) : null
      if (fault !== null) this.#ended(unit, 'signal SIGKILL', fault)
      trimFiles(unit, this.#logLimit)
    }
    if (!this.#isRemembered) this.#persist()
  }

  wanted = (): string[] => [...this.#units.values()].filter((unit) => unit.isWanted).map((unit) => unit.name)

  /**
   * True when nothing needs to be done: the process was started or reloaded with these inputs (null: nothing runs). An
   * optional one is only restarted after its pauses.
   */
  isCurrent(name: string, inputs: string | null): boolean {
    const unit = this.#units.get(name)
    if (unit && unit.asked !== null) return unit.asked === inputs
    if (inputs === null || !unit) return inputs === null && !unit?.isWanted
    const isLeftAlone = unit.spec.isOptional === true || unit.spec.isSlow === true
    return unit.isWanted && unit.inputs === inputs && (isLeftAlone || stateOf(unit.process) !== 'gone')
  }

  /** Returns whether anything was done. The caller probes afterwards. */
  async ensure(name: string, inputs: string, change: FileChange = unknownChange): Promise<boolean> {
    if (!change.isAltered && this.isCurrent(name, inputs)) return false
    await this.#bring(this.#unitOf(name), inputs, change)
    return true
  }

  /**
   * The same for a slow unit, including the probe: returns at once, and `observe` shows the progress. A later call
   * replaces work that is still in progress.
   */
  begin(name: string, inputs: string, change: FileChange = unknownChange): void {
    if (!change.isAltered && this.isCurrent(name, inputs)) return
    const unit = this.#unitOf(name)
    if (this.mustInstall(name)) this.#install(unit, inputs)
    else this.#workOn(unit, inputs, () => this.#bring(unit, inputs, change))
  }

  mustInstall = (name: string): boolean => describeInstallation(this.#unitOf(name).spec.installation) !== null

  /** Waits until the engine answers; throws with its last log line when it ends or does not answer. */
  async probe(name: string): Promise<void> {
    const unit = this.#unitOf(name)
    const spec = unit.spec.probe
    const id = unit.process
    const limit = performance.now() + (spec.kind === 'alive' ? spec.forMs : patient(spec.timeoutMs))
    for (let isOver = false; ; await pause(20)) {
      if (this.#isClosed) return
      if (unit.process !== id || stateOf(id) === 'gone')
        // It may have been started again, and has a new part of the log then.
        throw new Error(
          say`${name} ended right after its start: ${unit.process === id ? lastMessage(unit) : unit.lastWords}`,
        )
      if (spec.kind === 'alive' ? isOver : await answers(spec, unit.held)) break
      if (isOver) {
        const message = printSaid([say`${name} does not answer.`, verbatim(lastMessage(unit))])
        Object.assign(unit, { state: 'failed', message })
        throw new Error(unit.message)
      }
      isOver = performance.now() >= limit
    }
    Object.assign(unit, { state: 'active', message: '' })
  }

  async stop(name: string): Promise<void> {
    const unit = this.#unitOf(name)
    Object.assign(unit, { isWanted: false, task: null })
    await unit.turn
    await this.#halt(unit)
    Object.assign(unit, idle)
    if (!this.#context.tables.units.has(name)) this.#units.delete(name)
    this.#persist()
  }

  observe(): UnitObservation[] {
    return [...this.#units.values()].map(({ name, spec, process, isWanted, state, message, asked }) => {
      const now = stateOf(process)
      const pid = now === 'gone' ? null : (process?.pid ?? null)
      // An engine that is starting may still load what it needs.
      const fault = isWanted && state !== 'activating' ? kernelFault(spec) : null
      if (fault !== null) return { name, state: 'failed', message: fault, pid }
      if (!isWanted || asked !== null || state === 'deactivating' || now === 'running')
        return { name, state, message, pid }
      const words = now === 'suspended' ? say`${name} is suspended.` : message || say`${name} is not running.`
      return { name, state: 'failed', message: words, pid }
    })
  }

  async close(stopUnits: boolean): Promise<void> {
    if (stopUnits) for (const name of this.wanted().toReversed()) await this.stop(name)
    this.#isClosed = true
    clearInterval(this.#poll)
    for (const unit of this.#units.values()) clearTimeout(unit.retry)
  }

  readonly #pathOf = (file: string): string => findFile(this.#context.tables, file)?.path ?? ''

  readonly #logOf = (name: string): string => join(this.#context.logs, `${name}.log`)

  readonly #newUnit = (name: string, spec: UnitSpec): Unit => ({ ...idle, name, spec, logPath: this.#logOf(name) })

  #findOwn(name: string): Unit | null {
    const known = this.#units.get(name)
    const spec = known?.spec ?? findUnit(this.#context.tables, name)
    if (!spec) return null
    const unit = known ?? this.#newUnit(name, spec)
    this.#units.set(name, unit)
    return unit
  }

  #unitOf(name: string): Unit {
    const unit = this.#findOwn(name)
    if (!unit) throw new Error(`There is no unit named ${name}.`)
    return unit
  }

  /**
   * Ends processes without a unit: the earlier applyd was killed after it started one and before it recorded it. The child
   * may still be a copy of that applyd, or be becoming the engine at this moment, so this looks until no process is in doubt.
   */
  async #endUnrecorded(image: string | null): Promise<void> {
    const known = new Set([...this.#units.values()].map((unit) => unit.process?.pid))
    for (const limit = performance.now() + settleTimeoutMs; ; await pause(5)) {
      const { found, isSettled } = processesMarked(`PORTCULLIS_UNIT=${this.#context.directory}:`, image)
      const parents = new Map(found.map(({ pid, parent }) => [pid, parent]))
      // Helpers of an engine, such as those of the web proxy, may have their own session: their parent tells whose they are.
      const isKnown = (pid: number | undefined): boolean =>
        pid !== undefined && (known.has(pid) || isKnown(parents.get(pid)))
      const unrecorded = found.filter(({ pid, session }) => !known.has(session) && !isKnown(pid))
      for (const { pid } of unrecorded) signal(pid, 'SIGKILL')
      if (isSettled && unrecorded.length === 0) return
      if (performance.now() < limit) continue
      const pids = unrecorded.map(({ pid }) => pid)
      return this.#context.log('warning', 'Processes of an earlier applyd may still run', { pids })
    }
  }

  /** Starts the unit when its packages are there, unless it was stopped or changed in the meantime. No one waits for that. */
  #install(unit: Unit, inputs: string): void {
    const task = {}
    const { installation } = unit.spec
    const words = describeInstallation(installation) ?? ''
    if (!installation) return
    clearTimeout(unit.retry)
    Object.assign(unit, { isWanted: true, inputs, asked: inputs, task, retry: undefined })
    Object.assign(unit, { state: 'activating', isInstalling: true, message: say`Installing the ${words}.` })
    this.#context.log('info', `${unit.name}: installing the ${words}`)
    this.#persist()
    const done = (fault: unknown): void => {
      if (unit.task !== task || this.#isClosed) return
      Object.assign(unit, { isInstalling: false, asked: null })
      if (fault === null) {
        this.#workOn(unit, inputs, () => this.#bring(unit, inputs, unknownChange))
        return
      }
      const message = say`The ${words} could not be installed. ${wordsOf(fault)}`
      this.#context.log('error', message, { unit: unit.name, retryMs: this.#context.timings.installRetryMs })
      const retry = setTimeout(() => this.#install(unit, inputs), this.#context.timings.installRetryMs).unref()
      Object.assign(unit, { state: 'failed', message, retry })
    }
    this.#installPackages(installation).then(() => done(null), done)
  }

  /** Does the work when earlier work has ended, then waits until the unit answers. */
  #workOn(unit: Unit, inputs: string, work: () => Promise<void>): void {
    const task = {}
    const isLast = (): boolean => unit.task === task
    Object.assign(unit, { asked: inputs, task, message: '' })
    unit.state = stateOf(unit.process) === 'running' ? 'reloading' : 'activating'
    const done = unit.turn.then(() => (isLast() ? work() : undefined))
    unit.turn = done.catch(() => {})
    done
      .then(() => (isLast() ? this.probe(unit.name) : undefined))
      .catch((fault: unknown) => {
        if (!isLast()) return
        this.#context.log('warning', `${unit.name} failed its health check`, { fault })
        if (unit.state !== 'failed') Object.assign(unit, { state: 'failed', message: verbatim(wordsOf(fault)) })
      })
      .finally(() => {
        if (isLast()) unit.asked = null
      })
  }

  async #bring(unit: Unit, inputs: string, change: FileChange): Promise<void> {
    const { reload } = unit.spec
    // Another command line needs another process.
    const canReload = stateOf(unit.process) === 'running' && unit.inputs.split(' ')[0] === inputs.split(' ')[0]
    const way = !canReload ? 'restart' : typeof reload === 'function' ? reload(change.files, change.before) : reload
    if (way !== 'restart' && unit.process) {
      Object.assign(unit, { state: 'reloading', inputs })
      // Recorded first: after a crash in between the process counts as reloaded, and the revert reloads it again.
      this.#persist()
      await this.#notify(unit, unit.process, way)
      this.#context.failpoint('unit.signalled')
      return
    }
    await this.#halt(unit)
    this.#context.failpoint('unit.stopped')
    unit.failures = 0
    this.#start(unit, inputs)
  }

  async #notify(unit: Unit, process: ProcessId, way: Exclude<Reload, 'restart'>): Promise<void> {
    if ('signal' in way) return signal(process.pid, way.signal)
    const steps =
      'ask' in way
        ? [() => askReload(way.ask, patient(notifyTimeoutMs))]
        : way.commands.map((one) => () => this.#refusalOf(one, way.timeoutMs))
    for (const step of steps) {
      const words = await step()
      if (words === null) continue
      const message = say`${unit.name} did not accept the change. ${oneLine(words)}`
      // Its configuration is unknown now, so the next change restarts it, unless its command line is all that must stay.
      const inputs = 'isKept' in way && way.isKept ? `${unit.inputs.split(' ')[0]} ` : ''
      Object.assign(unit, { state: 'failed', message, inputs })
      throw new Error(message)
    }
  }

  /** The error message of a command that failed; null when it succeeded. */
  async #refusalOf(command: Command, timeoutMs = notifyTimeoutMs): Promise<string | null> {
    const { code, failure, stdout, stderr } = await run(commandLine(command, this.#pathOf), timeoutMs)
    if (failure) return failure === 'missing' ? say`${command.program} is not installed.` : say`It does not answer.`
    return code === 0 ? null : (stderr || stdout).trim() || say`The command ended with ${code}.`
  }

  #start(unit: Unit, inputs: string): void {
    const [program = '', ...args] = unitCommandLine(unit.spec, this.#pathOf)
    unit.held = heldBefore(unit.spec.probe)
    const mark = { PORTCULLIS_UNIT: `${this.#context.directory}:${unit.name}` }
    const env = { ...programEnvironment, ...unit.spec.environment, ...mark }
    const child = withFile(unit.logPath, appending, (words) => {
      fs.fchmodSync(words, 0o640)
      unit.logOffset = fs.fstatSync(words).size
      const launch = (output: number) =>
        spawn(program, args, { cwd: '/', detached: true, env, stdio: ['ignore', output, words] })
      return unit.spec.output ? withOutput(unit.spec.output, launch) : launch(words)
    })
    const id = child.pid === undefined ? null : identify(child.pid)
    Object.assign(unit, { isWanted: true, inputs, process: id })
    Object.assign(unit, { state: 'activating', message: '', startedAt: performance.now() })
    child.once('error', (fault) => this.#context.log('error', `${unit.name} could not be started`, { fault }))
    if (id) {
      this.#children.add(id.pid)
      this.#context.place?.(unit.name, id.pid)
    }
    child.once('exit', (code, name) => {
      if (id) this.#children.delete(id.pid)
      if (unit.process === id) this.#ended(unit, name ? `signal ${name}` : `status ${code}`)
    })
    child.unref()
    this.#context.failpoint('unit.spawned')
    this.#persist()
    this.#context.failpoint('unit.started')
  }

  /** Ends the process, by force if needed, and waits until it is gone: its ports must be free again. */
  async #halt(unit: Unit): Promise<void> {
    clearTimeout(unit.retry)
    // In this state an exit is not a failure.
    Object.assign(unit, { state: 'deactivating', retry: undefined })
    await this.#end(unit.process, unit.name)
    unit.process = null
  }

  async #end(id: ProcessId | null, name: string): Promise<void> {
    if (!id || stateOf(id) === 'gone') return
    signal(-id.pid, 'SIGTERM')
    if (!(await isGoneWithin(id, patient(this.#context.timings.stopMs)))) {
      this.#context.log('warning', `${name} did not stop in time and was killed`, { pid: id.pid })
      signal(-id.pid, 'SIGKILL')
      if (!(await isGoneWithin(id, settleTimeoutMs))) throw new Error(`${name} cannot be stopped.`)
    }
    // Workers may outlive their parent and keep its ports.
    signal(-id.pid, 'SIGKILL')
  }

  /** The process ended unexpectedly: starts another one after a growing pause. */
  #ended(unit: Unit, how: string, words?: string): void {
    if (this.#isClosed || !unit.isWanted || unit.isInstalling || unit.retry || unit.state === 'deactivating') return
    if (this.mustInstall(unit.name)) {
      this.#install(unit, unit.inputs)
      return
    }
    if (unit.process) signal(-unit.process.pid, 'SIGKILL')
    const { log, timings } = this.#context
    if (performance.now() - unit.startedAt >= timings.stableMs) unit.failures = 0
    const wait = Math.min(timings.firstRetryMs * 2 ** Math.min(unit.failures, 20), timings.lastRetryMs)
    unit.lastWords = lastMessage(unit)
    const message = printSaid(
      words === undefined ? [say`${unit.name} ended with ${how}.`, verbatim(unit.lastWords)] : verbatim(oneLine(words)),
    )
    log('error', message, { unit: unit.name, retryMs: wait })
    const retry = setTimeout(() => {
      unit.retry = undefined
      try {
        this.#start(unit, unit.inputs)
      } catch (fault) {
        return this.#ended(unit, wordsOf(fault))
      }
      // The reason stays visible until the unit answers.
      unit.message = message
      this.probe(unit.name).catch((fault) => log('error', `${unit.name} failed its health check`, { fault }))
    }, wait).unref()
    Object.assign(unit, { process: null, failures: unit.failures + 1, state: 'failed', message, retry })
  }

  #persist(): void {
    const kept = [...this.#units.values()].filter((unit) => unit.isWanted)
    const units = kept.map(({ name, inputs, process }) => ({ name, inputs, process }))
    const record: Remembered = { kernel: this.#context.kernel, units, image: this.#image }
    try {
      writeDurable(this.#recordPath, JSON.stringify(record))
      this.#isRemembered = true
    } catch (fault) {
      if (!isStorageFault(fault)) throw fault
      // Engines are not stopped for that; it is tried again with every look.
      if (this.#isRemembered) this.#context.log('error', 'The record of the units cannot be stored', { fault })
      this.#isRemembered = false
    }
  }
}

/** Engines append, so their files can be emptied under them; of an output not one line may get lost. */
function trimFiles(unit: Unit, maxBytes: number): void {
  const { output } = unit.spec
  if (output) trimLog(output.path, output.maxBytes, (work) => whileSuspended(unit.process, work))
  if (trimLog(unit.logPath, maxBytes)) unit.logOffset = 0
}

/** Opens the file of an engine's output for appending, with its owner and mode. */
function withOutput<T>({ path, mode, uid, gid }: NonNullable<UnitSpec['output']>, work: (file: number) => T): T {
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  return withFile(path, appending, (file) => {
    if (uid !== undefined || gid !== undefined) fs.fchownSync(file, uid ?? -1, gid ?? -1)
    fs.fchmodSync(file, mode)
    return work(file)
  })
}

/** Renames the log of a renamed unit; the process keeps writing to the same file. */
function moveLog(from: string, to: string): void {
  if (fs.existsSync(from) && !fs.existsSync(to)) fs.renameSync(from, to)
}

/** The missing kernel feature, or the last line the engine wrote since its start and who else holds its port. */
function lastMessage(unit: Unit): string {
  const fault = kernelFault(unit.spec)
  if (fault !== null) return fault
  const lines = (readRegular(unit.logPath)?.subarray(unit.logOffset) ?? '').toString().split('\n')
  const words = lines.findLast((line) => line.trim() !== '') ?? ''
  const held = describeHeld(unit.spec.probe, unit.held)
  return oneLine(held === '' || words === '' ? words + held : `${words.replace(/\.?$/, '.')} ${held}`)
}

async function isGoneWithin(id: ProcessId, ms: number): Promise<boolean> {
  for (const limit = performance.now() + ms; performance.now() < limit; await pause(10))
    if (stateOf(id) === 'gone') return true
  return stateOf(id) === 'gone'
}
