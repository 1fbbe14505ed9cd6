// What can be done to a list of the configuration, as pure functions: find, add, update, move and remove by id.

import { say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import { invalid, notFound } from '../contract/error.ts'
import { type Config, type Item, type ItemId, type ListSlot, read, type SingleSlot, write } from './slots.ts'

export interface Placement {
  readonly anchor_item_id?: ItemId
  readonly insert_after?: boolean
}

/** Ids come from a path as text; numbers and texts compare by what they print. */
export const hasId = (id: ItemId): ((item: Item) => boolean) => {
  const text = String(id)
  return ({ id: own }) => (typeof own === 'string' ? own : String(own)) === text
}

export const findItem = <T extends Item>(config: Config, slot: ListSlot<T>, id: ItemId): T | undefined =>
  read(config, slot).find(hasId(id))

export function requireItem<T extends Item>(config: Config, slot: ListSlot<T>, id: ItemId, what: string): T {
  const item = findItem(config, slot, id)
  if (!item) throw notFound(say`${sayText(what)} with the id ${String(id).slice(0, 80)}`)
  return item
}

export function addItem<T extends Item>(config: Config, slot: ListSlot<T>, item: T, placement: Placement = {}): Config {
  const items = read(config, slot)
  return write(config, slot, items.toSpliced(placeIn(items, placement, 'anchor_item_id'), 0, item))
}

export function updateItem<T extends Item>(config: Config, slot: ListSlot<T>, item: T): Config {
  const items = read(config, slot)
  return write(config, slot, items.with(indexOf(items, item.id), item))
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
  const others = read(config, slot).filter((other) => other !== item)
  return write(config, slot, others.toSpliced(placeIn(others, placement, 'params.anchor_item_id'), 0, item))
}

export function removeItem<T extends Item>(config: Config, slot: ListSlot<T>, id: ItemId, what: string): Config {
  const item = requireItem(config, slot, id, what)
  return write(
    config,
    slot,
    read(config, slot).filter((other) => other !== item),
  )
}

export const updateSingle = <T extends object>(config: Config, slot: SingleSlot<T>, patch: Partial<T>): Config =>
  write(config, slot, { ...read(config, slot), ...patch })

const indexOf = (items: readonly Item[], id: ItemId): number => items.findIndex(hasId(id))

function placeIn(items: readonly Item[], placement: Placement, field: string): number {
  if (placement.anchor_item_id === undefined) return items.length
  const index = indexOf(items, placement.anchor_item_id)
  if (index < 0) throw invalid(field, say`There is no item with the id ${placement.anchor_item_id} to place it by.`)
  return placement.insert_after === false ? index : index + 1
}
