// What the machine has left, judged: disk, memory, load, tracked connections and the clock. Pure.

import type { Finding, HealthState, MachineLoad } from '../../core/contract/health.ts'
import { type Said, say } from '../../shared/said.ts'

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`
const percent = (share: number): string => `${Math.round(share * 100)} %`

/** Known limits: from the first on it is a warning, from the second on a failure. */
const judged = (value: number, [warning, failed]: readonly [number, number]): HealthState =>
  value >= failed ? 'failed' : value >= warning ? 'warning' : 'ok'

const found = (id: string, title: Said, state: HealthState, message: Said, advice: Said): Finding => ({
  id,
  title,
  state,
  message,
  advice: state === 'ok' ? '' : advice,
})

interface Disk {
  readonly state: 'enough' | 'low' | 'full'
  readonly freeBytes: number
  readonly totalBytes: number
}

const diskStates = { enough: 'ok', low: 'warning', full: 'failed' } as const
const diskWords = {
  enough: say`The disk of the state folder has room.`,
  low: say`The disk is nearly full: logs and backups take no more room.`,
  full: say`The disk is full or takes no writes: new changes are refused.`,
} as const

export const diskFinding = ({ state, freeBytes, totalBytes }: Disk): Finding =>
  found(
    'disk',
    say`Disk`,
    diskStates[state],
    [diskWords[state], say`${mebibytes(freeBytes)} of ${mebibytes(totalBytes)} are free.`],
    say`Delete backups that are not needed, or other files on the disk of the state folder.`,
  )

/** Of all memory: what is in use and cannot be given back. */
const memoryLimits = [0.9, 0.97] as const
/** The load over five minutes, for each processor. */
const loadLimits = [2, 6] as const
const connectionLimits = [0.8, 0.95] as const

/** Null where the machine is not read. */
export const resourceFindings = (load: MachineLoad | null): Finding[] | null =>
  load && [...memoryFinding(load), ...loadFinding(load), ...connectionFinding(load)]

function memoryFinding({ memory }: MachineLoad): Finding[] {
  if (!memory || memory.totalBytes === 0) return []
  const used = 1 - memory.availableBytes / memory.totalBytes
  const message = say`${percent(used)} of ${mebibytes(memory.totalBytes)} are in use.`
  const advice = say`Switch off services that are not needed, or add memory.`
  return [found('memory', say`Memory`, judged(used, memoryLimits), message, advice)]
}

function loadFinding({ load, processors }: MachineLoad): Finding[] {
  if (!load) return []
  const message = say`The load over five minutes is ${load[1].toFixed(2)} on ${processors} processors.`
  const advice = say`Look at the charts for when it began, and at the traffic for what causes it.`
  return [found('load', say`Processor load`, judged(load[1] / processors, loadLimits), message, advice)]
}

function connectionFinding({ connections }: MachineLoad): Finding[] {
  if (!connections) return []
  const { count, limit } = connections
  const message = say`${count} of at most ${limit} connections are tracked.`
  const advice = say`Find the hosts with most connections in the traffic monitor. New connections are refused at the limit.`
  return [found('connections', say`Tracked connections`, judged(count / limit, connectionLimits), message, advice)]
}

export interface ClockReading {
  /** Null where the kernel cannot be asked. */
  readonly isKept: boolean | null
  /** Seconds by which it jumped lately; 0 when it did not. */
  readonly jumpedBy: number
}

export function clockFinding({ isKept, jumpedBy }: ClockReading): Finding {
  const [id, title] = ['clock', say`Clock`]
  const advice = say`Set up time synchronisation on this machine. Schedules, codes and certificates need the right time.`
  if (jumpedBy !== 0) {
    const seconds = Math.round(Math.abs(jumpedBy))
    const message =
      jumpedBy > 0
        ? say`The clock jumped forward by ${seconds} seconds within the last hour.`
        : say`The clock jumped back by ${seconds} seconds within the last hour.`
    return { id, title, state: 'warning', message, advice }
  }
  if (isKept === null)
    return { id, title, state: 'unknown', message: say`The kernel does not say who keeps the clock.`, advice: '' }
  return isKept
    ? found(id, title, 'ok', say`The clock is synchronised.`, '')
    : found(id, title, 'warning', say`Nothing keeps the clock of this machine right.`, advice)
}

/** A wall clock that moved away from the elapsed time by this much has jumped. */
const jumpSeconds = 30
/** How long a jump is reported. */
const reportSeconds = 3_600

/** Notices jumps of the wall clock from one look to the next. Times in seconds. */
export function createJumpWatch(): (wall: number, elapsed: number) => number {
  let before: number | null = null
  let jump = { at: Number.NEGATIVE_INFINITY, by: 0 }
  return (wall, elapsed) => {
    const offset = wall - elapsed
    if (before !== null && Math.abs(offset - before) >= jumpSeconds) jump = { at: elapsed, by: offset - before }
    before = offset
    return elapsed - jump.at < reportSeconds ? jump.by : 0
  }
}
