// Items by id, for lists of tens of thousands that are asked at every change.

import { type Config, commonEnds, type Item, type ItemId, type ListSlot, read } from './slots.ts'

interface Index {
  items: readonly Item[]
  readonly byId: Map<unknown, Item>
}

const indexes = new WeakMap<object, Index>()

/** By id: ten thousand rules ask for the same objects. The index of a list follows its changes instead of being rebuilt. */
export function findIn<T extends Item>(config: Config, slot: ListSlot<T>, id: ItemId): T | undefined {
  const index = indexes.get(slot) ?? { items: [], byId: new Map<unknown, Item>() }
  indexes.set(slot, index)
  follow(index, read(config, slot))
  return index.byId.get(id) as T | undefined
}

function follow(index: Index, items: readonly Item[]): void {
  const old = index.items
  if (old === items) return
  const [head, tail] = commonEnds(old, items)
  for (const { id } of old.slice(head, old.length - tail)) index.byId.delete(id)
  for (const item of items.slice(head, items.length - tail)) index.byId.set(item.id, item)
  index.items = items
}
