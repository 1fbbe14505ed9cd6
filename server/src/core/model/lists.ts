// What can be done to a declared list, as pure functions: add, update, replace, move and remove. Every edit is refused
// unless the item is right by the declaration; what others name is removed with them or not at all.

import { say } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import { GatewayError, invalid, notFound, type Problem, refuse } from '../contract/error.ts'
import {
  completed,
  type ListDeclaration,
  mentionedAs,
  nameOf,
  ownerOf,
  readId,
  type SettingsDeclaration,
} from './declarations.ts'
import { conflictsOf, problemsOf } from './declared-rules.ts'
import { addItem, hasId, itemOf, moveItem, type Placement, placeOf, updateItem } from './list-edits.ts'
import { pathOf, under } from './paths.ts'
import { type Reference, refuseInUse } from './references.ts'
import { spliceList } from './runs.ts'
import { type Config, type Item, type ItemId, type ListSlot, read, write } from './slots.ts'

/** Who names an object, over all areas. */
export type ReferencesTo = (config: Config, id: string) => readonly Reference[]

/** The items of the list, or of one owner where the list has owners; built-in ones first. */
export function itemsIn<T extends Item>(config: Config, list: ListDeclaration<T>, owner?: ItemId): readonly T[] {
  const items = withBuiltIn(list, read(completed(config, list), list.slot))
  const field = list.owner?.field
  return field === undefined || owner === undefined
    ? items
    : items.filter((item) => ownerOf(item, field) === String(owner))
}

/** Kept for as long as the stored items are the same, so that replies keep their bytes. */
function withBuiltIn<T extends Item>({ builtIn }: ListDeclaration<T>, stored: readonly T[]): readonly T[] {
  if (builtIn === undefined) return stored
  const known = joined.get(stored) as readonly T[] | undefined
  if (known !== undefined && known[0] === builtIn[0]) return known
  const made = [...builtIn, ...stored]
  joined.set(stored, made)
  return made
}

const joined = new WeakMap<readonly Item[], readonly Item[]>()

export function requireIn<T extends Item>(config: Config, list: ListDeclaration<T>, id: ItemId, owner?: ItemId): T {
  const items = itemsIn(config, list, owner)
  const wanted = readId(list, id)
  // Something built in comes first, also where an owner has an item of the same id.
  const item = list.builtIn === undefined ? itemOf(items, wanted) : items.find(hasId(wanted))
  if (!item) throw notFound(say`${sayText(list.noun)} with the id ${String(id).slice(0, 80)}`)
  return item
}

/** The item to change: neither it nor its owner may be built in. */
export function requireStored<T extends Item>(config: Config, list: ListDeclaration<T>, id: ItemId, owner?: ItemId): T {
  if (list.owner && owner !== undefined) requireStored(config, list.owner.list, owner)
  const item = requireIn(config, list, id, owner)
  if (list.builtIn?.includes(item)) throw builtIn(nameOf(list, item))
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
  const item = itemOfFields(list, { ...list.defaults, ...stored(list, body), id })
  if (list.owner) requireStored(config, list.owner.list, ownerOf(item, list.owner.field))
  return edited(config, list, (full) => {
    const { anchor_item_id: anchor } = placement
    const isPlaced = anchor === undefined || placeOf(read(full, list.slot), anchor) >= 0
    const next = accepted(addItem(full, list.slot, item, isPlaced ? placement : {}), list, item, null)
    checkAnchor(full, list, item, placement, 'anchor_item_id')
    return isPlaced ? next : addItem(full, list.slot, item, placement)
  })
}

/** Several items at once, at the end. Faults name an item by its place: `rules[3].name`. */
export function addAllTo<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  items: readonly (readonly [id: ItemId, body: object])[],
  field: string,
): Config {
  const whole = items.map(([id, body]) => itemOfFields(list, { ...list.defaults, ...stored(list, body), id }))
  return edited(config, list, (full) => addItems(full, list, whole, field))
}

interface Copying {
  /** What differs from the original. */
  readonly fields?: object
  /** Lists whose items belong to the original; they are copied too. */
  readonly owned?: readonly ListDeclaration[]
}

/** Also a built-in item can be copied. */
export function copyIn<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  from: ItemId,
  id: ItemId,
  newIdOf: (list: ListDeclaration) => ItemId,
  { fields = {}, owned = [] }: Copying = {},
): Config {
  const original = requireIn(config, list, from)
  const copy: T = { ...original, ...fields, id }
  const copied = edited(config, list, (full) => accepted(addItem(full, list.slot, copy), list, copy, null))
  return owned.reduce((next, one) => {
    const field = one.owner?.field ?? ''
    const items = itemsIn(next, one, original.id).map((item) => ({ ...item, [field]: id, id: newIdOf(one) }))
    return edited(next, one, (full) => addItems(full, one, items, one.slot.key))
  }, copied)
}

export function updateIn<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: ItemId,
  patch: object,
  owner?: ItemId,
): Config {
  const current = requireStored(config, list, id, owner)
  const item: T = { ...current, ...stored(list, patch) }
  return edited(config, list, (full) => accepted(updateItem(full, list.slot, item, current.id), list, item, current))
}

/** The id may be in the body too, but not another one than in the path. */
export function replaceIn<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: ItemId,
  body: object,
  owner?: ItemId,
): Config {
  const current = requireStored(config, list, id, owner)
  const { id: named = current.id, ...fields } = stored(list, body) as Partial<Item>
  if (named !== current.id)
    throw invalid('id', say`The path names the ${sayText(list.noun)} ${current.id}, the body another one.`)
  const ownerField = Object.entries(current).filter(([name]) => name === list.owner?.field)
  const whole = { ...list.defaults, ...fields, ...Object.fromEntries(ownerField), id: current.id }
  const item = itemOfFields(list, whole)
  return edited(config, list, (full) => accepted(updateItem(full, list.slot, item), list, item, current))
}

export function moveIn<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: ItemId,
  placement: Placement,
  owner?: ItemId,
): Config {
  const item = requireStored(config, list, id, owner)
  return edited(config, list, (full) => {
    checkAnchor(full, list, item, placement, 'params.anchor_item_id')
    return moveItem(full, list.slot, item.id, placement, list.noun)
  })
}

/** Refused while others name the item, but for what is removed along with it. */
export function removeFrom<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  id: ItemId,
  referencesTo: ReferencesTo,
  owner?: ItemId,
): Config {
  const item = requireStored(config, list, id, owner)
  return edited(config, list, (full) => {
    const first = { slot: list.slot as ListSlot, id: item.id, mentionedAs: mentionedAs(list, item) }
    const gone = new Map([[pathOf(list.slot, item.id), first]])
    const users: Reference[] = []
    // The map grows while it is walked: what goes along can be named by others in turn, or own items itself.
    for (const [path, { mentionedAs: name }] of gone) {
      const names = name === null || name === path ? [path] : [name, path]
      for (const reference of names.flatMap((one) => referencesTo(full, one))) {
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
      const before = read(rest, slot)
      const place = items.length === 1 ? before.findIndex((one) => ids.has(one.id)) : -1
      return write(rest, slot, place < 0 ? before.filter((one) => !ids.has(one.id)) : spliceList(before, place, 1))
    }, full)
  })
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

/** Edits see items that exist from the start as stored ones; an edit that changes nothing leaves them unstored. */
function edited(config: Config, list: Pick<ListDeclaration, 'complete'>, edit: (full: Config) => Config): Config {
  const full = completed(config, list)
  const next = edit(full)
  return next === full ? config : next
}

function addItems<T extends Item>(
  config: Config,
  list: ListDeclaration<T>,
  items: readonly T[],
  field: string,
): Config {
  const problems: Problem[] = []
  const conflicts: Problem[] = []
  const next = items.reduce((rest, item, index) => {
    const path = `${field}[${index}]`
    const placed = addItem(rest, list.slot, item)
    problems.push(...under(path, problemsOf(placed, list, item, null)))
    conflicts.push(...under(path, conflictsWith(placed, list, item, null)))
    return placed
  }, config)
  refuse(problems)
  refuse(conflicts, 'conflict')
  return next
}

const stored = <T extends Item>(list: ListDeclaration<T>, body: object): object => list.fieldsOf?.(body) ?? body

/** Cast: the contract of the list has judged the body, and what it may leave out has its default. */
const itemOfFields = <T extends Item>(_list: ListDeclaration<T>, fields: object): T => fields as T

/**
 * The configuration with the item in its place, unless it is locked (409), wrong by itself (422) or wrong beside the others
 * (409). Judged as verification will see it: limits over several items count it.
 */
function accepted<T extends Item>(next: Config, list: ListDeclaration<T>, item: T, current: T | null): Config {
  if (current) refuse(list.lockedOf?.(item, current) ?? [], 'conflict')
  refuse(problemsOf(next, list, item, current))
  refuse(conflictsWith(next, list, item, current), 'conflict')
  return next
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
      read(config, list.slot).some((other) => unique.keyOf(other) === key && other !== item)
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
  if (!siblings.some(hasId(anchor))) throw invalid(field, say`There is no item with the id ${anchor} to place it by.`)
}

/** Built-in items are shown in the list and cannot be changed. */
export const builtIn = (what: string): GatewayError =>
  new GatewayError('conflict', say`The ${what} is built in and cannot be changed or removed.`)
