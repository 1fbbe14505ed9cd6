// The ports and packages of our engines that others may hold, from their declarations. Pure.

import type { EngineData } from '../../core/engine/engine.ts'
import type { UnitObservation } from '../../core/plan/artifacts.ts'
import type { WatchedPort } from './readings.ts'

type UnitStates = readonly Pick<UnitObservation, 'name' | 'state'>[] | null

/** `units` is null where nothing is known about them. Each port once. */
export function watchedPorts(engines: readonly EngineData[], units: UnitStates): WatchedPort[] {
  const all = engines.flatMap((engine) => {
    const state = stateOf(engine, units)
    const declared = Object.values(engine.ports)
      .filter(({ way }) => way === 'input')
      .map(({ protocol, destinationPort }) => ({ protocol, port: destinationPort }))
    const inner = (engine.innerPorts ?? []).map((port) => ({ protocol: 'tcp' as const, port }))
    return [...declared, ...inner].map((port) => ({ ...port, title: engine.title, state }))
  })
  return [...new Map(all.toReversed().map((one) => [`${one.protocol} ${one.port}`, one])).values()].toReversed()
}

function stateOf(engine: EngineData, units: UnitStates): WatchedPort['state'] {
  if (units === null) return 'unknown'
  const isOwn = (name: string): boolean =>
    Object.hasOwn(engine.units, name) ||
    Object.keys(engine.unitTemplates).some((template) => name.startsWith(`${template}.`))
  const states = units.filter(({ name }) => isOwn(name)).map(({ state }) => state)
  if (states.every((state) => state === 'inactive')) return 'off'
  return states.some((state) => state === 'failed' || state === 'activating') ? 'failed' : 'running'
}

export const packageUnits = (engines: readonly EngineData[]): string[] => [
  ...new Set(
    engines.flatMap(({ packages }) => [...packages.start, ...packages.use].flatMap(({ units = [] }) => units)),
  ),
]
