// Takes back what one revision changed, on top of the configuration as it is now: field by field, and refused where a later
// change touched the same. Pure.

import { isDeepStrictEqual } from 'node:util'
import { type SaidText, say } from '../../shared/said.ts'
import { GatewayError, maxProblems, type Problem } from '../contract/error.ts'
import { type Config, type Item, type ItemId, type ListSlot, read, type SingleSlot, type Slot } from '../model/slots.ts'
import { describeChanges } from './describe.ts'
import { longestRise } from './diff.ts'
import type { ChangeSet, Revision } from './revision.ts'

/** A revision with the configurations around it. */
export interface PastChange {
  readonly revision: number
  readonly before: Config
  readonly after: Config
  readonly changes: ChangeSet
  /** Changes of the same objects since, newest first. */
  readonly later: readonly LaterChange[]
}

export interface LaterChange {
  readonly object: string
  readonly revision: number
  readonly author: string
  readonly action: string
  readonly fields: readonly string[]
}

/** An object that a later change touched; without a field it is gone, was added again or moved. */
interface Conflict {
  readonly object: string
  readonly field: string | null
}

type Fields = Readonly<Record<string, unknown>>

const nameOf = (slot: string, id: ItemId | null): string => (id === null ? slot : `${slot}[${id}]`)

export const touchedBy = (changes: ChangeSet): ReadonlySet<string> =>
  new Set(changes.map(({ slot, id }) => nameOf(slot, id)))

/** What a revision did to these objects. */
export const laterChangesIn = ({ revision, author, changes }: Revision, touched: ReadonlySet<string>): LaterChange[] =>
  describeChanges(changes.filter(({ slot, id }) => touched.has(nameOf(slot, id)))).map(
    ({ object, action, fields }) => ({
      object,
      revision,
      author,
      action,
      fields: fields.map(({ field }) => field),
    }),
  )

/** Throws with the objects and their authors where it cannot be taken back. */
export function undo(slots: readonly Slot[], past: PastChange, config: Config): Config {
  const conflicts: Conflict[] = []
  const touched = new Set(past.changes.map(({ slot }) => slot))
  const next: Record<string, unknown> = { ...config }
  for (const slot of slots) {
    if (!touched.has(slot.key)) continue
    next[slot.key] =
      slot.kind === 'single'
        ? settingsWithout(slot, past, config, conflicts)
        : listWithout(slot, past, config, conflicts)
  }
  refuseConflicts(past, conflicts)
  return next
}

function settingsWithout(
  slot: SingleSlot,
  { before, after }: PastChange,
  config: Config,
  conflicts: Conflict[],
): Fields {
  const valueIn = (one: Config): Fields => read(one, slot) as Fields
  return fieldsWithout(slot.key, [valueIn(before), valueIn(after), valueIn(config)], conflicts)
}

type Versions<T> = readonly [before: T, after: T, now: T]

/** Fields that the revision changed get their old value; every other one stays. */
function fieldsWithout(object: string, [before, after, now]: Versions<Fields>, conflicts: Conflict[]): Fields {
  const next: Record<string, unknown> = { ...now }
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isDeepStrictEqual(before[field], after[field]) || isDeepStrictEqual(now[field], before[field])) continue
    if (!isDeepStrictEqual(now[field], after[field])) conflicts.push({ object, field })
    else if (field in before) next[field] = before[field]
    else delete next[field]
  }
  return next
}

const byId = (items: readonly Item[]): ReadonlyMap<ItemId, Item> => new Map(items.map((item) => [item.id, item]))

function listWithout(slot: ListSlot, past: PastChange, config: Config, conflicts: Conflict[]): readonly Item[] {
  const [before, after, now] = [read(past.before, slot), read(past.after, slot), read(config, slot)] as const
  const [old, made, present] = [byId(before), byId(after), byId(now)] as const
  const edited = new Map<ItemId, Item>(present)
  const returned = new Set<ItemId>()
  for (const { slot: key, id } of past.changes) {
    if (key !== slot.key || id === null) continue
    const object = nameOf(key, id)
    const [was, became, is] = [old.get(id), made.get(id), present.get(id)]
    if (was && became && is) {
      // Cast: an item is its fields, and one without some of its changes is still that item.
      edited.set(
        id,
        fieldsWithout(object, [was, became, is] as unknown as Versions<Fields>, conflicts) as unknown as Item,
      )
    } else if (was && became && !isDeepStrictEqual(was, became)) {
      conflicts.push({ object, field: null })
    } else if (was && !became) {
      // Numbers are not used again, so what is there under this one was restored since.
      if (is && !isDeepStrictEqual(is, was)) conflicts.push({ object, field: null })
      if (!is) returned.add(id)
      edited.set(id, is ?? was)
    } else if (!was && is) {
      if (!isDeepStrictEqual(is, became)) conflicts.push({ object, field: null })
      edited.delete(id)
    }
  }
  const movedSince = movedBetween(after, now)
  const [stoodBehind, standsBehind] = [neighboursIn(before, present), neighboursIn(now, old)]
  const isBack = (id: ItemId): boolean => movedSince.has(id) && stoodBehind.get(id) === standsBehind.get(id)
  const moved = new Set([...movedBetween(before, after)].filter((id) => !isBack(id)))
  for (const id of moved) if (movedSince.has(id)) conflicts.push({ object: nameOf(slot.key, id), field: null })
  const stays = now.filter(({ id }) => edited.has(id) && !moved.has(id)).map(({ id }) => id)
  const isPlaced = (id: ItemId): boolean => returned.has(id) || (moved.has(id) && edited.has(id))
  return placed(
    stays,
    before.map(({ id }) => id),
    isPlaced,
  ).map((id) => edited.get(id) as Item)
}

/** Ids of items that are in both lists and not in the same order. */
function movedBetween(from: readonly Item[], to: readonly Item[]): ReadonlySet<ItemId> {
  if (from === to) return new Set()
  const places = new Map(from.map(({ id }, index) => [id, index]))
  const sources = to.map(({ id }) => places.get(id) ?? -1)
  const stays = longestRise(sources)
  return new Set(to.filter((_, index) => (sources[index] ?? -1) >= 0 && !stays.has(index)).map(({ id }) => id))
}

/** What each item is behind, of those that are in the other list too. */
function neighboursIn(items: readonly Item[], others: ReadonlyMap<ItemId, Item>): ReadonlyMap<ItemId, ItemId | null> {
  const behind = new Map<ItemId, ItemId | null>()
  let last: ItemId | null = null
  for (const { id } of items) {
    if (!others.has(id)) continue
    behind.set(id, last)
    last = id
  }
  return behind
}

/** `ids` with the others of `order` put behind the one that they stood behind, or before what followed them. */
function placed(
  ids: readonly ItemId[],
  order: readonly ItemId[],
  isPlaced: (id: ItemId) => boolean,
): readonly ItemId[] {
  const present = new Set(ids)
  const behind = new Map<ItemId, ItemId[]>()
  const first: ItemId[] = []
  let anchor: ItemId | null = null
  for (const id of order) {
    if (isPlaced(id)) {
      if (anchor === null) first.push(id)
      else behind.set(anchor, [...(behind.get(anchor) ?? []), id])
    } else if (present.has(id)) anchor = id
  }
  // What stood before all others goes before the first of them that is still there: items added since may precede it.
  const next = order.find((id) => present.has(id) && !isPlaced(id))
  const start = next === undefined ? ids.length : ids.indexOf(next)
  return [...ids.slice(0, start), ...first, ...ids.slice(start)].flatMap((id) => [id, ...(behind.get(id) ?? [])])
}

function refuseConflicts({ revision, later }: PastChange, conflicts: readonly Conflict[]): void {
  if (conflicts.length === 0) return
  const problems: Problem[] = conflicts.slice(0, maxProblems).map(({ object, field }) => ({
    field: field === null ? object : `${object}.${field}`,
    message: whoChanged(later, { object, field }),
  }))
  const [first] = problems
  const fields = conflicts.length > 1 ? say`${first?.field} and ${conflicts.length - 1} more` : first?.field
  throw new GatewayError(
    'conflict',
    say`Revision ${revision} cannot be undone by itself, because later changes touched the same: ${fields}. ${first?.message}`,
    { problems },
  )
}

function whoChanged(later: readonly LaterChange[], { object, field }: Conflict): SaidText {
  const ofObject = later.filter((one) => one.object === object)
  const found = ofObject.find(({ fields }) => field !== null && fields.includes(field)) ?? ofObject[0]
  return found
    ? say`It was ${found.action} by ${found.author} in revision ${found.revision}.`
    : say`It was changed just now.`
}
