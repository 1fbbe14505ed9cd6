// The ways of packets, beside the tables of a plan: to the web proxy and to the inspection engine, which are there before the
// rules that need them and go after these, and on from one network to another (settings of the kernel), which comes after them.

import { isDeepStrictEqual } from 'node:util'
import type { KernelSetting } from '../core/plan/artifacts.ts'
import type { InspectedChannel } from '../core/plan/inspection.ts'
import type { createQueues } from '../engines/inspection/applyd/queues.ts'
import type { createInterception } from '../engines/web-filter/applyd/interception.ts'
import type { Settings } from './machine/settings.ts'

export interface WayTargets {
  /** Are packets for the web proxy delivered to the gateway itself? */
  readonly isIntercepting: boolean
  /** Whose packets go to the inspection engine. */
  readonly channels: readonly InspectedChannel[]
  readonly settings: readonly KernelSetting[]
}

/** All are absent in records of earlier releases. */
export type RecordedWays = Partial<WayTargets>

/** Nothing else of a target is recorded. */
export const recordOf = ({ isIntercepting, channels, settings }: WayTargets): RecordedWays => ({
  isIntercepting,
  channels,
  settings,
})

export type Ways = ReturnType<typeof createWays>

export function createWays(
  interception: ReturnType<typeof createInterception>,
  queues: ReturnType<typeof createQueues>,
  settings: Settings,
) {
  /** Names of artifacts that differ. `known` is what the kernel has, where that need not be read. */
  async function differences(target: WayTargets, known: RecordedWays | null): Promise<string[]> {
    const { isIntercepting, channels } = target
    const isRouted =
      (known && (known.isIntercepting ?? false) === isIntercepting) || (await interception.isCurrent(isIntercepting))
    const isQueued = (known && isDeepStrictEqual(known.channels ?? [], channels)) || (await queues.isCurrent(channels))
    const isSet =
      (known && isDeepStrictEqual(known.settings ?? [], target.settings)) || (await settings.isCurrent(target.settings))
    return [...(isRouted ? [] : ['interception']), ...(isQueued ? [] : ['inspection']), ...(isSet ? [] : ['settings'])]
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
    // The rules are in the kernel, so nothing passes by its being forwarded.
    if (names.includes('settings')) await settings.apply(target.settings)
  }

  async function ensure({ isIntercepting = false, channels = [], settings: wanted = [] }: RecordedWays): Promise<void> {
    await interception.ensure(isIntercepting)
    await queues.ensure(channels)
    await settings.ensure(wanted)
  }

  /** What of an observation belongs to ways. */
  async function observe({ channels = [], settings: wanted = [] }: RecordedWays) {
    return {
      ...(channels.length > 0 ? { inspection: await queues.observe() } : {}),
      ...(wanted.length > 0 ? { settings: settings.observe(wanted) } : {}),
    }
  }

  return { differences, open, close, ensure, observe }
}
