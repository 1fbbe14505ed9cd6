// Builds applyd from its parts: shared context, private directories, the lock against a second applyd, recovery, socket.

import { chownSync, mkdirSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import type { DataPlane, TrialPacket, TrialResult } from '../core/plan/artifacts.ts'
import { findProgram, identify, isSameBoot, type ProcessId, stateOf } from '../engines/kit/processes.ts'
import type { ServiceAccount, Tables } from '../engines/kit/tables.ts'
import type { Log } from '../engines/kit/text.ts'
import { Refusal } from '../engines/kit/values.ts'
import { readJson, removeDurable, writeDurable } from '../shared/files/durable.ts'
import { findReplaceable, makeFolder } from '../shared/files/guarded.ts'
import { isStorageFault, keepReserve } from '../shared/files/reserve.ts'
import { createCheckpoints } from './checkpoints.ts'
import { createExecutor } from './executor.ts'
import { createKernel } from './kernel/kernel.ts'
import { arrivalTimings, createArrivals } from './live/arrivals.ts'
import { createCutter } from './live/cut.ts'
import { createSessionParts } from './live/session-parts.ts'
import { shareRunning } from './live/shared.ts'
import { readSessions } from './live/tracking.ts'
import { createBusy } from './loaded/busy.ts'
import { createControlGroups } from './machine/control-groups.ts'
import { startGuard } from './machine/guard.ts'
import { createSettings } from './machine/settings.ts'
import { createUpgrader, parseUpgrade } from './machine/upgrade.ts'
import { createMachineWatch } from './machine/watch-machine.ts'
import { createNetworkEngine, showDevices, showNeighbours } from './network.ts'
import { createQuestions } from './questions.ts'
import { argumentParsers } from './requests.ts'
import { createRuleset } from './ruleset.ts'
import { createVerbServer, type Verbs } from './server.ts'
import { createSupervisor, type Timings } from './supervisor.ts'
import { leftOutOfTrials, runTrial } from './trial.ts'
import { createWays } from './ways.ts'

/** The steps at which a test can make applyd fail or die; in production they do nothing. */
export const failpointNames = [
  ...(['staged', 'checked', 'intent.written', 'file.written', 'file.switched'] as const),
  ...(['nft.loaded', 'network.switched'] as const),
  ...(['unit.stopped', 'unit.spawned', 'unit.started', 'unit.signalled', 'units.switched', 'probed'] as const),
  ...(['record.written', 'intent.removed'] as const),
  ...(['restore.files', 'restore.network', 'restore.tables', 'restore.units', 'restore.done'] as const),
]
/** The same for a plan that is tried before its revision is committed. */
export const attemptFailpointNames = [
  ...(['attempt.intent', 'attempt.loaded', 'settle.recorded', 'settle.done', 'undo.tables', 'undo.done'] as const),
]
export type FailpointName = (typeof failpointNames | typeof attemptFailpointNames)[number]

export interface Context {
  readonly plane: DataPlane
  /** Why nothing is applied, as a message for the administrator. */
  readonly limitation: string | null
  /** Where applyd keeps its own records; only root can read it. */
  readonly directory: string
  /** Where engines write their logs, which gatewayd reads. */
  readonly logs: string
  /** The running kernel and namespace, see processes.ts. */
  readonly kernel: string
  readonly tables: Tables
  readonly timings: Timings
  readonly log: Log
  readonly failpoint: (name: FailpointName) => void
  /** Puts the process of a unit under the limits of that unit; without it there are none. */
  readonly place?: (unit: string, pid: number) => void
}

/** `service` is who may open the socket, beside root. */
export interface ApplydOptions extends Omit<Context, 'directory' | 'logs'> {
  readonly stateDir: string
  readonly service: ServiceAccount
}

export type Applyd = Awaited<ReturnType<typeof createApplyd>>

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export async function createApplyd({ stateDir, service, ...options }: ApplydOptions) {
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
  if (context.plane !== 'none') context.tables.makeReady()
  const supervisor = createSupervisor(context)
  const nftKernel = await createKernel(context.tables.nft, context.log)
  const busy = createBusy()
  const ruleset = createRuleset(context, nftKernel, busy)
  const network = createNetworkEngine(context)
  const executor = createExecutor(context, {
    supervisor,
    ruleset,
    network,
    busy,
    ways: createWays(
      context.tables.ways,
      { ip: [findProgram('ip')], nft: context.tables.nft.command },
      createSettings(context, context.tables.settings),
    ),
  })
  const arrivals = createArrivals(ruleset.live, arrivalTimings[nftKernel.way])
  const cutter = createCutter(context)
  const checkpoints = createCheckpoints(context.directory, context.log)
  const upgrader = createUpgrader({ stateDir, service, plane: context.plane })
  const questions = createQuestions(context.tables)
  let last: Promise<unknown> = Promise.resolve()
  let lastTrial: Promise<unknown> = Promise.resolve()
  let isClosing = false

  /** One at a time, in the order of arrival. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(() => {
      if (isClosing) throw new Refusal('The apply service is shutting down.')
      return work()
    })
    last = turn.catch(() => {})
    return turn
  }
  /** Slow and independent of everything else, but only one at a time. */
  const trial = (packets: readonly TrialPacket[]): Promise<readonly TrialResult[]> => {
    const turn = lastTrial.then(async () => {
      const script = await ruleset.show(leftOutOfTrials)
      return runTrial(context.tables.trial, { script, packets })
    })
    lastTrial = turn.catch(() => {})
    return turn
  }
  const sessionParts = createSessionParts(context)
  const nft = context.tables.nft.command
  const observe = () => ({ units: supervisor.observe(), links: network.observe() })
  const looks = { plane: context.plane, stateDir, nft, busy, missingLimits: groups.missing, observe }
  const verbs: Verbs = {
    check: ({ plan }) => inTurn(() => executor.check(plan)),
    apply: async ({ plan }) => {
      await executor.refresh(plan.revision)
      return inTurn(() => executor.apply(plan))
    },
    attempt: ({ plan }, connection) => inTurn(() => executor.attempt(plan, connection)),
    settle: ({ revision }) => inTurn(() => executor.settle(revision)),
    undo: ({ revision }) => inTurn(() => executor.undo(revision)),
    observe: () => executor.observe(),
    devices: shareRunning(showDevices),
    hits: () => ruleset.hits(),
    sessions: () => readSessions(context),
    sessionPart: ({ reading }) => sessionParts.read(reading),
    changeLive: ({ changes }) => ruleset.live.change(changes),
    readLive: ({ sets }) => ruleset.live.read(sets),
    arrivals: (_, connection) => arrivals.ask(connection),
    cut: ({ targets }) => cutter.cut(targets),
    machine: createMachineWatch(looks),
    neighbours: shareRunning(showNeighbours),
    trial: ({ packets }) => trial(packets),
    checkpoint: async ({ sequence, hash, isFirst }) => checkpoints.add(sequence, hash, isFirst),
    checkpoints: () => checkpoints.list(),
    ask: (question, connection) => questions.ask(question, connection),
    upgrade: ({ digest }) => upgrader.start(digest),
  }
  const createParsers = () => ({
    ...argumentParsers(context.tables),
    ask: questions.parse,
    upgrade: parseUpgrade,
  })
  /** After everything that the connection asked for. At the end of applyd the next start does what is left to do. */
  const onDisconnected = (connection: object): void => {
    arrivals.disconnected(connection)
    questions.disconnected(connection)
    let hasTurn = false
    const undo = (): Promise<void> => {
      hasTurn = true
      return executor.disconnected(connection)
    }
    inTurn(undo).catch((fault) => {
      if (hasTurn) context.log('error', 'A change that was not settled could not be undone', { fault })
    })
  }
  const server = createVerbServer(verbs, { createParsers, onDisconnected, log: context.log })
  try {
    await executor.recover()
    await listen(server.server, socketPath, service)
  } catch (fault) {
    await Promise.all([supervisor.close(false), nftKernel.close()])
    unlock()
    throw fault
  }
  const everyMs = context.plane === 'none' ? 0 : context.timings.guardMs
  const guarded = { kernel: nftKernel, table: context.tables.nft.tables[0], everyMs, log: context.log }
  const stopGuard = startGuard({ ...guarded, putBack: () => inTurn(() => ruleset.putBack()) })
  /** Engines keep running unless `stopUnits` is set. */
  const close = async (stopUnits = false): Promise<void> => {
    isClosing = true
    stopGuard()
    questions.close()
    arrivals.stop()
    await Promise.all([last, server.close()])
    await supervisor.close(stopUnits)
    ruleset.close()
    await Promise.all([nftKernel.close(), cutter.close(), sessionParts.close()])
    unlock()
  }
  return { socketPath, verbs, close }
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
