// The time range of a log in the address: `from=-15m` reaches until now and moves on, two moments in Unix seconds stay fixed. Pure.

export const presets = ['-5m', '-15m', '-1h', '-6h', '-1d', '-7d', '-30d'] as const
export type Preset = (typeof presets)[number]

const seconds: Readonly<Record<Preset, number>> = {
  '-5m': 300,
  '-15m': 900,
  '-1h': 3_600,
  '-6h': 21_600,
  '-1d': 86_400,
  '-7d': 604_800,
  '-30d': 2_592_000,
}

export const defaultPreset: Preset = '-1h'

export interface LogRange {
  /** Unix seconds. */
  readonly from: number
  /** The first moment that does not belong to it; for a range that moves on it is now. */
  readonly until: number
  readonly preset: Preset | null
}

export const isPreset = (text: string | undefined): text is Preset =>
  text !== undefined && (presets as readonly string[]).includes(text)

/** What the address does not say or says wrongly is the last hour. */
export function readRange(search: Readonly<Record<string, string>>, now: number): LogRange {
  const { from, until } = search
  if (isPreset(from) || from === undefined) return presetRange(isPreset(from) ? from : defaultPreset, now)
  const [begin, end] = [momentOf(from), momentOf(until)]
  if (begin === null || (end !== null && end <= begin)) return presetRange(defaultPreset, now)
  return { from: begin, until: end ?? now, preset: null }
}

const momentOf = (text: string | undefined): number | null => {
  const value = Number(text)
  return text !== undefined && /^\d{1,11}$/.test(text) && Number.isSafeInteger(value) ? value : null
}

export const presetRange = (preset: Preset, now: number): LogRange => ({
  from: now - seconds[preset],
  until: now,
  preset,
})

export const writeRange = (
  range: { readonly from: number; readonly until: number } | Preset,
): Record<string, string | null> =>
  typeof range === 'string'
    ? { from: range === defaultPreset ? null : range, until: null }
    : { from: String(Math.floor(range.from)), until: String(Math.ceil(range.until)) }

const widths = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 172_800, 604_800,
]

/** A round width with which the range has at most so many buckets. */
export function bucketWidth({ from, until }: Pick<LogRange, 'from' | 'until'>, most = 90): number {
  return widths.find((width) => (until - from) / width <= most) ?? 2_592_000
}

export interface Bucket {
  /** Unix seconds. */
  readonly time: number
  readonly count: number
}

/** Counts of all buckets of the range, those without lines included: gaps must be seen. */
export function fillBuckets(
  counts: ReadonlyMap<number, number>,
  { from, until }: Pick<LogRange, 'from' | 'until'>,
  width: number,
): Bucket[] {
  const first = Math.floor(from / width) * width
  const buckets: Bucket[] = []
  for (let time = first; time < until; time += width) buckets.push({ time, count: counts.get(time) ?? 0 })
  return buckets
}

/** `times` in milliseconds. */
export function countTimes(
  times: Iterable<number>,
  range: Pick<LogRange, 'from' | 'until'>,
  width: number = bucketWidth(range),
): Bucket[] {
  const counts = new Map<number, number>()
  for (const time of times) {
    const bucket = Math.floor(time / 1_000 / width) * width
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
  }
  return fillBuckets(counts, range, width)
}
