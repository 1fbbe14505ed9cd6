// Lists of ten thousand entries that differ from the last time in one or two places: what was made of the others is taken
// over in runs, without a look at each of them. Pure.

/** `count` entries from `at` on are the identical ones that were at `from` and after. */
export interface Run {
  readonly at: number
  readonly from: number
  readonly count: number
}

/** How far ahead the next equal entries are looked for. */
const lookAhead = 8

/**
 * Runs in rising order on both sides. Finds single entries that were added, deleted, replaced or moved; of other changes
 * it may find less than there is in common.
 */
export function findRuns<T>(now: readonly T[], old: readonly T[]): readonly Run[] {
  const runs: Run[] = []
  const shorter = Math.min(now.length, old.length)
  let tail = 0
  while (tail < shorter && now[now.length - 1 - tail] === old[old.length - 1 - tail]) tail++
  const [nowEnd, oldEnd] = [now.length - tail, old.length - tail]
  let at = 0
  let from = 0
  while (at < nowEnd && from < oldEnd) {
    let count = 0
    while (at + count < nowEnd && from + count < oldEnd && now[at + count] === old[from + count]) count++
    if (count > 0) runs.push({ at, from, count })
    at += count
    from += count
    if (at >= nowEnd || from >= oldEnd) break
    const deleted = indexNear(old, now[at] as T, from, oldEnd)
    const added = deleted < 0 ? indexNear(now, old[from] as T, at, nowEnd) : at
    at = added < 0 ? at + 1 : added
    from = deleted < 0 ? (added < 0 ? from + 1 : from) : deleted
  }
  if (tail > 0) runs.push({ at: nowEnd, from: oldEnd, count: tail })
  return runs
}

function indexNear<T>(list: readonly T[], entry: T, from: number, end: number): number {
  const last = Math.min(end, from + lookAhead)
  for (let at = from; at < last; at++) if (list[at] === entry) return at
  return -1
}

/** More gaps, or more in them, are not worth a copy of the old list. */
const fewGaps = 32
const fewFresh = 256

/** A list beside the new one: what was beside the old one where that is in a run, and what `make` gives elsewhere. */
export function mapRuns<R>(
  length: number,
  runs: readonly Run[],
  old: readonly R[],
  make: (at: number) => R,
): readonly R[] {
  const common = runs.reduce((sum, { count }) => sum + count, 0)
  if (runs.length <= fewGaps && length - common <= fewFresh) {
    let patched = old
    // From the end, so that what comes before is where it was.
    let [to, until] = [length, old.length]
    for (let next = runs.length - 1; next >= -1; next--) {
      const { at, from, count } = runs[next] ?? { at: 0, from: 0, count: 0 }
      const fresh: R[] = []
      for (let place = at + count; place < to; place++) fresh.push(make(place))
      if (fresh.length > 0 || from + count < until)
        patched = patched.toSpliced(from + count, until - from - count, ...fresh)
      to = at
      until = from
    }
    return patched
  }
  const results: R[] = []
  for (const { at, from, count } of runs) {
    while (results.length < at) results.push(make(results.length))
    for (let next = from; next < from + count; next++) results.push(old[next] as R)
  }
  while (results.length < length) results.push(make(results.length))
  return results
}

/** Places of the new list that are in no run. */
export function outsideRuns(length: number, runs: readonly Run[]): number[] {
  const places: number[] = []
  let next = 0
  for (const { at, count } of [...runs, { at: length, count: 0 }]) {
    while (next < at) places.push(next++)
    next = at + count
  }
  return places
}

/** Places of the old list that are in no run. */
export const missedByRuns = (length: number, runs: readonly Run[]): number[] =>
  outsideRuns(
    length,
    runs.map(({ at, from, count }) => ({ at: from, from: at, count })),
  )

export function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}
