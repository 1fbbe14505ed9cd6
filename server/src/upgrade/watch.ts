// Whether the gateway is up after its files were replaced: both daemons stay alive, gatewayd answers and says that the same
// configuration is in force, and the rules are in the kernel.

import { lstatSync } from 'node:fs'
import { readOwned } from '../shared/files/guarded.ts'
import { type SaidText, say } from '../shared/said.ts'
import type { Machine } from './machine.ts'
import { runningName, type UpgradePlaces } from './places.ts'

export const daemons = ['portcullis-applyd.service', 'portcullis-gatewayd.service'] as const
export const socketUnit = 'portcullis-gatewayd.socket'

export interface Running {
  readonly pid: number
  readonly version: string
  readonly revision: number
  /** That the plan of the revision is in force. */
  readonly is_applied: boolean
}

/** What gatewayd says about itself; null when it says nothing. */
export function readRunning(places: UpgradePlaces): Running | null {
  try {
    const { uid } = lstatSync(places.incoming)
    const value = JSON.parse(readOwned(places.incoming, [runningName], uid, 4_096)?.toString('utf8') ?? 'null')
    const { pid, version, revision, is_applied } = value as Running
    const isGood = Number.isInteger(pid) && typeof version === 'string' && Number.isInteger(revision)
    return isGood ? { pid, version, revision, is_applied: is_applied === true } : null
  } catch {
    return null
  }
}

interface UnitState {
  readonly state: string
  readonly pid: number
  readonly restarts: number
}

export async function readUnit(machine: Machine, unit: string): Promise<UnitState> {
  const { output } = await machine.run(['systemctl', 'show', '-p', 'ActiveState,MainPID,NRestarts', unit])
  const value = (name: string): string => new Map(output.split('\n').map(split)).get(name) ?? ''
  return { state: value('ActiveState'), pid: Number(value('MainPID')), restarts: Number(value('NRestarts')) }
}

function split(line: string): [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1).trim()]
}

/** Where the socket of gatewayd listens, from this machine. */
async function findListener(machine: Machine): Promise<{ host: string; port: number } | null> {
  const { output } = await machine.run(['systemctl', 'show', '-p', 'Listen', '--value', socketUnit])
  const match = /(?:^|\s)(\S+):(\d{1,5})\s+\(Stream\)/.exec(output)
  if (!match) return null
  const host = (match[1] ?? '').replace('[', '').replace(']', '')
  return { host: host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, port: Number(match[2]) }
}

interface Look {
  /** What is missing, as a sentence; null when everything is up. */
  readonly missing: SaidText | null
  /** The processes; others mean that one ended in between. */
  readonly pids: string
  readonly restarts: number
}

/** One look; `revision` is that of the configuration before. */
async function look(machine: Machine, places: UpgradePlaces, revision: number | null): Promise<Look> {
  const units = await Promise.all(daemons.map((unit) => readUnit(machine, unit)))
  const pids = units.map(({ pid }) => pid).join(' ')
  const restarts = Math.max(...units.map((unit) => unit.restarts))
  const missing = (text: SaidText): Look => ({ missing: text, pids, restarts })
  const down = units.findIndex(({ state, pid }) => state !== 'active' || pid === 0)
  if (down >= 0) return missing(say`${daemons[down]} is ${units[down]?.state || 'not there'}.`)
  const running = readRunning(places)
  if (running === null || running.pid !== units[1]?.pid) return missing(say`The API is not ready.`)
  // A configuration that was not in force before need not be so now.
  if (revision !== null && !running.is_applied) return missing(say`The configuration is not in force.`)
  if (revision !== null && running.revision < revision)
    return missing(say`The configuration is that of revision ${running.revision}, and it was ${revision} before.`)
  const listener = await findListener(machine)
  if (listener && !(await machine.answers(listener.host, listener.port))) return missing(say`The API does not answer.`)
  const { code } = await machine.run(['nft', '-t', 'list', 'table', 'inet', 'portcullis'])
  if (code !== 0) return missing(say`The rules are not in the kernel.`)
  return { missing: null, pids, restarts }
}

export interface WatchTimes {
  readonly limitMs: number
  readonly stepMs: number
  /** So many good looks in a row at the same processes. */
  readonly looks: number
  /** A daemon that ended this often will not come up. */
  readonly mostRestarts: number
}

export const watchTimes: WatchTimes = { limitMs: 120_000, stepMs: 500, looks: 10, mostRestarts: 20 }

/** Null when the gateway is up and stays up, else what is missing. */
export async function waitUntilUp(
  machine: Machine,
  places: UpgradePlaces,
  revision: number | null,
  times: WatchTimes = watchTimes,
): Promise<SaidText | null> {
  let good = 0
  let pids = ''
  let missing: SaidText = say`It was not looked at.`
  for (let passed = 0; passed <= times.limitMs; passed += times.stepMs) {
    const seen = await look(machine, places, revision)
    if (seen.missing === null && seen.pids === pids) good += 1
    else good = seen.missing === null ? 1 : 0
    pids = seen.pids
    if (good >= times.looks) return null
    missing = seen.missing ?? say`A process ended again and again.`
    if (seen.restarts >= times.mostRestarts) return say`${missing} It was restarted ${seen.restarts} times.`
    await machine.pause(times.stepMs)
  }
  return missing
}
