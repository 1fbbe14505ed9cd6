// Lists of ten thousand entries that differ from the last time in one or two places: what was made of the others is taken
// over in runs, without a look at each of them. Pure.

/** `count` entries from `at` on are the identical ones that were at `from` and after. */
export interface Run {
  readonly at: number
  readonly from: number
  readonly count: number
}

interface Making {
  /** Weak, or a list would keep all that it ever was. */
  readonly old: WeakRef<readonly unknown[]>
  readonly runs: readonly Run[]
}

const makings = new WeakMap<readonly unknown[], Making>()
/** Shorter lists are compared as fast. */
const worthNoting = 128

/** Notes what a list has in common with the one that it was just made of: a dozen places ask that after every change. */
export function noteMaking<T>(now: readonly T[], old: readonly T[], runs: readonly Run[]): readonly T[] {
  if (now !== old && now.length >= worthNoting)
    makings.set(now, { old: new WeakRef(old), runs: runs.filter(({ count }) => count > 0) })
  return now
}

/** Null when it is not known that one was made of the other. */
export function runsNoted(now: readonly unknown[], old: readonly unknown[]): readonly Run[] | null {
  const making = makings.get(now)
  return making?.old.deref() === old ? making.runs : null
}

/** The list that this one was made of, and what is new in it; null when that is not known. */
export function makingOf<T>(now: readonly T[]): { readonly old: readonly T[]; readonly fresh: readonly T[] } | null {
  const making = makings.get(now)
  // Cast: a list is made of one of the same kind.
  const old = making?.old.deref() as readonly T[] | undefined
  if (making === undefined || old === undefined) return null
  return { old, fresh: outsideRuns(now.length, making.runs).map((at) => now[at] as T) }
}

/** As `toSpliced()`, which takes twenty times as long for ten thousand entries where the runtime once left room for holes. */
export const spliced = <T>(old: readonly T[], at: number, count: number, by: readonly T[]): readonly T[] =>
  old.slice(0, at).concat(by, old.slice(at + count))

/** The list with `count` entries from `at` on replaced by these. */
export const spliceList = <T>(old: readonly T[], at: number, count: number, ...by: readonly T[]): readonly T[] =>
  noteMaking(spliced(old, at, count, by), old, [
    { at: 0, from: 0, count: at },
    { at: at + by.length, from: at + count, count: old.length - at - count },
  ])

/** The list with one entry in another place; `to` is the place that it has afterwards. */
export function moveInList<T>(old: readonly T[], from: number, to: number): readonly T[] {
  const [low, high] = from < to ? [from, to] : [to, from]
  const between = from < to ? { at: low, from: low + 1 } : { at: low + 1, from: low }
  return noteMaking(spliced(spliced(old, from, 1, []), to, 0, [old[from] as T]), old, [
    { at: 0, from: 0, count: low },
    { ...between, count: high - low },
    { at: high + 1, from: high + 1, count: old.length - high - 1 },
  ])
}

/** How far ahead the next equal entries are looked for. */
const lookAhead = 8

/**
 * Runs in rising order on both sides. Finds single entries that were added, deleted, replaced or moved; of other changes
 * it may find less than there is in common.
 */
export function findRuns<T>(now: readonly T[], old: readonly T[]): readonly Run[] {
  const noted = runsNoted(now, old)
  if (noted !== null) return noted
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
      const start = from + count
      const isKept = fresh.length === until - start && fresh.every((one, index) => one === old[start + index])
      if (!isKept) patched = spliced(patched, start, until - start, fresh)
      to = at
      until = from
    }
    return noteMaking(patched, old, runs)
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
