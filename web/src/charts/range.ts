// From places on the histogram to a range of time.

interface Timed {
  readonly time: number
}

export const bucketAt = (x: number, width: number, count: number): number =>
  Math.max(0, Math.min(count - 1, Math.floor((x / Math.max(1, width)) * count)))

/** From the beginning of the first bucket to the end of the last; the ends may come in any order. */
export function rangeOf(
  buckets: readonly Timed[],
  one: number,
  other: number,
): { readonly from: number; readonly until: number } | null {
  const from = buckets[Math.min(one, other)]
  const last = Math.max(one, other)
  const end = buckets[last]
  if (from === undefined || end === undefined) return null
  const width = (buckets[1]?.time ?? from.time + 1) - (buckets[0]?.time ?? from.time)
  return { from: from.time, until: buckets[last + 1]?.time ?? end.time + Math.max(1, width) }
}
