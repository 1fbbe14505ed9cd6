// Changes of single values of a list, without sending all of them. Config in, Config out.

import { invalid, type Problem, refuse } from '../../core/contract/error.ts'
import type { ListDeclaration } from '../../core/model/declarations.ts'
import { problemsOf } from '../../core/model/declared-rules.ts'
import { updateItem } from '../../core/model/list-edits.ts'
import { requireStored } from '../../core/model/lists.ts'
import type { Config } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import type { StoredList } from './config.ts'

export interface ValuesChange {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

export interface ValuesChanged {
  readonly added: number
  readonly removed: number
}

/**
 * What is in the list already is not added again, and what is not in it is not removed: both are no faults, so that a call
 * can be repeated. Added values take the place of the first one that is removed, or come last.
 */
export function changeValues(
  config: Config,
  list: ListDeclaration<StoredList>,
  id: string,
  { add = [], remove = [] }: ValuesChange,
  maxValues: number,
): readonly [Config, ValuesChanged] {
  const current = requireStored(config, list, id)
  const { values } = current
  refuse(contradictions(add, remove))
  refuse(problemsOf(config, list, { ...current, values: add }, current).map(asAdded))
  const present = new Set(placesOf(values, add).map((place) => values[place]))
  const added = [...new Set(add)].filter((value) => !present.has(value))
  const gone = placesOf(values, remove)
  if (added.length === 0 && gone.length === 0) return [config, { added: 0, removed: 0 }]
  const length = values.length + added.length - gone.length
  if (length > maxValues)
    throw invalid('add', say`A list has at most ${maxValues} values; this one would have ${length}.`)
  const item = { ...current, values: replaced(values, gone, added) }
  return [updateItem(config, list.slot, item), { added: added.length, removed: gone.length }]
}

function contradictions(add: readonly string[], remove: readonly string[]): Problem[] {
  const removed = new Set(remove)
  return add.flatMap((value, at) =>
    removed.has(value) ? [{ field: `add[${at}]`, message: say`${value} is to be added and removed.` }] : [],
  )
}

/** Only the added values are judged, so a fault of `values[3]` is one of `add[3]`. */
const asAdded = ({ field, message }: Problem): Problem => ({ field: field.replace(/^values/, 'add'), message })

/** Up to so many are looked for one by one; a hash of each of a hundred thousand values takes longer. */
const few = 16

/** Where these are in the list, in order. */
function placesOf(values: readonly string[], wanted: readonly string[]): readonly number[] {
  const names = new Set(wanted)
  const places: number[] = []
  if (names.size > few) {
    values.forEach((value, at) => {
      if (names.has(value)) places.push(at)
    })
    return places
  }
  for (const name of names)
    for (let at = values.indexOf(name); at >= 0; at = values.indexOf(name, at + 1)) places.push(at)
  return places.sort((a, b) => a - b)
}

/** In slices: a list of a hundred thousand is copied faster than it is walked. */
function replaced(values: readonly string[], gone: readonly number[], added: readonly string[]): readonly string[] {
  const [first] = gone
  if (first === undefined) return values.concat(added)
  const kept = gone.map((place, at) => values.slice(place + 1, gone[at + 1] ?? values.length))
  return values.slice(0, first).concat(added, ...kept)
}
