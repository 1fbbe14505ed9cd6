// The inner stage: private mounts, the lab's network, the management socket, then the processes, until asked
// to stop. Started by the outer stage behind the walls of `planes.ts`.

import { Socket } from 'node:net'
import { labNamespaces } from '../lab/network.ts'
import { Announcer, type Subject } from './announcer.ts'
import { RunningGateway } from './gateway.ts'
import { HostPids } from './host-pids.ts'
import { type Launch, leashFd } from './launch.ts'
import { openListener } from './listener.ts'
import { keepLogsShort, openLog } from './logs.ts'
import { mountPrivateView, writeResolver } from './mounts.ts'
import { buildNetwork } from './namespaces.ts'
import type { PlaneChoice } from './planes.ts'
import { listPrograms, type ProgramContext } from './programs.ts'
import { removeRecord } from './record.ts'
import { onStopSignal } from './signals.ts'

export async function runInside(launch: Launch, adminPassword: string | null): Promise<number> {
  const stopWish = waitForStop(launch)
  const { settings, accounts } = launch
  const hostPids = new HostPids()
  const listener = openListener(settings.listen)
  const places = mountPrivateView(launch.choice, settings.stateDir, accounts.service)
  const choice = buildLab(launch.choice)
  const logs = new Set<string>()
  const openNamedLog = (name: string): number => {
    logs.add(name)
    return openLog(places.state, name)
  }
  keepLogsShort(places.state, () => [...logs])
  const announcer = new Announcer({
    facts: describe(launch, choice, hostPids),
    recordIn: places.state,
    stateDir: settings.stateDir,
    log: openNamedLog('launcher'),
    adminPassword,
    isJournal: launch.isJournal,
  })
  const gateway = new RunningGateway(hostPids, announcer)
  const context: ProgramContext = {
    choice,
    places,
    accounts,
    brand: settings.brand,
    listenFd: listener.fd,
    listenAddress: listener.address,
    agentListen: settings.agentListen,
    agentPath: settings.agentPath,
    nftWay: settings.nftWay,
    openLog: openNamedLog,
    firstPassword: () => announcer.firstPassword(),
  }
  gateway.start(listPrograms(context))
  await stopWish
  await gateway.stop()
  removeRecord(places.state)
  return 0
}

function describe({ launcher }: Launch, choice: PlaneChoice, hostPids: HostPids): Subject['facts'] {
  return {
    pid: launcher.pid,
    launcher,
    inside: hostPids.own,
    userNamespace: choice.isolation === 'user',
    dataplane: choice.plane,
    limitation: choice.limitation,
    namespaces: choice.plane === 'lab' ? labNamespaces : [],
    started: new Date().toISOString(),
  }
}

/** A kernel may grant namespaces and yet lack a part of the lab; then the product still runs, without it. */
function buildLab(choice: PlaneChoice): PlaneChoice {
  if (choice.plane !== 'lab') return choice
  try {
    buildNetwork()
    writeResolver()
    return choice
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ...choice, plane: 'none', limitation: `the lab could not be built: ${reason}` }
  }
}

/** From a signal, or because the outer stage let go of the leash. */
function waitForStop({ choice }: Launch): Promise<void> {
  return new Promise((resolve) => {
    onStopSignal(resolve)
    if (choice.isolation === 'plain') return
    new Socket({ fd: leashFd, readable: true, writable: false }).once('close', () => resolve()).resume()
  })
}
