// Who uses an object: the mentions of every area, gathered once per state of its slots; and that what is used stays.

import { say, verbatim } from '../../shared/said.ts'
import { GatewayError, maxProblems } from '../contract/error.ts'
import { type Config, type ItemId, type ListSlot, perState, type Slot } from './slots.ts'

/** One place of the configuration that names an object of another one. */
export interface Reference {
  /** The object referred to, such as `ip.id.3`; an owner is referred to by its path, for its id may be a plain number. */
  readonly id: string
  /** Who refers to it: `firewall.forward[7]`. */
  readonly object: string
  readonly field: string
  /** The same in the administrator's words: `FORWARD rule 7`. */
  readonly title: string
  /** What is removed with the object instead of keeping it: the item that refers to it, and how others name that one. */
  readonly along?: { readonly slot: ListSlot; readonly id: ItemId; readonly mentionedAs: string | null }
}

/** An area as far as its mentions of objects go. */
export interface Mentioning {
  readonly slots: readonly Slot[]
  /** Every mention of an object in the area's own slots. */
  readonly references?: (config: Config) => readonly Reference[]
  /** Whether an object of this id could be mentioned at all; absent: any could. Spares a look at fifty thousand users. */
  readonly canMention?: (id: string) => boolean
}

type Finder = (config: Config, id: string) => readonly Reference[]

export function createReferenceFinder(areas: readonly Mentioning[]): Finder {
  const finders = areas.flatMap((area) => (area.references ? [indexed(area, area.references)] : []))
  return (config, id) => finders.flatMap((find) => find(config, id))
}

function indexed(area: Mentioning, references: NonNullable<Mentioning['references']>): Finder {
  const mentionsIn = perState(area.slots, (config) => new Mentions(references(config)))
  const canMention = area.canMention ?? (() => true)
  return (config, id) => (canMention(id) ? mentionsIn(config).of(id) : [])
}

/** So many questions are answered by a look at all mentions; one removal asks one or two, and then the state is another. */
const askedBeforeIndex = 8

/** The mentions of one area in one state. */
class Mentions {
  readonly #all: readonly Reference[]
  #asked = 0
  #byObject: Map<string, Reference[]> | null = null

  constructor(all: readonly Reference[]) {
    this.#all = all
  }

  of(id: string): readonly Reference[] {
    if (this.#asked++ < askedBeforeIndex) return this.#all.filter((reference) => reference.id === id)
    this.#byObject ??= Map.groupBy(this.#all, (reference) => reference.id)
    return this.#byObject.get(id) ?? []
  }
}

const maxNamed = 3

/** Throws when it is in use: names the first few users and counts the rest. */
export function refuseInUse(what: string, users: readonly Reference[]): void {
  if (users.length === 0) return
  const titles = [...new Set(users.map(({ title }) => title))]
  const named = titles.slice(0, maxNamed).join(', ')
  const all = titles.length > maxNamed ? say`${named} and ${titles.length - maxNamed} more` : named
  throw new GatewayError('conflict', say`The ${what} is used by ${all}.`, {
    reason: 'in_use',
    problems: users
      .slice(0, maxProblems)
      .map(({ object, field, title }) => ({ field: `${object}.${field}`, message: verbatim(title) })),
  })
}
