// A list as data: where its items are stored, what a body may leave out, and what must hold of an item beyond its schema.
// Adding, changing and replacing follow from that.

import { invalid, type Problem, refuse } from '../contract/error.ts'
import { addItem, type Placement, requireItem, updateItem } from './list-edits.ts'
import type { Config, Item, ItemId, ListSlot } from './slots.ts'

export interface ItemList<T extends Item> {
  readonly slot: ListSlot<T>
  /** One item in words, for messages. */
  readonly item: string
  /** Fields a creation or a replacement may leave out. */
  readonly defaults?: object
  /** What is stored of a body, when that is not the body as it is. */
  readonly fieldsOf?: (body: object) => object
  /** What is wrong with a new or changed item, by the fields of its body; `current` is what stood there before. */
  readonly problemsOf?: (config: Config, item: T, current: T | null) => readonly Problem[]
  /** As problemsOf, for an item that would be right if others were not there. */
  readonly conflictsOf?: (config: Config, item: T) => readonly Problem[]
}

export function addTo<T extends Item>(
  config: Config,
  list: ItemList<T>,
  id: ItemId,
  body: object,
  placement?: Placement,
): Config {
  return addItem(config, list.slot, held(config, list, { ...list.defaults, ...stored(list, body), id }), placement)
}

export function updateIn<T extends Item>(config: Config, list: ItemList<T>, id: ItemId, patch: object): Config {
  const current = requireItem(config, list.slot, id, list.item)
  return updateItem(config, list.slot, held(config, list, { ...current, ...stored(list, patch) }, current))
}

/** The id may stand in the body too, but not another one than in the path. */
export function replaceIn<T extends Item>(config: Config, list: ItemList<T>, id: ItemId, body: object): Config {
  const current = requireItem(config, list.slot, id, list.item)
  const { id: named = current.id, ...fields } = stored(list, body) as Partial<Item>
  if (named !== current.id) throw invalid('id', `The path names the ${list.item} ${current.id}, the body another one.`)
  const next = { ...list.defaults, ...fields, id: current.id }
  return updateItem(config, list.slot, held(config, list, next, current))
}

const stored = <T extends Item>({ fieldsOf }: ItemList<T>, body: object): object => fieldsOf?.(body) ?? body

function held<T extends Item>(config: Config, list: ItemList<T>, fields: object, current: T | null = null): T {
  const item = fields as T
  refuse(list.problemsOf?.(config, item, current) ?? [])
  refuse(list.conflictsOf?.(config, item) ?? [], 'conflict')
  return item
}
