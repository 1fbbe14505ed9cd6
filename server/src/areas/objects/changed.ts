// Which objects do not mean the same any more, so that only the rules that name one of them are resolved again. An object too
// many costs time, and one too few would leave an old rule in force. Pure.

import { type Config, commonEnds, type ListSlot, read, type StoredFields } from '../../core/model/slots.ts'
import type { AddressBook, Facts } from '../../core/plan/facts.ts'
import {
  addressLists,
  countryLists,
  objectKinds,
  portLists,
  type StoredList,
  type StoredObject,
  timeLists,
  timeRanges,
} from './config.ts'
import { countryObjects } from './known.ts'
import { hasCountries } from './unresolved.ts'

/** What objects get their meaning from. */
export interface ObjectWorld {
  readonly config: Config
  readonly facts: Facts
}

const timeSlots: readonly ListSlot<StoredObject>[] = [timeRanges, timeLists]

/** Ids of objects that mean something else after than before, were added or deleted, and of lists that name one of them. */
export function changedObjects(before: ObjectWorld, after: ObjectWorld): Set<string> {
  const ids = new Set<string>()
  for (const { slot } of objectKinds) addChangedItems(ids, read(before.config, slot), read(after.config, slot))
  addChangedEntries(ids, before.facts.addressBook, after.facts.addressBook)
  if (before.facts.timeZone !== after.facts.timeZone || before.facts.scheduleDay !== after.facts.scheduleDay)
    for (const slot of timeSlots) for (const { id } of read(after.config, slot)) ids.add(id)
  if (ids.size > 0) addLists(ids, after.config)
  return ids
}

function addChangedItems(ids: Set<string>, before: readonly StoredObject[], after: readonly StoredObject[]): void {
  if (before === after) return
  const [head, tail] = commonEnds(before, after, hasSameMeaning)
  const removed = new Map(before.slice(head, before.length - tail).map((object) => [object.id, object]))
  for (const object of after.slice(head, after.length - tail)) {
    if (!hasSameMeaning(removed.get(object.id), object)) ids.add(object.id)
    removed.delete(object.id)
  }
  for (const id of removed.keys()) ids.add(id)
}

/** Nothing is resolved from a title or a comment. */
const besideMeaning: readonly string[] = ['title', 'comment']

function hasSameMeaning(a: StoredObject | undefined, b: StoredObject | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b
  const other: StoredFields = { ...b }
  const fields = Object.entries(a)
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([name, value]) => besideMeaning.includes(name) || other[name] === value)
  )
}

function addChangedEntries(ids: Set<string>, before: AddressBook, after: AddressBook): void {
  if (before === after) return
  for (const [id, addresses] of after) if (before.get(id) !== addresses) ids.add(id)
  for (const id of before.keys()) if (!after.has(id)) ids.add(id)
  // Whether a country without networks is unknown depends on the others.
  if (hasCountries(before) !== hasCountries(after)) for (const { id } of countryObjects) ids.add(id)
}

/** Lists of objects may be in lists of objects. */
function addLists(ids: Set<string>, config: Config): void {
  let others: StoredList[] = [addressLists, countryLists, portLists, timeLists].flatMap((slot) => read(config, slot))
  for (let count = -1; count !== others.length; ) {
    count = others.length
    for (const { id, values } of others) if (values.some((value) => ids.has(value))) ids.add(id)
    others = others.filter(({ id }) => !ids.has(id))
  }
}
