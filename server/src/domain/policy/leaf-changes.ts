// What differs between two lists of rules, by identity, so that the next run touches only that. A rule that was moved is
// both removed and added. The rules that stay keep their order. Pure but for the positions it notes.

import { noteMaking, type Run } from '../../core/model/runs.ts'
import { commonEnds } from '../../core/model/slots.ts'

/** Where a rule is; noted by each run for itself, and shared by all that is made of the rule. */
export interface Position {
  /** In the table of this run. */
  inTable: number
  /** In the list that is being compared. */
  inList: number
}

export interface Positioned {
  readonly position: Position
}

export interface Changes<L> {
  /** In the order of the old list. */
  readonly removed: readonly L[]
  /** In the order of the new list. */
  readonly added: readonly L[]
  /** What stays. */
  readonly runs: readonly Run[]
}

type Mutable = { -readonly [key in keyof Run]: Run[key] }

/** Null when so much differs that to start again is cheaper. Nothing is in a list twice. */
export function changesBetween<L extends Positioned>(old: readonly L[], now: readonly L[]): Changes<L> | null {
  const most = 16 + (now.length >> 3)
  const [head, tail] = commonEnds(old, now)
  const [oldEnd, nowEnd] = [old.length - tail, now.length - tail]
  if (Math.abs(oldEnd - nowEnd) > most) return null
  for (let at = head; at < nowEnd; at++) (now[at] as L).position.inList = at
  const places = new Int32Array(oldEnd - head)
  for (let at = head; at < oldEnd; at++) {
    const leaf = old[at] as L
    const place = leaf.position.inList
    places[at - head] = place >= head && place < nowEnd && now[place] === leaf ? place : -1
  }
  const runs: Mutable[] = head > 0 ? [{ at: 0, from: 0, count: head }] : []
  const removed: L[] = []
  const added: L[] = []
  let [from, at] = [head, head]
  const skipTo = (oldPlace: number, nowPlace: number) => {
    while (from < oldPlace) removed.push(old[from++] as L)
    while (at < nowPlace) added.push(now[at++] as L)
  }
  for (const place of longestRise(places)) {
    const [oldPlace, nowPlace] = [head + place, places[place] as number]
    if (oldPlace > from || nowPlace > at || runs.length === 0) {
      skipTo(oldPlace, nowPlace)
      runs.push({ at, from, count: 0 })
    }
    const last = runs.at(-1)
    if (last) last.count++
    from++
    at++
  }
  skipTo(oldEnd, nowEnd)
  if (tail > 0) runs.push({ at: nowEnd, from: oldEnd, count: tail })
  if (removed.length + added.length > most) return null
  // The same two lists are compared several times in a run.
  noteMaking(now, old, runs)
  return { removed, added, runs }
}

/** Positions of a longest strictly rising sequence among the values that are not negative. */
export function longestRise(values: ArrayLike<number>): Int32Array {
  const ends = new Int32Array(values.length)
  const before = new Int32Array(values.length)
  let count = 0
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number
    if (value < 0) continue
    let low = count
    if (count > 0 && (values[ends[count - 1] as number] as number) >= value) {
      low = 0
      let high = count - 1
      while (low < high) {
        const middle = (low + high) >> 1
        if ((values[ends[middle] as number] as number) < value) low = middle + 1
        else high = middle
      }
    }
    before[at] = low > 0 ? (ends[low - 1] as number) : -1
    ends[low] = at
    if (low === count) count++
  }
  const rise = new Int32Array(count)
  for (let to = count - 1, at = count > 0 ? (ends[count - 1] as number) : -1; to >= 0; to--) {
    rise[to] = at
    at = before[at] as number
  }
  return rise
}

/** The old list with the changes; both are in the order of the table. */
export function patchList<L extends Positioned>(
  old: readonly L[],
  removed: ReadonlySet<L>,
  added: readonly L[],
): readonly L[] {
  const list: L[] = []
  let next = 0
  for (const leaf of old) {
    if (removed.has(leaf)) continue
    while (next < added.length && (added[next] as L).position.inTable < leaf.position.inTable)
      list.push(added[next++] as L)
    list.push(leaf)
  }
  while (next < added.length) list.push(added[next++] as L)
  return list
}
