// What can be done to a list of the configuration, as pure functions: find, add, update, move and remove by id.

import { say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import { invalid, notFound } from '../contract/error.ts'
import { moveInList, spliceList } from './runs.ts'
import { type Config, type Item, type ItemId, type ListSlot, read, type SingleSlot, write } from './slots.ts'

export interface Placement {
  readonly anchor_item_id?: ItemId
  readonly insert_after?: boolean
}

/** Ids come from a path as text; numbers and texts compare by what they print. Printing ten thousand numbers takes long. */
export const hasId = (id: ItemId): ((item: Item) => boolean) => {
  const text = String(id)
  const number = Number(text)
  const isNumber = String(number) === text
  return ({ id: own }) => (typeof own === 'string' ? own === text : isNumber && own === number)
}

let lastPlace = 0

/** The place of the item, -1 for none. One change asks for the same item several times, so the last place is tried first. */
export function placeOf(items: readonly Item[], id: ItemId): number {
  const isIt = hasId(id)
  const last = items[lastPlace]
  if (last !== undefined && isIt(last)) return lastPlace
  const found = items.findIndex(isIt)
  if (found >= 0) lastPlace = found
  return found
}

export const findItem = <T extends Item>(config: Config, slot: ListSlot<T>, id: ItemId): T | undefined =>
  itemOf(read(config, slot), id)

export const itemOf = <T extends Item>(items: readonly T[], id: ItemId): T | undefined => items[placeOf(items, id)]

export function requireItem<T extends Item>(config: Config, slot: ListSlot<T>, id: ItemId, what: string): T {
  const item = findItem(config, slot, id)
  if (!item) throw notFound(say`${sayText(what)} with the id ${String(id).slice(0, 80)}`)
  return item
}

export function addItem<T extends Item>(config: Config, slot: ListSlot<T>, item: T, placement: Placement = {}): Config {
  const items = read(config, slot)
  return write(config, slot, spliceList(items, placeIn(items, placement, 'anchor_item_id'), 0, item))
}

/** `id` is the one that the item had; that it has another one now is for a check to refuse. */
export function updateItem<T extends Item>(config: Config, slot: ListSlot<T>, item: T, id = item.id): Config {
  const items = read(config, slot)
  const place = placeOf(items, id)
  if (place < 0) throw new Error(`${slot.key}: there is no item with the id ${id} to update`)
  return write(config, slot, spliceList(items, place, 1, item))
}

export function moveItem<T extends Item>(
  config: Config,
  slot: ListSlot<T>,
  id: ItemId,
  placement: Placement,
  what: string,
): Config {
  const item = requireItem(config, slot, id, what)
  if (String(placement.anchor_item_id) === String(item.id)) return config
  const items = read(config, slot)
  const from = placeOf(items, item.id)
  const to = placeIn(items, placement, 'params.anchor_item_id')
  // The item itself leaves the place before it.
  return write(config, slot, moveInList(items, from, to > from ? to - 1 : to))
}

export function removeItem<T extends Item>(config: Config, slot: ListSlot<T>, id: ItemId, what: string): Config {
  const item = requireItem(config, slot, id, what)
  const items = read(config, slot)
  return write(config, slot, spliceList(items, placeOf(items, item.id), 1))
}

export const updateSingle = <T extends object>(config: Config, slot: SingleSlot<T>, patch: Partial<T>): Config =>
  write(config, slot, { ...read(config, slot), ...patch })

function placeIn(items: readonly Item[], placement: Placement, field: string): number {
  if (placement.anchor_item_id === undefined) return items.length
  const index = placeOf(items, placement.anchor_item_id)
  if (index < 0) throw invalid(field, say`There is no item with the id ${placement.anchor_item_id} to place it by.`)
  return placement.insert_after === false ? index : index + 1
}
