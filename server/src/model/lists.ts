// What can be done to a declared list, as pure functions: add, update, replace, move and remove. Every edit is refused
// unless the item is right by the declaration; what others name is removed with them or not at all.

import { GatewayError, invalid, notFound, type Problem, refuse } from '../contract/error.ts'
import { type ListDeclaration, mentionedAs, nameOf, ownerOf, readId, type SettingsDeclaration } from './declarations.ts'
import { conflictsOf, problemsOf } from './declared-rules.ts'
import { addItem, hasId, moveItem, type Placement, updateItem } from './list-edits.ts'
import { pathOf } from './paths.ts'
import { type Reference, refuseInUse } from './references.ts'
import { type Config, type Item, type ItemId, type ListSlot, read, write } from './slots.ts'

/** Who names an object, over all areas. */
export type ReferencesTo = (config: Config, id: string) => readonly Reference[]

/** The items of the list, or of one owner where the list has owners. */
export function itemsIn<T extends Item>(config: Config, list: ListDeclaration<T>, owner?: ItemId): readonly T[] {
  const items = read(config, list.slot)
  const field = list.owner?.field
  return field === undefined || owner === undefined
    ? items
    : items.filter((item) => ownerOf(item, field) === String(owner))
}

export function requireIn<T extends Item>(config: Config, list: ListDeclaration<T>, id: ItemId, owner?: ItemId): T {
  const item = itemsIn(config, list, owner).find(hasId(readId(list, id)))
  if (!item) throw notFound(`${list.noun} with the id ${String(id).slice(0, 80)}`)
  return item
}

/** The body of an owned item carries the id of its owner. */
export function addTo<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: ItemId,
  body: object,
  placement: Placement = {},
): Config {
  const item = accepted(config, list, { ...list.defaults, ...stored(list, body), id }, null)
  checkAnchor(config, list, item, placement, 'anchor_item_id')
  return addItem(config, list.slot, item, placement)
}

export function updateIn<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: ItemId,
  patch: object,
  owner?: ItemId,
): Config {
  const current = requireIn(config, list, id, owner)
  return updateItem(config, list.slot, accepted(config, list, { ...current, ...stored(list, patch) }, current))
}

/** The id may be in the body too, but not another one than in the path. */
export function replaceIn<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: ItemId,
  body: object,
  owner?: ItemId,
): Config {
  const current = requireIn(config, list, id, owner)
  const { id: named = current.id, ...fields } = stored(list, body) as Partial<Item>
  if (named !== current.id) throw invalid('id', `The path names the ${list.noun} ${current.id}, the body another one.`)
  return updateItem(config, list.slot, accepted(config, list, { ...list.defaults, ...fields, id: current.id }, current))
}

export function moveIn<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: ItemId,
  placement: Placement,
  owner?: ItemId,
): Config {
  const item = requireIn(config, list, id, owner)
  checkAnchor(config, list, item, placement, 'params.anchor_item_id')
  return moveItem(config, list.slot, item.id, placement, list.noun)
}

/** Refused while others name the item, but for what is removed along with it. */
export function removeFrom<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: ItemId,
  referencesTo: ReferencesTo,
  owner?: ItemId,
): Config {
  const item = requireIn(config, list, id, owner)
  const first = { slot: list.slot as ListSlot, id: item.id, mentionedAs: mentionedAs(list, item) }
  const gone = new Map([[pathOf(list.slot, item.id), first]])
  const users: Reference[] = []
  // The map grows while it is walked: what goes along can be named by others in turn.
  for (const { mentionedAs: name } of gone.values()) {
    if (name === null) continue
    for (const reference of referencesTo(config, name)) {
      if (reference.along) gone.set(reference.object, reference.along)
      else users.push(reference)
    }
  }
  refuseInUse(
    nameOf(list, item),
    users.filter(({ object }) => !gone.has(object)),
  )
  return [...Map.groupBy(gone.values(), ({ slot }) => slot)].reduce((rest, [slot, items]) => {
    const ids = new Set(items.map((one) => one.id))
    return write(
      rest,
      slot,
      read(rest, slot).filter((one) => !ids.has(one.id)),
    )
  }, config)
}

/** Any subset of the settings; what is not sent stays. */
export function updateSettings<T extends object>(
  config: Config,
  settings: SettingsDeclaration<T>,
  patch: Partial<T>,
): Config {
  const current = read(config, settings.slot)
  return writeSettings(config, settings, { ...current, ...patch })
}

export function writeSettings<T extends object>(config: Config, settings: SettingsDeclaration<T>, value: T): Config {
  const next = write(config, settings.slot, value)
  refuse(problemsOf(next, settings, value, read(config, settings.slot)))
  return next
}

const stored = <T extends Item>(list: ListDeclaration<T>, body: object): object => list.fieldsOf?.(body) ?? body

/** The item, unless something is wrong with it by itself (422) or beside the others (409). */
function accepted<T extends Item>(config: Config, list: ListDeclaration<T>, fields: object, current: T | null): T {
  const item = fields as T
  // Judged in its place, as verification will see it: limits over several items count it.
  const items = read(config, list.slot)
  const placed = current === null ? [...items, item] : items.with(items.indexOf(current), item)
  const next = write(config, list.slot, placed)
  refuse(problemsOf(next, list, item, current))
  refuse(conflictsWith(next, list, item, current), 'conflict')
  return item
}

function conflictsWith<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  item: T,
  current: T | null,
): readonly Problem[] {
  const taken = (list.unique ?? []).flatMap((unique): Problem[] => {
    const key = unique.keyOf(item)
    if (key === null || (current !== null && unique.keyOf(current) === key)) return []
    // A pass over all items: an index would cost more than it saves for one change.
    const isTaken =
      unique.isTaken?.(key) === true ||
      read(config, list.slot).some((other) => unique.keyOf(other) === key && other.id !== item.id)
    return isTaken ? [{ field: unique.field, message: unique.messageOf(item) }] : []
  })
  return [...taken, ...conflictsOf(config, list, item, current)]
}

/** An item of another owner is not an anchor. */
function checkAnchor<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  item: T,
  { anchor_item_id: anchor }: Placement,
  field: string,
): void {
  if (!list.owner || anchor === undefined) return
  const siblings = itemsIn(config, list, ownerOf(item, list.owner.field))
  if (!siblings.some(hasId(anchor))) throw invalid(field, `There is no item with the id ${anchor} to place it by.`)
}

/** Built-in items are shown in the list and cannot be changed. */
export const builtIn = (what: string): GatewayError =>
  new GatewayError('conflict', `The ${what} is built in and cannot be changed or removed.`)
