// Sets of whole numbers (addresses, ports, seconds) as sorted, disjoint, closed ranges in one flat list:
// [low, high, low, high, ...]. Neighbours that touch are merged, so equal sets have equal lists. Pure.

export type Ranges = readonly number[]

export const noRanges: Ranges = []

/** From pairs in any order, overlapping or not. */
export function toRanges(pairs: readonly (readonly [low: number, high: number])[]): Ranges {
  const sorted = pairs.toSorted((a, b) => a[0] - b[0])
  const merged: number[] = []
  for (const [low, high] of sorted) {
    const last = merged.length - 1
    if (last > 0 && low <= (merged[last] as number) + 1) merged[last] = Math.max(merged[last] as number, high)
    else merged.push(low, high)
  }
  return merged
}

/** Two by two and without a pair for each range: one of the sets may have a hundred thousand. */
export function unite(sets: readonly Ranges[]): Ranges {
  const [first = noRanges, second] = sets
  if (second === undefined) return first
  const half = sets.length >> 1
  return uniteTwo(unite(sets.slice(0, half)), unite(sets.slice(half)))
}

function uniteTwo(a: Ranges, b: Ranges): Ranges {
  const merged: number[] = []
  let last = Number.NEGATIVE_INFINITY
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const isFromA = j >= b.length || (i < a.length && (a[i] as number) <= (b[j] as number))
    const low = (isFromA ? a[i] : b[j]) as number
    const high = (isFromA ? a[i + 1] : b[j + 1]) as number
    if (isFromA) i += 2
    else j += 2
    if (low > last + 1) merged.push(low, high)
    else if (high > last) merged[merged.length - 1] = high
    if (high > last) last = high
  }
  return merged
}

export function pairsOf(ranges: Ranges): (readonly [low: number, high: number])[] {
  const pairs: [number, number][] = []
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] as number, ranges[at + 1] as number])
  return pairs
}

/** Everything in 0..highest that is not in the set. */
export function invert(ranges: Ranges, highest: number): Ranges {
  const rest: number[] = []
  let next = 0
  for (let at = 0; at < ranges.length; at += 2) {
    const low = ranges[at] as number
    if (low > next) rest.push(next, low - 1)
    next = (ranges[at + 1] as number) + 1
  }
  if (next <= highest) rest.push(next, highest)
  return rest
}

export function contains(ranges: Ranges, value: number): boolean {
  let low = 0
  let high = ranges.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (value < (ranges[2 * middle] as number)) high = middle - 1
    else if (value > (ranges[2 * middle + 1] as number)) low = middle + 1
    else return true
  }
  return false
}

/** True when every value of `inner` is in `outer`. */
export function covers(outer: Ranges, inner: Ranges): boolean {
  let at = 0
  for (let i = 0; i < inner.length; i += 2) {
    while (at < outer.length && (outer[at + 1] as number) < (inner[i] as number)) at += 2
    if (at >= outer.length) return false
    if ((outer[at] as number) > (inner[i] as number) || (outer[at + 1] as number) < (inner[i + 1] as number))
      return false
  }
  return true
}

export function overlaps(a: Ranges, b: Ranges): boolean {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if ((a[i + 1] as number) < (b[j] as number)) i += 2
    else if ((b[j + 1] as number) < (a[i] as number)) j += 2
    else return true
  }
  return false
}

/** How many values the set holds. */
export const sizeOf = (ranges: Ranges): number => pairsOf(ranges).reduce((sum, [low, high]) => sum + high - low + 1, 0)
