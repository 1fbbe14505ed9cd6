// Lists that hold the items of many profiles together, each item with the id of its profile: what list-edits.ts does, kept
// among the items of one profile.

import { invalid, notFound } from '../contract/error.ts'
import { addItem, type Placement } from './list-edits.ts'
import { type Config, type Item, type ItemId, type ListSlot, read, write } from './slots.ts'

export interface OwnedItem extends Item {
  readonly profile_id: string
}

export const itemsOf = <T extends OwnedItem>(config: Config, slot: ListSlot<T>, profileId: string): readonly T[] =>
  read(config, slot).filter((item) => item.profile_id === profileId)

export function requireItemOf<T extends OwnedItem>(
  config: Config,
  slot: ListSlot<T>,
  profileId: string,
  id: ItemId,
  what: string,
): T {
  const item = itemsOf(config, slot, profileId).find((one) => String(one.id) === String(id))
  if (!item) throw notFound(`${what} with the id ${String(id).slice(0, 80)}`)
  return item
}

/** An item of another profile is not a valid anchor. */
function checkAnchor<T extends OwnedItem>(
  config: Config,
  slot: ListSlot<T>,
  profileId: string,
  anchor: ItemId | undefined,
  field: string,
): void {
  if (anchor === undefined || itemsOf(config, slot, profileId).some(({ id }) => id === anchor)) return
  throw invalid(field, `There is no item with the id ${anchor} to place it by.`)
}

export function addItemOf<T extends OwnedItem>(
  config: Config,
  slot: ListSlot<T>,
  item: T,
  placement: Placement = {},
): Config {
  checkAnchor(config, slot, item.profile_id, placement.anchor_item_id, 'anchor_item_id')
  return addItem(config, slot, item, placement)
}

export function moveItemOf<T extends OwnedItem>(
  config: Config,
  slot: ListSlot<T>,
  item: T,
  placement: Placement,
): Config {
  checkAnchor(config, slot, item.profile_id, placement.anchor_item_id, 'params.anchor_item_id')
  if (placement.anchor_item_id === item.id) return config
  const others = read(config, slot).filter((other) => other !== item)
  return addItem(write(config, slot, others), slot, item, placement)
}

export const removeItemsOf = <T extends OwnedItem>(config: Config, slot: ListSlot<T>, profileId: string): Config =>
  write(
    config,
    slot,
    read(config, slot).filter((item) => item.profile_id !== profileId),
  )
