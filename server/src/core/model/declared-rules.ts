// What follows from declarations for the whole configuration: what is wrong with it, and who names an object. Lists have
// tens of thousands of items and are verified at every change, so only what changed since the last good state is looked at.

import { say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import { maxProblems, type Problem } from '../contract/error.ts'
import {
  any,
  anyProblems,
  completed,
  type ListDeclaration,
  mentionedAs,
  nameOf,
  ownerOf,
  type ReferenceField,
  type SettingsDeclaration,
  type Unique,
} from './declarations.ts'
import { pathOf, under } from './paths.ts'
import type { Reference } from './references.ts'
import { findRuns, missedByRuns, outsideRuns } from './runs.ts'
import { type Config, commonEnds, type Item, type ListSlot, read, type Slot } from './slots.ts'

interface Declared<T> {
  readonly references?: readonly ReferenceField<T>[]
  problemsOf?(config: Config, value: T, current: T | null): readonly Problem[]
}

/** What is wrong with a value by itself, by the fields of its body. Ten thousand rules are asked, so nothing is copied. */
export function problemsOf<T>(config: Config, declared: Declared<T>, value: T, current: T | null): readonly Problem[] {
  const problems: Problem[] = []
  for (const reference of declared.references ?? []) addReferenceProblems(problems, config, reference, value)
  const others = declared.problemsOf?.(config, value, current) ?? []
  return problems.length === 0 ? others : [...problems, ...others]
}

export const conflictsOf = <T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  item: T,
  current: T | null,
): readonly Problem[] => list.conflictsOf?.(config, item, current) ?? []

function addReferenceProblems<T>(problems: Problem[], config: Config, reference: ReferenceField<T>, value: T): void {
  const { field, isList, allowsAny } = reference
  const ids = reference.idsOf(value)
  if (allowsAny && ids.includes(any)) {
    if (ids.length > 1) problems.push(...anyProblems(field, ids))
    return
  }
  const most = problems.length + maxProblems
  let placeOf: ((index: number) => string) | undefined
  for (const [index, id] of ids.entries()) {
    const message = reference.faultOf?.(config, id, value) ?? null
    if (message === null) continue
    // Once for all faults: there may be a hundred thousand ids.
    placeOf ??= reference.placesOf?.(value) ?? ((at) => (isList ? `${field}[${at}]` : field))
    problems.push({ field: placeOf(index), message })
    if (problems.length >= most) return
  }
}

type Verify = (config: Config) => readonly Problem[]

export const createSettingsVerifier =
  <T extends object>(settings: SettingsDeclaration<T>): Verify =>
  (config) => {
    const value = read(config, settings.slot)
    return under(settings.slot.key, problemsOf(config, settings, value, value))
  }

export function createListVerifier<T extends Item>(list: ListDeclaration<T>): Verify {
  const reads = list.reads ?? []
  const named = [...new Set((list.references ?? []).flatMap(({ slots = [] }) => slots))]
  const uniques = (list.unique ?? []).map((unique) => createUniqueCheck(list, unique))
  const checkOwners = createOwnerCheck(list)
  let good: Good<T> | null = null
  return (stored) => {
    const config = completed(stored, list)
    const items = read(config, list.slot)
    const state = reads.map(({ key }) => config[key])
    const objects = named.map((slot) => read(config, slot))
    const before = good && isSame(good.state, state) && !hasLost(stored, list, good, objects) ? good.items : []
    const { changed, sound } = list.conflictsOf ? differingEnds(before, items) : differingItems(before, items)
    const problems: Problem[] = []
    const add = (item: T, found: readonly Problem[]): void => {
      if (found.length > 0) problems.push(...under(pathOf(list.slot, item.id), found))
    }
    for (const item of changed) {
      if (!sound.has(item)) {
        add(item, builtInProblems(list, item))
        add(item, takenProblems(list, item))
        add(item, problemsOf(config, list, item, item))
      }
      add(item, conflictsOf(config, list, item, item))
    }
    problems.push(...checkOwners(config, items))
    for (const check of uniques) problems.push(...check(items))
    if (problems.length === 0) good = { items, state, objects }
    return problems
  }
}

/** Items to be judged; those that only moved are right on their own as they were. */
interface Differing<T> {
  readonly changed: readonly T[]
  readonly sound: ReadonlySet<T>
}

/** All between the common ends: whether one is right beside the others may depend on its place. */
function differingEnds<T>(before: readonly T[], items: readonly T[]): Differing<T> {
  const [head, tail] = commonEnds(before, items)
  return {
    changed: items.slice(head, items.length - tail),
    sound: new Set(before.slice(head, before.length - tail)),
  }
}

function differingItems<T>(before: readonly T[], items: readonly T[]): Differing<T> {
  const runs = findRuns(items, before)
  return {
    changed: outsideRuns(items.length, runs).map((at) => items[at] as T),
    sound: new Set(missedByRuns(before.length, runs).map((at) => before[at] as T)),
  }
}

/** The last configuration that was right: the items, and what was looked at beside them. */
interface Good<T> {
  readonly items: readonly T[]
  readonly state: readonly unknown[]
  readonly objects: readonly (readonly Item[])[]
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((value, at) => value === other[at])

/** Is an object gone, or of another kind, that an item names? New and other changed objects make no item wrong. */
function hasLost<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  good: Good<T>,
  objects: Good<T>['objects'],
): boolean {
  const kinds = (list.references ?? []).flatMap((reference) => (reference.kindOf ? [reference] : []))
  const isSameKind = (one: Item, other: Item): boolean =>
    kinds.every((reference) => reference.kindOf?.(one) === reference.kindOf?.(other))
  const lost = new Set(good.objects.flatMap((before, at) => lostIds(before, objects[at] ?? [], isSameKind)))
  return lost.size > 0 && listReferences(config, list).some(({ id }) => lost.has(id))
}

function lostIds(
  before: readonly Item[],
  after: readonly Item[],
  isSameKind: (one: Item, other: Item) => boolean,
): string[] {
  if (before === after) return []
  const [head, tail] = commonEnds(before, after)
  const kept = new Map(after.slice(head, after.length - tail).map((item) => [item.id, item]))
  const isKept = (item: Item): boolean => {
    const now = kept.get(item.id)
    return now !== undefined && isSameKind(item, now)
  }
  return before
    .slice(head, before.length - tail)
    .filter((item) => !isKept(item))
    .map(({ id }) => String(id))
}

/** Every slot that verification looks at beside the declared one. */
export const slotsReadBy = (list: ListDeclaration | SettingsDeclaration): readonly Slot[] => [
  ...(list.reads ?? []),
  ...('owner' in list && list.owner ? [list.owner.list.slot] : []),
  ...(list.references ?? []).flatMap(({ slots = [] }) => slots),
]

/** A stored item cannot replace a built-in one. Those of an owner are apart from those of a built-in owner. */
const builtInProblems = <T extends Item>({ builtIn = [], owner, noun }: ListDeclaration<T>, { id }: T): Problem[] =>
  !owner && builtIn.some((one) => one.id === id)
    ? [{ field: 'id', message: say`The id ${id} belongs to a built-in ${sayText(noun)}.` }]
    : []

/** A value that something built in has. */
const takenProblems = <T extends Item>({ unique = [] }: ListDeclaration<T>, item: T): Problem[] =>
  unique.flatMap((one) => {
    const key = one.keyOf(item)
    return key !== null && one.isTaken?.(key) === true ? [{ field: one.field, message: one.messageOf(item) }] : []
  })

/** Every item has an owner. Looks at all items again only when the owners change; a built-in owner has no stored items. */
function createOwnerCheck<T extends Item>({ slot, owner }: ListDeclaration<T>) {
  let good: { readonly owners: readonly Item[]; readonly items: readonly T[] } | null = null
  return (config: Config, items: readonly T[]): Problem[] => {
    if (!owner) return []
    const owners = read(completed(config, owner.list), owner.list.slot)
    const [head, tail] = good?.owners === owners ? commonEnds(good.items, items) : [0, 0]
    const known = new Set(owners.map(({ id }) => String(id)))
    const problems = items.slice(head, items.length - tail).flatMap((item) => {
      const id = ownerOf(item, owner.field)
      if (known.has(id)) return []
      const message = say`There is no ${sayText(owner.list.noun)} with the id ${id}.`
      return under(pathOf(slot, item.id), [{ field: owner.field, message }])
    })
    if (problems.length === 0) good = { owners, items }
    return problems
  }
}

/** Counts keys and follows the changes of the list instead of counting again. */
function createUniqueCheck<T extends Item>({ slot }: ListDeclaration<T>, unique: Unique<T>) {
  const counts = new Map<string, number>()
  let counted: readonly T[] = []
  let repeated = 0
  const count = (item: T, step: 1 | -1): void => {
    const key = unique.keyOf(item)
    if (key === null) return
    const before = counts.get(key) ?? 0
    if (before + step === 0) counts.delete(key)
    else counts.set(key, before + step)
    if (Math.max(before, before + step) === 2) repeated += step
  }
  return (items: readonly T[]): Problem[] => {
    const [head, tail] = commonEnds(counted, items)
    for (const item of counted.slice(head, counted.length - tail)) count(item, -1)
    for (const item of items.slice(head, items.length - tail)) count(item, 1)
    counted = items
    return repeated === 0 ? [] : repetitions(items)
  }

  function repetitions(items: readonly T[]): Problem[] {
    const seen = new Set<string>()
    return items.flatMap((item) => {
      const key = unique.keyOf(item)
      if (key === null || !seen.has(key)) {
        if (key !== null) seen.add(key)
        return []
      }
      return under(pathOf(slot, item.id), [{ field: unique.field, message: unique.messageOf(item) }])
    })
  }
}

/** Every mention of an object in the settings. */
export const settingsReferences = <T extends object>(
  config: Config,
  { slot, noun, references = [] }: SettingsDeclaration<T>,
): Reference[] => mentions(references, read(config, slot), { object: slot.key, title: capitalised(noun) })

/** Every mention of an object in the list. Items never change, so what they name is gathered once for each name of the owner. */
export function listReferences<T extends Item>(stored: Config, list: ListDeclaration<T>): readonly Reference[] {
  const { slot, references = [], owner } = list
  if (references.length === 0 && !owner) return []
  const config = completed(stored, list)
  const items = read(config, slot)
  const ownerNames = owner ? namesOf(config, owner.list) : null
  const ofItem = (item: T): readonly Reference[] => {
    const ownerId = owner ? ownerOf(item, owner.field) : ''
    const ownerName = ownerNames?.get(ownerId) ?? ''
    const known = gathered.get(item)
    if (known?.ownerName === ownerName) return known.references
    const object = pathOf(slot, item.id)
    const title = capitalised(`${nameOf(list, item)}${ownerName === '' ? '' : ` of the ${ownerName}`}`)
    const along = { slot: slot as ListSlot, id: item.id, mentionedAs: mentionedAs(list, item) }
    const made = [
      ...mentions(references, item, { object, title }, along),
      ...(owner ? [{ id: pathOf(owner.list.slot, ownerId), object, field: owner.field, title, along }] : []),
    ]
    gathered.set(item, { ownerName, references: made })
    return made
  }
  return owner ? items.flatMap(ofItem) : followed(list, items, ofItem)
}

interface Followed {
  readonly items: readonly Item[]
  readonly ofEach: readonly (readonly Reference[])[]
  readonly all: readonly Reference[]
}

const lastFollowed = new WeakMap<object, Followed>()

/** Most often one item differs from the last time: asking each of ten thousand what it names would take longer than the change. */
function followed<T extends Item>(
  list: ListDeclaration<T>,
  items: readonly T[],
  ofItem: (item: T) => readonly Reference[],
): readonly Reference[] {
  const last = lastFollowed.get(list) ?? { items: [], ofEach: [], all: [] }
  if (last.items === items) return last.all
  const [head, tail] = commonEnds<Item>(last.items, items)
  const between = items.slice(head, items.length - tail).map(ofItem)
  const ofEach = last.ofEach.slice(0, head).concat(between, last.ofEach.slice(last.items.length - tail))
  const all: Reference[] = []
  for (const own of ofEach) for (const reference of own) all.push(reference)
  lastFollowed.set(list, { items, ofEach, all })
  return all
}

const namesOf = (config: Config, list: ListDeclaration): ReadonlyMap<string, string> =>
  new Map(read(completed(config, list), list.slot).map((item) => [String(item.id), nameOf(list, item)]))

const gathered = new WeakMap<Item, { readonly ownerName: string; readonly references: readonly Reference[] }>()

const mentions = <T>(
  fields: readonly ReferenceField<T>[],
  value: T,
  user: Pick<Reference, 'object' | 'title'>,
  along?: Reference['along'],
): Reference[] =>
  fields.flatMap((reference) => {
    const placeOf = reference.placesOf?.(value)
    return reference.idsOf(value).flatMap((id, index) =>
      id === any
        ? []
        : [
            {
              ...user,
              id,
              field: placeOf?.(index) ?? reference.field,
              ...(reference.isRemovedAlong && along ? { along } : {}),
            },
          ],
    )
  })

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Could this list or these settings name an object of this id? Items name their owner by its path. */
export const canMention = ({ references = [], ...rest }: ListDeclaration | SettingsDeclaration, id: string): boolean =>
  ('owner' in rest && rest.owner !== undefined && id.startsWith(`${rest.owner.list.slot.key}[`)) ||
  references.some(({ prefixes }) => prefixes?.some((prefix) => id.startsWith(prefix)) ?? !isPath(id))

/** Only what an item owns names it by its place. */
const isPath = (id: string): boolean => id.endsWith(']')
