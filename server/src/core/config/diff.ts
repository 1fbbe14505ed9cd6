// Differences between two configurations as data: the change set that a revision keeps, can replay and can undo.
// Positions in a list are fractions, so that a move or an insert touches one row whatever the length. Pure.

import { isDeepStrictEqual } from 'node:util'
import { noteSuccessor, slotsTouched } from '../model/origins.ts'
import { spliced } from '../model/runs.ts'
import { type Config, commonEnds, type Item, type ItemId, type Slot } from '../model/slots.ts'
import type { Change, ChangeSet, SplicedChange } from './revision.ts'
import { inverseSplices, valueAfter } from './splices.ts'

/** A configuration with the place of every list item; `positions[key]` runs parallel to the list. */
export interface Snapshot {
  readonly revision: number
  readonly config: Config
  readonly positions: Readonly<Record<string, readonly number[]>>
}

interface ListDiff {
  readonly changes: Change[]
  readonly items: readonly Item[]
  readonly positions: readonly number[]
}

/** The changes from `old` to `config`, and the resulting snapshot. Equal values keep their old identity. */
export function diffConfig(
  slots: readonly Slot[],
  old: Snapshot,
  config: Config,
): { changes: ChangeSet; snapshot: Snapshot } {
  const changes: Change[] = []
  const values: Record<string, unknown> = {}
  const positions: Record<string, readonly number[]> = {}
  for (const slot of slotsToCompare(slots, old.config, config)) {
    const before = old.config[slot.key]
    const after = config[slot.key]
    if (before === after) continue
    if (slot.kind === 'single') {
      if (isDeepStrictEqual(before, after)) continue
      changes.push({ slot: slot.key, id: null, before: before ?? null, after: after ?? null, from: null, to: null })
      values[slot.key] = after
      continue
    }
    const diff = diffList(
      slot.key,
      (before ?? []) as readonly Item[],
      old.positions[slot.key] ?? [],
      (after ?? []) as readonly Item[],
    )
    if (diff.changes.length === 0) continue
    changes.push(...diff.changes)
    values[slot.key] = diff.items
    positions[slot.key] = diff.positions
  }
  if (changes.length === 0) return { changes, snapshot: old }
  const next = { ...old.config, ...values }
  noteSuccessor(old.config, next, Object.keys(values))
  const areMoved = Object.keys(positions).length > 0
  return {
    changes,
    snapshot: {
      revision: old.revision,
      config: next,
      positions: areMoved ? { ...old.positions, ...positions } : old.positions,
    },
  }
}

/** In their order. An edit mostly writes one or two of hundreds. */
function slotsToCompare(slots: readonly Slot[], old: Config, config: Config): readonly Slot[] {
  const touched = slotsTouched(old, config)
  if (touched === null) return slots
  const places = placesOf(slots)
  const found = touched.flatMap((key) => places.get(key) ?? [])
  return found.toSorted((one, other) => one - other).flatMap((place) => slots[place] ?? [])
}

/** Where each slot is; there is one list of them as long as a gateway runs. */
function placesOf(slots: readonly Slot[]): ReadonlyMap<string, number> {
  const known = places.get(slots)
  if (known) return known
  const made = new Map(slots.map(({ key }, place) => [key, place]))
  places.set(slots, made)
  return made
}

const places = new WeakMap<readonly Slot[], ReadonlyMap<string, number>>()

function diffList(
  slot: string,
  old: readonly Item[],
  oldPositions: readonly number[],
  next: readonly Item[],
): ListDiff {
  const [start, tail] = commonEnds(old, next)
  const oldMiddle = old.slice(start, old.length - tail)
  const nextMiddle = next.slice(start, next.length - tail)
  const moved = placeOfMoved(oldMiddle, nextMiddle)
  if (moved !== null) return moveOne(slot, { old, oldPositions, next, start, tail, moved })
  const oldIndex = new Map(oldMiddle.map((item, index) => [item.id, index]))
  refuseRepeatedIds(slot, next, start, next.length - tail, oldIndex)

  const sources = nextMiddle.map((item) => oldIndex.get(item.id) ?? -1)
  const stays = longestRise(sources)
  const places: (number | null)[] = sources.map((source, index) =>
    stays.has(index) ? (oldPositions[start + source] ?? null) : null,
  )
  const low = start > 0 ? (oldPositions[start - 1] ?? null) : null
  const high = tail > 0 ? (oldPositions[old.length - tail] ?? null) : null
  const filled = fillPlaces(places, low, high)
  if (filled === null) return renumber(slot, old, oldPositions, next)

  const changes: Change[] = []
  const items = nextMiddle.map((item, index) => {
    const source = sources[index] ?? -1
    const before = source < 0 ? null : (oldMiddle[source] ?? null)
    const from = source < 0 ? null : (oldPositions[start + source] ?? null)
    const to = filled[index] ?? 0
    const same = before !== null && (before === item || isDeepStrictEqual(before, item))
    if (!same || from !== to) changes.push({ slot, id: item.id, before, after: item, from, to })
    return same ? before : item
  })
  const kept = new Set(nextMiddle.map((item) => item.id))
  oldMiddle.forEach((item, index) => {
    if (kept.has(item.id)) return
    changes.push({ slot, id: item.id, before: item, after: null, from: oldPositions[start + index] ?? null, to: null })
  })
  const isAsGiven = items.every((item, index) => item === nextMiddle[index])
  return {
    changes,
    items: isAsGiven ? next : spliced(next, start, nextMiddle.length, items),
    positions: spliced(oldPositions, start, oldMiddle.length, filled),
  }
}

/** Where in the old part the one item is that was moved to the other end of it; null when the parts differ in another way. */
function placeOfMoved(old: readonly Item[], next: readonly Item[]): number | null {
  const last = old.length - 1
  if (last < 1 || next.length !== old.length) return null
  const isForward = old[0] === next[last]
  if (!isForward && old[last] !== next[0]) return null
  const shift = isForward ? 1 : -1
  for (let at = isForward ? 0 : 1; at < (isForward ? last : old.length); at++)
    if (next[at] !== old[at + shift]) return null
  return isForward ? 0 : last
}

/** One item across thousands of others, without an index of them all. */
function moveOne(
  slot: string,
  {
    old,
    oldPositions,
    next,
    start,
    tail,
    moved,
  }: {
    readonly old: readonly Item[]
    readonly oldPositions: readonly number[]
    readonly next: readonly Item[]
    readonly start: number
    readonly tail: number
    readonly moved: number
  },
): ListDiff {
  const end = old.length - tail
  const isForward = moved === 0
  const below = oldPositions[isForward ? end - 1 : start - 1] ?? null
  const above = oldPositions[isForward ? end : start] ?? null
  const to = between(below, above, 1, 1)
  if (to === null) return renumber(slot, old, oldPositions, next)
  const item = old[start + moved] as Item
  const from = oldPositions[start + moved] ?? null
  const others = spliced(oldPositions, start + moved, 1, [])
  return {
    changes: [{ slot, id: item.id, before: item, after: item, from, to }],
    items: next,
    positions: spliced(others, isForward ? end - 1 : start, 0, [to]),
  }
}

/** Ids between the unchanged ends were unique before; only ids that are new there can also occur at the ends. */
function refuseRepeatedIds(
  slot: string,
  next: readonly Item[],
  start: number,
  end: number,
  known: ReadonlyMap<ItemId, number>,
): void {
  const touched = new Set<ItemId>()
  const added = new Set<ItemId>()
  for (let index = start; index < end; index++) {
    const id = next[index]?.id ?? ''
    touched.add(id)
    if (!known.has(id)) added.add(id)
  }
  const isTwice = (item: Item, index: number): boolean => (index < start || index >= end) && added.has(item.id)
  if (touched.size !== end - start || (added.size > 0 && next.some(isTwice)))
    throw new Error(`${slot}: an edit produced two items with the same id`)
}

/** Indices of a longest strictly rising run of `values`, ignoring -1: the items that need not move. */
export function longestRise(values: readonly number[]): Set<number> {
  const tails: number[] = []
  const previous: number[] = []
  values.forEach((value, index) => {
    if (value < 0) return
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1
    tails[low] = index
  })
  const result = new Set<number>()
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) result.add(index)
  return result
}

/** Gives every null a place between its neighbours; null when the fractions there are used up. */
function fillPlaces(places: readonly (number | null)[], low: number | null, high: number | null): number[] | null {
  const filled: number[] = []
  for (let index = 0; index < places.length; ) {
    const place = places[index]
    if (place !== null && place !== undefined) {
      filled.push(place)
      index++
      continue
    }
    let end = index
    while (end < places.length && places[end] === null) end++
    const below = index > 0 ? (filled[index - 1] ?? null) : low
    const above = end < places.length ? (places[end] ?? null) : high
    const count = end - index
    for (let step = 1; step <= count; step++) {
      const value = between(below, above, step, count)
      if (value === null || (filled.length > 0 && value <= (filled.at(-1) ?? 0))) return null
      filled.push(value)
    }
    index = end
  }
  return filled
}

function between(below: number | null, above: number | null, step: number, count: number): number | null {
  if (below === null && above === null) return step
  if (below === null) return (above ?? 0) - (count + 1 - step)
  if (above === null) return below + step
  const value = below + ((above - below) * step) / (count + 1)
  return value > below && value < above ? value : null
}

function renumber(
  slot: string,
  old: readonly Item[],
  oldPositions: readonly number[],
  next: readonly Item[],
): ListDiff {
  const oldById = new Map(old.map((item, index) => [item.id, { item, position: oldPositions[index] ?? null }]))
  const changes: Change[] = []
  next.forEach((item, index) => {
    const source = oldById.get(item.id)
    oldById.delete(item.id)
    const from = source?.position ?? null
    if (source?.item === item && from === index + 1) return
    changes.push({ slot, id: item.id, before: source?.item ?? null, after: item, from, to: index + 1 })
  })
  for (const { item, position } of oldById.values()) {
    changes.push({ slot, id: item.id, before: item, after: null, from: position, to: null })
  }
  return { changes, items: next, positions: next.map((_, index) => index + 1) }
}

/** The change set that undoes another. */
export const inverse = (changes: ChangeSet): ChangeSet =>
  changes
    .map((c) => ({ ...c, before: c.after, after: c.before, from: c.to, to: c.from, ...inverseSplices(c) }))
    .reverse()

/** The snapshot after `changes`; used to replay history forwards and, through inverse(), backwards. */
export function applyChanges(snapshot: Snapshot, changes: ChangeSet, revision: number): Snapshot {
  const config: Record<string, unknown> = { ...snapshot.config }
  const positions: Record<string, readonly number[]> = { ...snapshot.positions }
  const byList = new Map<string, SplicedChange[]>()
  for (const change of changes) {
    if (change.id === null) {
      if (change.after === null) delete config[change.slot]
      else config[change.slot] = valueAfter(change, config[change.slot])
      continue
    }
    const touched = byList.get(change.slot)
    if (touched) touched.push(change)
    else byList.set(change.slot, [change])
  }
  for (const [slot, touched] of byList) {
    const entries = new Map<ItemId, { item: Item; position: number }>()
    const oldPositions = positions[slot] ?? []
    ;((config[slot] ?? []) as readonly Item[]).forEach((item, index) => {
      entries.set(item.id, { item, position: oldPositions[index] ?? 0 })
    })
    for (const change of touched) {
      if (change.id === null) continue
      if (change.after === null || change.to === null) entries.delete(change.id)
      else {
        const item = valueAfter(change, entries.get(change.id)?.item) as Item
        entries.set(change.id, { item, position: change.to })
      }
    }
    const sorted = [...entries.values()].sort((a, b) => a.position - b.position)
    config[slot] = sorted.map((entry) => entry.item)
    positions[slot] = sorted.map((entry) => entry.position)
  }
  return { revision, config, positions }
}
