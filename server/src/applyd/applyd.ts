// Builds applyd from its parts: shared context, private directories, the lock against a second applyd, recovery, socket.

import { chownSync, mkdirSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import type { TrialPacket, TrialResult } from '../core/plan/artifacts.ts'
import { findProgram, identify, isSameBoot, type ProcessId, stateOf } from '../engines/kit/processes.ts'
import type { ServiceAccount } from '../engines/kit/tables.ts'
import { Refusal } from '../engines/kit/values.ts'
import { readJson, removeDurable, writeDurable } from '../shared/files/durable.ts'
import { findReplaceable, makeFolder } from '../shared/files/guarded.ts'
import { isStorageFault, keepReserve } from '../shared/files/reserve.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { Context } from './context.ts'
import { Executor } from './executor.ts'
import { createKernel } from './kernel/kernel.ts'
import { arrivalTimings, createArrivals } from './live/arrivals.ts'
import { Cutter } from './live/cut.ts'
import { createSessionParts } from './live/session-parts.ts'
import { shareRunning } from './live/shared.ts'
import { readSessions } from './live/tracking.ts'
import { createBusy } from './loaded/busy.ts'
import { createControlGroups } from './machine/control-groups.ts'
import { startGuard } from './machine/guard.ts'
import { Settings } from './machine/settings.ts'
import { createUpgrader, parseUpgrade } from './machine/upgrade.ts'
import { createMachineWatch } from './machine/watch-machine.ts'
import { NetworkEngine, showDevices, showNeighbours } from './network.ts'
import { createQuestions } from './questions.ts'
import { argumentParsers } from './requests.ts'
import { Ruleset } from './ruleset.ts'
import { createVerbServer, type Verbs } from './server.ts'
import { Supervisor } from './supervisor.ts'
import { leftOutOfTrials, runTrial } from './trial.ts'
import { createWays } from './ways.ts'

/** `service` is who may open the socket, beside root. */
export interface ApplydOptions extends Omit<Context, 'directory' | 'logs'> {
  readonly stateDir: string
  readonly service: ServiceAccount
}

/** Everything that applyd is made of, before any request is taken. */
async function assemble({ stateDir, service, ...options }: ApplydOptions) {
  const groups = createControlGroups(options)
  const folders = { directory: join(stateDir, 'applyd'), logs: join(stateDir, 'log') }
  const context: Context = { ...options, ...folders, place: groups.place }
  const socketPath = join(stateDir, 'run', 'applyd.sock')
  makeState(stateDir, service)
  makeOwn(context.directory, 0o700, null)
  // Others pass through to a folder of their own and see nothing else.
  makeOwn(join(stateDir, 'run'), 0o751, service)
  // New files in it belong to the group of the folder.
  makeOwn(context.logs, 0o2750, service)
  keepReserve(join(context.directory, 'reserve'))
  const unlock = takeLock(context)
  // The launcher takes the socket as the sign that applyd is ready, so an old one is removed before recovery.
  rmSync(socketPath, { force: true })
  const { plane, tables, directory, log } = context
  if (plane !== 'none') tables.makeReady()
  const supervisor = new Supervisor(context)
  const kernel = await createKernel(tables.nft, log)
  const busy = createBusy()
  const ruleset = new Ruleset(context, kernel, busy)
  const network = new NetworkEngine(context)
  const programs = { ip: [findProgram('ip')], nft: tables.nft.command }
  const ways = createWays(tables.ways, programs, new Settings(context, tables.settings))
  const observe = () => ({ units: supervisor.observe(), links: network.observe() })
  return {
    ...{ context, service, socketPath, unlock, supervisor, kernel, ruleset },
    executor: new Executor(context, { supervisor, ruleset, network, busy, ways }),
    arrivals: createArrivals(ruleset.live, arrivalTimings[kernel.way]),
    cutter: new Cutter({ ...context, giveUp: ways.giveUp }),
    checkpoints: createCheckpoints(directory, log),
    upgrader: createUpgrader({ stateDir, service, plane }),
    questions: createQuestions(tables),
    sessionParts: createSessionParts(context),
    machine: createMachineWatch({ plane, stateDir, nft: programs.nft, busy, missingLimits: groups.missing, observe }),
  }
}

export class Applyd {
  readonly socketPath: string
  readonly verbs: Verbs
  readonly #parts: Awaited<ReturnType<typeof assemble>>
  readonly #server: ReturnType<typeof createVerbServer>
  #stopGuard = (): void => {}
  #last: Promise<unknown> = Promise.resolve()
  #lastTrial: Promise<unknown> = Promise.resolve()
  #isClosing = false

  private constructor(parts: Awaited<ReturnType<typeof assemble>>) {
    const { context, questions } = parts
    this.#parts = parts
    this.socketPath = parts.socketPath
    this.verbs = this.#createVerbs()
    const createParsers = () => ({ ...argumentParsers(context.tables), ask: questions.parse, upgrade: parseUpgrade })
    const onDisconnected = (connection: object): void => this.#disconnected(connection)
    this.#server = createVerbServer(this.verbs, { createParsers, onDisconnected, log: context.log })
  }

  static async start(options: ApplydOptions): Promise<Applyd> {
    const parts = await assemble(options)
    const { context, service, socketPath, supervisor, kernel, ruleset, executor, unlock } = parts
    const applyd = new Applyd(parts)
    try {
      await executor.recover()
      await listen(applyd.#server.server, socketPath, service)
    } catch (fault) {
      await Promise.all([supervisor.close(false), kernel.close()])
      unlock()
      throw fault
    }
    const everyMs = context.plane === 'none' ? 0 : context.timings.guardMs
    const guarded = { kernel, table: context.tables.nft.tables[0], everyMs, log: context.log }
    applyd.#stopGuard = startGuard({ ...guarded, putBack: () => applyd.#inTurn(() => ruleset.putBack()) })
    return applyd
  }

  /** Engines keep running unless `stopUnits` is set. */
  async close(stopUnits = false): Promise<void> {
    const { supervisor, kernel, ruleset, questions, arrivals, cutter, sessionParts, unlock } = this.#parts
    this.#isClosing = true
    this.#stopGuard()
    questions.close()
    arrivals.stop()
    await Promise.all([this.#last, this.#server.close()])
    await supervisor.close(stopUnits)
    ruleset.close()
    cutter.close()
    await Promise.all([kernel.close(), sessionParts.close()])
    unlock()
  }

  #createVerbs(): Verbs {
    const { executor, ruleset, arrivals, cutter, checkpoints, questions, sessionParts, upgrader } = this.#parts
    return {
      check: ({ plan }) => this.#inTurn(() => executor.check(plan)),
      apply: async ({ plan }) => {
        await executor.refresh(plan.revision)
        return this.#inTurn(() => executor.apply(plan))
      },
      attempt: ({ plan }, connection) => this.#inTurn(() => executor.attempts.attempt(plan, connection)),
      settle: ({ revision }) => this.#inTurn(() => executor.attempts.settle(revision)),
      undo: ({ revision }) => this.#inTurn(() => executor.attempts.undo(revision)),
      observe: () => executor.observe(),
      devices: shareRunning(showDevices),
      hits: () => ruleset.hits(),
      sessions: () => readSessions(this.#parts.context),
      sessionPart: ({ reading }) => sessionParts.read(reading),
      changeLive: ({ changes }) => ruleset.live.change(changes),
      readLive: ({ sets }) => ruleset.live.read(sets),
      arrivals: (_, connection) => arrivals.ask(connection),
      cut: ({ targets }) => cutter.cut(targets),
      machine: this.#parts.machine,
      neighbours: shareRunning(showNeighbours),
      trial: ({ packets }) => this.#trial(packets),
      checkpoint: async ({ sequence, hash, isFirst }) => checkpoints.add(sequence, hash, isFirst),
      checkpoints: () => checkpoints.list(),
      ask: (question, connection) => questions.ask(question, connection),
      upgrade: ({ digest }) => upgrader.start(digest),
    }
  }

  /** One at a time, in the order of arrival. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      if (this.#isClosing) throw new Refusal('The apply service is shutting down.')
      return work()
    })
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Slow and independent of everything else, but only one at a time. */
  #trial(packets: readonly TrialPacket[]): Promise<readonly TrialResult[]> {
    const { context, ruleset } = this.#parts
    const turn = this.#lastTrial.then(async () => {
      const script = await ruleset.show(leftOutOfTrials)
      return runTrial(context.tables.trial, { script, packets })
    })
    this.#lastTrial = turn.catch(() => {})
    return turn
  }

  /** After everything that the connection asked for. At the end of applyd the next start does what is left to do. */
  #disconnected(connection: object): void {
    const { context, arrivals, questions, executor } = this.#parts
    arrivals.disconnected(connection)
    questions.disconnected(connection)
    let hasTurn = false
    const undo = (): Promise<void> => {
      hasTurn = true
      return executor.attempts.disconnected(connection)
    }
    this.#inTurn(undo).catch((fault) => {
      if (hasTurn) context.log('error', 'A change that was not settled could not be undone', { fault })
    })
  }
}

/** A directory of another user could hold forged records, or have its socket replaced. */
function makeOwn(path: string, mode: number, service: ServiceAccount): void {
  makeFolder(path, mode, { uid: process.geteuid?.() ?? 0, gid: service?.gid ?? process.getegid?.() ?? 0 })
}

/** What is in a folder that gatewayd can replace is not ours, whatever it is called. */
function makeState(path: string, service: ServiceAccount): void {
  mkdirSync(path, { recursive: true, mode: 0o711 })
  const folder = service && service.uid !== process.geteuid?.() ? findReplaceable(path, [service]) : null
  if (folder !== null) throw new Error(`The account of gatewayd (uid ${service?.uid}) could replace ${folder}.`)
}

/** Of the process that uses the folder; records of earlier releases have no kernel. */
type Lock = ProcessId & { readonly kernel?: string }

function takeLock({ directory, kernel, log }: Context): () => void {
  const path = join(directory, 'lock.json')
  const holder = readJson<Lock>(path, log)
  if (isSameBoot(holder?.kernel ?? kernel, kernel) && stateOf(holder) !== 'gone')
    throw new Error(`Another applyd (process ${holder?.pid}) is using this state folder.`)
  try {
    writeDurable(path, JSON.stringify({ ...identify(process.pid), kernel }))
  } catch (fault) {
    // Engines must be looked after on any disk; the launcher has a lock too.
    if (!isStorageFault(fault)) throw fault
    log('error', 'The lock of applyd cannot be stored', { fault })
  }
  return () => removeDurable(path)
}

/** Created without access: only root can open the socket before its owner is set. */
async function listen(server: Server, path: string, service: ServiceAccount): Promise<void> {
  const umask = process.umask(0o177)
  const listening = new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  process.umask(umask)
  await listening
  if (service) chownSync(path, service.uid, service.gid)
}
