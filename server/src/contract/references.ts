// Who uses an object: the mentions of every area, gathered once per state of its slots; and that what is used stays.

import type { AreaRules, Reference } from './area.ts'
import { GatewayError, maxProblems } from './error.ts'
import { type Config, perState } from './slots.ts'

type Finder = (config: Config, id: string) => readonly Reference[]

export function createReferenceFinder(areas: readonly AreaRules[]): Finder {
  const finders = areas.flatMap((area) => (area.references ? [indexed(area, area.references)] : []))
  return (config, id) => finders.flatMap((find) => find(config, id))
}

function indexed(area: AreaRules, references: NonNullable<AreaRules['references']>): Finder {
  const byObject = perState(area.slots, (config) => Map.groupBy(references(config), (reference) => reference.id))
  const canMention = area.canMention ?? (() => true)
  return (config, id) => (canMention(id) ? (byObject(config).get(id) ?? []) : [])
}

const maxNamed = 3

/** Throws when somebody uses it: the first few by name, the rest as a number. */
export function refuseInUse(what: string, users: readonly Reference[]): void {
  if (users.length === 0) return
  const titles = [...new Set(users.map(({ title }) => title))]
  const more = titles.length > maxNamed ? ` and ${titles.length - maxNamed} more` : ''
  throw new GatewayError('conflict', `The ${what} is used by ${titles.slice(0, maxNamed).join(', ')}${more}.`, {
    problems: users
      .slice(0, maxProblems)
      .map(({ object, field, title }) => ({ field: `${object}.${field}`, message: title })),
  })
}
