// Whether the engine takes packets from its queues. One that holds a queue and takes nothing stops all inspected traffic, also
// where packets would pass without it: it is ended, and starts again.

import { readFileSync } from 'node:fs'
import { patient } from '../../../shared/pace.ts'
import { readQueueRows } from './queue-flow.ts'

/** After this long without progress, on a machine that is not very slow. */
const patienceMs = 1000
/** For the first packet: the engine holds its queues before its threads run, which takes long where others want the processor too. */
const startMs = 10_000
/** A look that comes later than this says nothing: the whole machine stood still. */
const lateMs = 1500

export const hungWords = 'The inspection engine did not take packets for a second.'

/** Of a queue: how many packets wait, and how many of those that came no longer wait. */
interface QueueState {
  readonly waiting: number
  readonly taken: number
}

export const readQueues = (text: string): ReadonlyMap<number, QueueState> =>
  new Map(
    readQueueRows(text).map(({ number, waiting, lostAtOwner, sequence }) => [
      number,
      { waiting, taken: sequence - waiting - lostAtOwner },
    ]),
  )

export interface WatchSources {
  readonly queues: () => string
  /** Ticks of processor time that the process has used. */
  readonly ticks: (pid: number) => number
  readonly now: () => number
  /** A wait as long as this machine needs (pace.ts). */
  readonly patient: (milliseconds: number) => number
}

/** Of the namespace of this process. */
export const kernelQueues = (): string => readOr('/proc/net/netfilter/nfnetlink_queue')

const sources: WatchSources = {
  queues: kernelQueues,
  ticks: (pid) => {
    const stat = readOr(`/proc/${pid}/stat`)
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  },
  now: () => performance.now(),
  patient,
}

interface Standing {
  readonly taken: number
  readonly since: number
}

/**
 * Asked at every look of the supervisor; returns why the process must end, null while it works. A process that uses no time though packets
 * wait counts as one that hangs.
 */
export function createQueueWatch(from: WatchSources = sources): (pid: number) => string | null {
  const { queues, ticks, now } = from
  let seen = new Map<number, Standing>()
  let idle = { pid: 0, ticks: -1, since: 0 }
  let last = 0
  const [limit, startLimit, lateLimit] = [patienceMs, startMs, lateMs].map(from.patient) as [number, number, number]
  return (pid) => {
    const at = now()
    const [used, states] = [ticks(pid), readQueues(queues())]
    const isLate = at - last > lateLimit
    last = at
    if (isLate || idle.pid !== pid) seen = new Map()
    if (isLate || idle.pid !== pid || idle.ticks !== used) idle = { pid, ticks: used, since: at }
    const standing = new Map<number, Standing>()
    for (const [number, { waiting, taken }] of states) {
      if (waiting === 0) continue
      const before = seen.get(number)
      standing.set(number, before && before.taken === taken ? before : { taken, since: at })
    }
    // While nothing waits, using no time is not a fault.
    if (standing.size === 0) idle = { pid, ticks: used, since: at }
    seen = standing
    const isStanding = [...standing.values()].some(
      ({ taken, since }) => at - since >= (taken === 0 ? startLimit : limit),
    )
    return isStanding || at - idle.since >= limit ? hungWords : null
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
