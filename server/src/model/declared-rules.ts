// What follows from declarations for the whole configuration: what is wrong with it, and who names an object. Lists have
// tens of thousands of items and are verified at every change, so only what changed since the last good state is looked at.

import type { Problem } from '../contract/error.ts'
import {
  any,
  anyProblems,
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
  ids.forEach((id, index) => {
    const message = reference.faultOf?.(config, id, value) ?? null
    if (message === null) return
    problems.push({ field: reference.placesOf?.(value)[index] ?? (isList ? `${field}[${index}]` : field), message })
  })
}

type Verify = (config: Config) => readonly Problem[]

export const createSettingsVerifier =
  <T extends object>(settings: SettingsDeclaration<T>): Verify =>
  (config) => {
    const value = read(config, settings.slot)
    return under(settings.slot.key, problemsOf(config, settings, value, value))
  }

export function createListVerifier<T extends Item>(list: ListDeclaration<T>): Verify {
  const reads = slotsReadBy(list)
  const uniques = (list.unique ?? []).map((unique) => createUniqueCheck(list, unique))
  let good: { readonly state: readonly unknown[]; readonly items: readonly T[] } | null = null
  return (config) => {
    const items = read(config, list.slot)
    const state = reads.map(({ key }) => config[key])
    const before = good && isSame(good.state, state) ? good.items : []
    const [head, tail] = commonEnds(before, items)
    // Items that only moved are right by themselves as they were.
    const sound = new Set(before.slice(head, before.length - tail))
    const problems: Problem[] = []
    const add = (item: T, found: readonly Problem[]): void => {
      if (found.length > 0) problems.push(...under(pathOf(list.slot, item.id), found))
    }
    for (const item of items.slice(head, items.length - tail)) {
      if (!sound.has(item)) {
        add(item, problemsOf(config, list, item, item))
        add(item, ownerProblems(config, list, item))
      }
      add(item, conflictsOf(config, list, item, item))
    }
    for (const check of uniques) problems.push(...check(items))
    if (problems.length === 0) good = { state, items }
    return problems
  }
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((value, at) => value === other[at])

/** Its own slot only where the declaration says so. */
export const slotsReadBy = (list: ListDeclaration | SettingsDeclaration): readonly Slot[] => [
  ...(list.reads ?? []),
  ...('owner' in list && list.owner ? [list.owner.list.slot] : []),
]

function ownerProblems<T extends Item>(config: Config, { owner }: ListDeclaration<T>, item: T): Problem[] {
  if (!owner) return []
  const id = ownerOf(item, owner.field)
  return read(config, owner.list.slot).some((one) => String(one.id) === id)
    ? []
    : [{ field: owner.field, message: `There is no ${owner.list.noun} with the id ${id}.` }]
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

/** Every mention of an object in the list. Items never change, so what they name is gathered once. */
export function listReferences<T extends Item>(config: Config, list: ListDeclaration<T>): readonly Reference[] {
  const { slot, references = [], owner } = list
  if (references.length === 0 && !owner) return []
  return read(config, slot).flatMap((item) => {
    const known = gathered.get(item)
    if (known) return known
    const object = pathOf(slot, item.id)
    const title = capitalised(nameOf(list, item))
    const along = { slot: slot as ListSlot, id: item.id, mentionedAs: mentionedAs(list, item) }
    const made = [
      ...mentions(references, item, { object, title }, along),
      ...(owner ? [{ id: ownerOf(item, owner.field), object, field: owner.field, title, along }] : []),
    ]
    gathered.set(item, made)
    return made
  })
}

const gathered = new WeakMap<Item, readonly Reference[]>()

const mentions = <T>(
  fields: readonly ReferenceField<T>[],
  value: T,
  user: Pick<Reference, 'object' | 'title'>,
  along?: Reference['along'],
): Reference[] =>
  fields.flatMap((reference) => {
    const places = reference.placesOf?.(value)
    return reference.idsOf(value).flatMap((id, index) =>
      id === any
        ? []
        : [
            {
              ...user,
              id,
              field: places?.[index] ?? reference.field,
              ...(reference.isRemovedAlong && along ? { along } : {}),
            },
          ],
    )
  })

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Could this list or these settings name an object of this id? */
export const canMention = ({ references = [], ...rest }: ListDeclaration | SettingsDeclaration, id: string): boolean =>
  ('owner' in rest && rest.owner !== undefined) ||
  references.some(({ prefixes }) => prefixes?.some((prefix) => id.startsWith(prefix)) ?? true)
