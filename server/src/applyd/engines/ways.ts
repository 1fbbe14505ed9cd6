// The ways of packets to engines, beside the tables of a plan: to the web proxy and to the inspection engine. They are there before
// the rules that need them, and go after these.

import { isDeepStrictEqual } from 'node:util'
import type { InspectedChannel } from '../../plan/inspection.ts'
import type { createQueues } from './inspection/queues.ts'
import type { createInterception } from './web-filter/interception.ts'

export interface WayTargets {
  /** Are packets for the web proxy delivered to the gateway itself? */
  readonly isIntercepting: boolean
  /** Whose packets go to the inspection engine. */
  readonly channels: readonly InspectedChannel[]
}

/** Both are absent in records of earlier releases. */
export type RecordedWays = Partial<WayTargets>

export type Ways = ReturnType<typeof createWays>

export function createWays(
  interception: ReturnType<typeof createInterception>,
  queues: ReturnType<typeof createQueues>,
) {
  /** Names of artifacts that differ. `known` is what the kernel has, where that need not be read. */
  async function differences({ isIntercepting, channels }: WayTargets, known: RecordedWays | null): Promise<string[]> {
    const isRouted =
      (known && (known.isIntercepting ?? false) === isIntercepting) || (await interception.isCurrent(isIntercepting))
    const isQueued = (known && isDeepStrictEqual(known.channels ?? [], channels)) || (await queues.isCurrent(channels))
    return [...(isRouted ? [] : ['interception']), ...(isQueued ? [] : ['inspection'])]
  }

  /** Channels that go stay until the rules no longer lead to them. */
  async function open(names: readonly string[], target: WayTargets, before: RecordedWays | null): Promise<void> {
    if (names.includes('interception') && target.isIntercepting) await interception.apply(true)
    if (!names.includes('inspection') || target.channels.length === 0) return
    const wanted = new Set(target.channels.map(({ number }) => number))
    const going = (before?.channels ?? []).filter(({ number }) => !wanted.has(number))
    await queues.apply([...going, ...target.channels].toSorted((one, other) => one.number - other.number))
  }

  async function close(names: readonly string[], target: WayTargets): Promise<void> {
    if (names.includes('interception') && !target.isIntercepting) await interception.apply(false)
    if (names.includes('inspection')) await queues.ensure(target.channels)
  }

  async function ensure({ isIntercepting = false, channels = [] }: RecordedWays): Promise<void> {
    await interception.ensure(isIntercepting)
    await queues.ensure(channels)
  }

  return { differences, open, close, ensure, observe: queues.observe }
}
