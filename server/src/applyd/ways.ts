// The ways of packets, beside the tables of a plan: to engines, as these declare them, and on from one network to another
// (settings of the kernel). Ways to engines are there before the rules that need them and go after these; the settings come
// after them.

import { isDeepStrictEqual } from 'node:util'
import type { KernelSetting } from '../core/plan/artifacts.ts'
import type { KernelPrograms, Way, WayState } from '../engines/kit/ways.ts'
import type { Settings } from './machine/settings.ts'

export interface WayTargets {
  /** By name; a way that is not in it is closed. */
  readonly ways: Readonly<Record<string, readonly object[]>>
  readonly settings: readonly KernelSetting[]
}

/** Absent in records of earlier releases: then the kernel is asked, and ways are left as they are. */
export type RecordedWays = Partial<WayTargets>

/** Nothing else of a target is recorded. */
export const recordOf = ({ ways, settings }: WayTargets): RecordedWays => ({ ways, settings })

const stateIn = ({ ways = {} }: RecordedWays, name: string): WayState<object> => ways[name] ?? null

export type Ways = ReturnType<typeof createWays>

export function createWays(declared: readonly Way[], programs: KernelPrograms, settings: Settings) {
  const all = declared.map((way) => ({ name: way.name, control: way.create(programs) }))

  /** Names of what differs. `known` is what the kernel has, where that need not be read. */
  async function differences(
    target: WayTargets,
    known: RecordedWays | null,
  ): Promise<{ readonly ways: readonly string[]; readonly areSettings: boolean }> {
    const ways: string[] = []
    for (const { name, control } of all) {
      const state = stateIn(target, name)
      const isKnown = known?.ways !== undefined && isDeepStrictEqual(stateIn(known, name), state)
      if (!isKnown && !(await control.isCurrent(state))) ways.push(name)
    }
    const isSet =
      (known && isDeepStrictEqual(known.settings ?? [], target.settings)) || (await settings.isCurrent(target.settings))
    return { ways, areSettings: !isSet }
  }

  async function open(names: readonly string[], target: WayTargets, before: RecordedWays | null): Promise<void> {
    for (const { name, control } of all.filter((way) => names.includes(way.name))) {
      const state = stateIn(target, name)
      if (state !== null) await control.open(state, stateIn(before ?? {}, name))
    }
  }

  async function close(names: readonly string[], target: WayTargets): Promise<void> {
    for (const { name, control } of all.filter((way) => names.includes(way.name)))
      await control.close(stateIn(target, name))
  }

  /** The rules are in the kernel, so nothing passes by its being forwarded. */
  const set = (target: WayTargets): Promise<void> => settings.apply(target.settings)

  async function ensure(recorded: RecordedWays): Promise<void> {
    if (recorded.ways) for (const { name, control } of all) await control.ensure(stateIn(recorded, name))
    await settings.ensure(recorded.settings ?? [])
  }

  /** What of an observation belongs to ways. */
  async function observe(recorded: RecordedWays) {
    const ways: Record<string, unknown> = {}
    for (const { name, control } of all)
      if (stateIn(recorded, name) && control.observe) ways[name] = await control.observe()
    const { settings: wanted = [] } = recorded
    return {
      ...(Object.keys(ways).length > 0 ? { ways } : {}),
      ...(wanted.length > 0 ? { settings: settings.observe(wanted) } : {}),
    }
  }

  /** Of ways that keep connections from being ended. False when none was open. */
  async function giveUp(): Promise<boolean> {
    const wereOpen = await Promise.all(all.map(({ control }) => control.giveUp?.() ?? false))
    return wereOpen.includes(true)
  }

  return { differences, open, close, set, ensure, observe, giveUp }
}
