// Reports hosts that the kernel noted. It has no message for that, so the two sets are looked at while a connection waits for
// an answer, and only while the loaded table has them. What was reported is removed when the same connection asks again: an answer
// that did not arrive is reported again to the next connection.

import { setTimeout } from 'node:timers/promises'
import type { Arrivals, LiveElement } from '../../core/plan/artifacts.ts'
import type { Live } from './live.ts'

export interface ArrivalTimings {
  readonly pauseMs: number
  /** Without an arrival the answer comes after this time. */
  readonly waitMs: number
}

/** A look of the nft program is a process. */
export const arrivalTimings: Readonly<Record<'library' | 'program', ArrivalTimings>> = {
  library: { pauseMs: 150, waitMs: 10_000 },
  program: { pauseMs: 500, waitMs: 10_000 },
}

const noted = ['auth_new', 'auth_unknown'] as const
/** Of each set in one answer; the rest comes with the next one. */
const elementsAtOnce = 5000
/** A look that takes long, because a host fills the sets, is not repeated sooner than this many times its duration. */
const pausePerDuration = 20

type Reported = Readonly<Record<(typeof noted)[number], readonly LiveElement[]>>
interface Asker {
  readonly ending: AbortController
  reported: Reported | null
  /** The epoch as it was told last, or when it was asked first. */
  epoch: string
}

const inside = {}

export function createArrivals(
  live: Pick<Live, 'change' | 'read' | 'declares' | 'epoch'>,
  { pauseMs, waitMs }: ArrivalTimings,
) {
  const askers = new Map<object, Asker>()
  let isStopped = false

  /** `connection`: who asks, null inside this process. A second question of it ends the first. */
  async function ask(connection: object | null = null): Promise<Arrivals> {
    const who = connection ?? inside
    const before = askers.get(who)
    before?.ending.abort()
    const asker: Asker = {
      ending: new AbortController(),
      reported: before?.reported ?? null,
      epoch: before?.epoch ?? live.epoch(),
    }
    askers.set(who, asker)
    const hasReported = asker.reported !== null
    await forgetReported(asker)
    // A host that is noted again at once must not keep both ends busy.
    if (hasReported) await pause(pauseMs, asker.ending.signal)
    const until = performance.now() + waitMs
    for (;;) {
      const began = performance.now()
      const found = isStopped || asker.ending.signal.aborted ? null : await look()
      // An answer that no one reads any more must not be taken as reported.
      if (found && !asker.ending.signal.aborted) {
        asker.reported = found
        return tell(asker, found.auth_new, found.auth_unknown)
      }
      const now = performance.now()
      // Elements of sessions were lost: who asks is to bring them back at once.
      const isOther = live.epoch() !== asker.epoch
      if (isStopped || asker.ending.signal.aborted || isOther || now >= until) return tell(asker, [], [])
      await pause(Math.max(pauseMs, pausePerDuration * (now - began)), asker.ending.signal)
    }
  }

  function tell(asker: Asker, authorized: readonly LiveElement[], unknown: readonly LiveElement[]): Arrivals {
    asker.epoch = live.epoch()
    return { epoch: asker.epoch, authorized, unknown }
  }

  async function forgetReported(asker: Asker): Promise<void> {
    const { reported } = asker
    if (!reported) return
    await live.change(noted.map((set) => ({ set, add: [], remove: reported[set] })))
    asker.reported = null
  }

  /** Null when there is nothing to report. */
  async function look(): Promise<Reported | null> {
    if (!live.declares(noted)) return null
    const { sets } = await live.read(noted)
    const of = (set: (typeof noted)[number]): LiveElement[] => (sets[set] ?? []).slice(0, elementsAtOnce)
    const found: Reported = { auth_new: of('auth_new'), auth_unknown: of('auth_unknown') }
    return found.auth_new.length + found.auth_unknown.length > 0 ? found : null
  }

  /** The connection is closed: no one reads the answer. */
  function disconnected(connection: object): void {
    askers.get(connection)?.ending.abort()
    askers.delete(connection)
  }

  /** Answers all that wait. */
  function stop(): void {
    isStopped = true
    for (const { ending } of askers.values()) ending.abort()
  }

  return { ask, disconnected, stop }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
  } catch {
    // It was ended.
  }
}
