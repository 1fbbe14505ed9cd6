// Who uses an object: the mentions of every area, gathered once per state of its slots.

import type { AreaRules, Reference } from './area.ts'
import type { Config } from './slots.ts'

type ByObject = ReadonlyMap<string, readonly Reference[]>

export function createReferenceFinder(
  areas: readonly AreaRules[],
): (config: Config, id: string) => readonly Reference[] {
  const finders = areas.flatMap((area) => (area.references ? [indexed(area, area.references)] : []))
  return (config, id) => finders.flatMap((find) => find(config).get(id) ?? [])
}

function indexed(area: AreaRules, references: NonNullable<AreaRules['references']>): (config: Config) => ByObject {
  const keys = area.slots.map((slot) => slot.key)
  let last: { readonly values: readonly unknown[]; readonly index: ByObject } | null = null
  return (config) => {
    const values = keys.map((key) => config[key])
    if (last?.values.every((value, at) => value === values[at])) return last.index
    last = { values, index: Map.groupBy(references(config), (reference) => reference.id) }
    return last.index
  }
}
