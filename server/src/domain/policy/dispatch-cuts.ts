// Where a list of rules is cut by a field, and which rules are in which bucket. All of it comes from the content alone:
// what is worked out from the last time and the changes since then equals what is worked out from nothing. Pure.

import { noRanges, pairsOf, type Ranges } from '../../shared/net/ranges.ts'
import { type Changes, type Position, patchList } from './leaf-changes.ts'

/** The fields that separate rules. Ports share one space: those of TCP as they are, those of UDP after them. */
export const fieldNames = ['destination', 'source', 'ports'] as const
export const portField = 2
/** By their place in the list: tables are long, and this is looked up for each rule. */
export type Fields = readonly [destination: Ranges | null, source: Ranges | null, ports: Ranges | null]
export type FieldIndex = 0 | 1 | 2
export const allFields: readonly FieldIndex[] = [0, 1, 2]

export const udpOffset = 0x1_0000

export interface Separable {
  /** What separates the rule from others; null is everything. Empty ports: only protocols that have none. */
  readonly fields: Fields
  readonly position: Position
}

const bucketSize = 16
/** Longer tables are judged by a sample of one in eight. */
const longestWhole = 512

/** Evenly spread 32 bits of a number of 32 bits; different numbers have different ones. */
export function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** What the choice of a field depends on. */
export interface Survey {
  readonly count: number
  /** For each field, how many of the rules are in every bucket. */
  readonly wide: readonly number[]
  /** For each field, where ranges start, sorted; in long tables a sample. */
  readonly samples: readonly Float64Array[]
}

const samplingOf = (count: number): number => (count > longestWhole ? 8 : 1)

/** One walk over the rules for all fields: a long table is slow to read, not to think about. */
export function surveyFields(leaves: readonly Separable[]): Survey {
  const sampling = samplingOf(leaves.length)
  const wide = [0, 0, 0]
  const samples: number[][] = [[], [], []]
  for (const leaf of leaves) addToSurvey(leaf, sampling, wide, 1, samples)
  return { count: leaves.length, wide, samples: samples.map((starts) => Float64Array.from(starts).sort()) }
}

/** Null when another sample is needed. */
export function patchSurvey(survey: Survey, { removed, added }: Changes<Separable>): Survey | null {
  const count = survey.count + added.length - removed.length
  const sampling = samplingOf(count)
  if (sampling !== samplingOf(survey.count)) return null
  const wide = [...survey.wide]
  const gone: number[][] = [[], [], []]
  const fresh: number[][] = [[], [], []]
  for (const leaf of removed) addToSurvey(leaf, sampling, wide, -1, gone)
  for (const leaf of added) addToSurvey(leaf, sampling, wide, 1, fresh)
  const samples = survey.samples.map((starts, index) =>
    patchSorted(starts, gone[index] as number[], fresh[index] as number[]),
  )
  return { count, wide, samples }
}

function addToSurvey(
  { fields }: Separable,
  oneIn: number,
  wide: number[],
  weight: number,
  samples: readonly number[][],
): void {
  for (const index of allFields) {
    const ranges = fields[index]
    if (ranges === null) wide[index] = (wide[index] as number) + weight
    else
      for (let at = 0; at < ranges.length; at += 2) {
        const start = ranges[at] as number
        if ((mix(start) & (oneIn - 1)) === 0) (samples[index] as number[]).push(start)
      }
  }
}

/** Takes out and puts in values of a sorted list; each that is taken out is in it. */
function patchSorted(sorted: Float64Array, gone: readonly number[], fresh: readonly number[]): Float64Array {
  if (gone.length === 0 && fresh.length === 0) return sorted
  const [out, into] = [Float64Array.from(gone).sort(), Float64Array.from(fresh).sort()]
  const next = new Float64Array(sorted.length - gone.length + fresh.length)
  let [from, to, left, put] = [0, 0, 0, 0]
  while (left < out.length || put < into.length) {
    // Up to the next value that goes or comes.
    const isOut = put >= into.length || (left < out.length && (out[left] as number) <= (into[put] as number))
    const until = lowerBound(sorted, (isOut ? out[left] : into[put]) as number, from, sorted.length)
    next.set(sorted.subarray(from, until), to)
    to += until - from
    from = until
    if (isOut) {
      from++
      left++
    } else next[to++] = into[put++] as number
  }
  next.set(sorted.subarray(from), to)
  return next
}

export interface Field {
  readonly index: FieldIndex
  /** One more than the highest value. */
  readonly limit: number
  /** How many of the rules are in every bucket. */
  readonly wide: number
}

export function fieldOf({ wide }: Survey, index: FieldIndex): Field {
  return { index, limit: index === portField ? 2 * udpOffset : 2 ** 32, wide: wide[index] as number }
}

export function chooseField(survey: Survey, indexes: readonly FieldIndex[]): Field | null {
  const { count } = survey
  let best: Field | null = null
  let least = count / 2
  for (const index of indexes) {
    const field = fieldOf(survey, index)
    if (field.wide > count / 4) continue
    // Rules a packet meets behind the map.
    const starts = countDifferent(survey.samples[index] as Float64Array) * samplingOf(count)
    const met = field.wide + Math.max(bucketSize, (count - field.wide) / starts)
    if (met >= least) continue
    best = field
    least = met
  }
  return best
}

function countDifferent(sorted: Float64Array): number {
  let count = 0
  for (let at = 0; at < sorted.length; at++) if (at === 0 || sorted[at] !== sorted[at - 1]) count++
  return count
}

/** A list of rules that is cut by a field. */
export interface Cutting<L extends Separable> {
  readonly index: FieldIndex
  /** Where ranges start, sorted. */
  readonly starts: Float64Array
  /** Where buckets begin. */
  readonly cuts: readonly number[]
  /** The rules of each bucket, in order. Those that did not change are the identical lists. */
  readonly buckets: readonly (readonly L[])[]
  /** Rules for everything, and those that no bucket has. */
  readonly rest: readonly L[]
}

const isRest = ({ fields }: Separable, index: FieldIndex): boolean => {
  const ranges = fields[index]
  return ranges === null || ranges.length === 0
}

const mostCopies = (count: number): number => 4 * count + 64

/** Null when there would be too many copies. */
export function cut<L extends Separable>(leaves: readonly L[], field: Field): Cutting<L> | null {
  const { index } = field
  const starts = Float64Array.from(listStarts(leaves, index)).sort()
  const cuts = findCuts(starts, field)
  const most = mostCopies(leaves.length)
  if (field.wide * cuts.length > most) return null
  const buckets = fillBuckets(leaves, index, cuts, 0, cuts.length, most)
  return buckets && { index, starts, cuts, buckets, rest: leaves.filter((leaf) => isRest(leaf, index)) }
}

/** The same from the last time and what changed. */
export function patchCutting<L extends Separable>(
  old: Cutting<L>,
  field: Field,
  count: number,
  { removed, added }: Changes<L>,
): Cutting<L> | null {
  const { index } = field
  const starts = patchSorted(old.starts, listStarts(removed, index), listStarts(added, index))
  const cuts = findCuts(starts, field)
  const most = mostCopies(count)
  if (field.wide * cuts.length > most) return null
  const gone: ReadonlySet<L> = new Set(removed)
  // Between the cuts that are the same at both ends all is filled again, from what was there.
  const [head, tail] = commonCuts(old.cuts, cuts)
  const isMoved = head < cuts.length || head < old.cuts.length
  const from = isMoved ? head - 1 : cuts.length
  const to = isMoved ? cuts.length - tail : cuts.length
  const shift = old.cuts.length - cuts.length
  const buckets = cuts.map((_, at) => (at < from ? old.buckets[at] : old.buckets[at + shift]) as readonly L[])
  if (isMoved) {
    const inside = new Set(old.buckets.slice(from, to + shift).flat())
    for (const leaf of gone) inside.delete(leaf)
    const end = cuts[to] ?? field.limit
    for (const leaf of added) if (touches(leaf, index, cuts[from] as number, end)) inside.add(leaf)
    const sorted = [...inside].sort((a, b) => a.position.inTable - b.position.inTable)
    const filled = fillBuckets(sorted, index, cuts, from, to, most)
    if (filled === null) return null
    buckets.splice(from, to - from, ...filled)
  }
  const touched = new Map<number, L[]>()
  const touch = (leaf: L, isAdded: boolean) =>
    eachBucket(leaf, index, cuts, 0, cuts.length, (at) => {
      if (at >= from && at < to) return
      const list = touched.get(at) ?? []
      touched.set(at, list)
      if (isAdded && list.at(-1) !== leaf) list.push(leaf)
    })
  for (const leaf of removed) touch(leaf, false)
  for (const leaf of added) touch(leaf, true)
  for (const [at, more] of touched) buckets[at] = patchList(buckets[at] as readonly L[], gone, more)
  let copies = 0
  for (const bucket of buckets) copies += bucket.length
  if (copies > most) return null
  const isOther = [...removed, ...added].some((leaf) => isRest(leaf, index))
  const rest = isOther
    ? patchList(
        old.rest,
        gone,
        added.filter((leaf) => isRest(leaf, index)),
      )
    : old.rest
  return { index, starts, cuts, buckets, rest }
}

/** The first cut is the same always. */
function commonCuts(a: readonly number[], b: readonly number[]): [head: number, tail: number] {
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a[head] === b[head]) head++
  let tail = 0
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  return [head, tail]
}

/**
 * Where buckets begin. The space is halved as long as more rules begin in a half than a bucket should hold, so cuts are at
 * round numbers, where networks end, and one more rule moves no cut but its own. A half in which nothing begins belongs to
 * the bucket before it.
 */
export function findCuts(starts: Float64Array, { index, limit }: Field): number[] {
  const cuts: number[] = [0]
  const halve = (low: number, size: number, from: number, to: number): void => {
    if (to - from <= bucketSize || size === 1) {
      if (to > from && low > (cuts.at(-1) as number)) cuts.push(low)
      return
    }
    const half = size / 2
    const middle = lowerBound(starts, low + half, from, to)
    halve(low, half, from, middle)
    halve(low + half, half, middle, to)
  }
  if (index !== portField) {
    halve(0, limit, 0, starts.length)
    return cuts
  }
  const middle = lowerBound(starts, udpOffset, 0, starts.length)
  halve(0, udpOffset, 0, middle)
  cuts.push(udpOffset)
  halve(udpOffset, udpOffset, middle, starts.length)
  return cuts
}

export function listStarts(leaves: readonly Separable[], index: FieldIndex): number[] {
  const starts: number[] = []
  for (const { fields } of leaves) {
    const ranges = fields[index]
    if (ranges !== null) for (let at = 0; at < ranges.length; at += 2) starts.push(ranges[at] as number)
  }
  return starts
}

/** The first place between `from` and `to` whose value is not below `value`. */
function lowerBound(sorted: Float64Array, value: number, from: number, to: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The last value between two of them for which a packet needs the bucket: behind it only rules for everything could match.
 * Rounded up to a power of two, so that it moves with few changes.
 */
export function lastUsed(bucket: readonly Separable[], index: FieldIndex, low: number, high: number): number {
  let used = low
  for (const { fields } of bucket)
    for (const [first, last] of pairsOf(fields[index] ?? noRanges))
      if (first <= high) used = Math.max(used, Math.min(last, high))
  let size = 1
  while (low + size <= used) size *= 2
  return Math.min(low + size - 1, high)
}

const everywhere: Ranges = [0, 2 ** 32]

/** The buckets of a rule between two of them; one may come twice in a row. */
function eachBucket(
  { fields }: Separable,
  index: FieldIndex,
  cuts: readonly number[],
  from: number,
  end: number,
  visit: (at: number) => void,
): void {
  const ranges = fields[index] ?? everywhere
  for (let at = 0; at < ranges.length; at += 2) {
    const last = ranges[at + 1] as number
    for (let to = Math.max(from, findBucket(cuts, ranges[at] as number)); to < end; to++) {
      if ((cuts[to] as number) > last) break
      visit(to)
    }
  }
}

const touches = ({ fields }: Separable, index: FieldIndex, low: number, end: number): boolean => {
  const ranges = fields[index] ?? everywhere
  for (let at = 0; at < ranges.length; at += 2)
    if ((ranges[at] as number) < end && (ranges[at + 1] as number) >= low) return true
  return false
}

/** Null when there would be more copies than `most`. */
function fillBuckets<L extends Separable>(
  leaves: readonly L[],
  index: FieldIndex,
  cuts: readonly number[],
  from: number,
  end: number,
  most: number,
): L[][] | null {
  let count = 0
  const buckets: L[][] = Array.from({ length: end - from }, () => [])
  for (const leaf of leaves) {
    eachBucket(leaf, index, cuts, from, end, (to) => {
      const bucket = buckets[to - from] as L[]
      if (bucket.at(-1) === leaf) return
      bucket.push(leaf)
      count++
    })
    if (count > most) return null
  }
  return buckets
}

/** In how many buckets the values of a rule are. */
export function countBuckets(ranges: Ranges, cuts: readonly number[]): number {
  let count = 0
  for (let at = 0; at < ranges.length; at += 2) {
    const [low, high] = [ranges[at] as number, ranges[at + 1] as number]
    count += low === high ? 1 : 1 + findBucket(cuts, high) - findBucket(cuts, low)
  }
  return count
}

/** The last cut that is not above the value. */
function findBucket(cuts: readonly number[], value: number): number {
  let low = 0
  let high = cuts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((cuts[middle] as number) <= value) low = middle
    else high = middle - 1
  }
  return low
}
