// Ordered rules as chains that a packet crosses in few steps: cut by address or port into small chains behind a verdict
// map. Every chain holds, in order, all rules that could match what enters it, so the first match stays the first match.
// All cuts come from the content, so one changed rule changes one or two chains. dispatch-ranks.ts handles rules that no
// single map separates; compile-rule.ts makes the lines of a rule. Pure.

import type { Ranges } from '../net/ranges.ts'
import type { NftPiece } from '../plan/artifacts.ts'
import { makePiece } from '../plan/nft-piece.ts'
import { digest } from '../render/digest.ts'
import { addresses, byMap, element, goTo, jump, type Nft, numbers, words } from '../render/nft.ts'

/** The fields that separate rules. Ports share one space: those of TCP as they are, those of UDP after them. */
export const fieldNames = ['destination', 'source', 'ports'] as const
const portField = 2
/** By their place in the list: tables are long, and this is looked up for each rule. */
export type Fields = readonly [destination: Ranges | null, source: Ranges | null, ports: Ranges | null]
export type FieldIndex = 0 | 1 | 2
const allFields: readonly FieldIndex[] = [0, 1, 2]

export const udpOffset = 0x1_0000

export interface Leaf {
  /** Evenly spread, the same for the same rule whatever its neighbours, and unique in the table. */
  readonly hash: number
  /** What the rule can match; null is everything. Empty ports: only protocols that have none. */
  readonly reach: Fields
  /** The same for separating rules: a list of many ranges counts as everything, because it would be in nearly every bucket. */
  readonly fields: Fields
  readonly lines: readonly Nft[]
}

export const makeFields = (...reach: Fields): Pick<Leaf, 'reach' | 'fields'> => ({
  reach,
  fields: reach.map((ranges) => (ranges !== null && ranges.length > 2 * maxRanges ? null : ranges)) as [...Fields],
})

/** Rules as chains. The tree of last time goes into the making of the next: what did not change is taken from it. */
export interface Tree {
  readonly leaves: readonly Leaf[]
  /** Lines for the chain that leads here. */
  readonly lines: readonly Nft[]
  /** Chains and maps the lines lead to, without those of the branches. */
  readonly pieces: readonly NftPiece[]
  readonly branches: ReadonlyMap<string, Tree>
}

export interface Task {
  /** Prefix of the names of all chains below. */
  readonly name: string
  readonly leaves: readonly Leaf[]
  readonly previous: Tree | undefined
}

/** How many rules in a row make a map worthwhile; more in a chain that is behind a map already. */
export const fewRules = 24
const fewInBucket = 32
const bucketSize = 16
/** More copies of a rule than this are not worth it. */
const maxRanges = 8
/** Parts of a row begin at rules whose hash is divisible by this. */
const partSize = 16

export function* listPieces(tree: Tree): Generator<NftPiece> {
  yield* tree.pieces
  for (const branch of tree.branches.values()) yield* listPieces(branch)
}

/** Evenly spread 32 bits of a number of 32 bits; different numbers have different ones. */
export function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

export function isSame({ leaves, previous }: Task): boolean {
  if (previous === undefined || previous.leaves.length !== leaves.length) return false
  return previous.leaves.every((leaf, at) => leaf === leaves[at])
}

const makeRow = ({ leaves }: Task): Tree => ({
  leaves,
  lines: leaves.flatMap(({ lines }) => lines),
  pieces: [],
  branches: new Map(),
})

/** Behind a map when that goes, otherwise one after the other. */
export const makeTree = (task: Task): Tree => makeBuckets(task) ?? makeParts(task)

/** A long row in parts, so that a change rewrites only one of them. */
function makeParts(task: Task): Tree {
  if (task.leaves.length <= fewInBucket) return makeRow(task)
  const parts = cutParts(task.leaves).map((part, at): Branch => [partName(task.name, part, at), part])
  return makeBranches(task, parts, makeRow, (names) => ({ lines: names.map(jump), pieces: [] }))
}

export const partName = (name: string, [head]: readonly Leaf[], at: number): string =>
  `${name}_${at === 0 || head === undefined ? 'z' : head.hash.toString(16)}`

export function cutParts<L extends Leaf>(leaves: readonly L[]): L[][] {
  const parts: L[][] = []
  let part: L[] = []
  for (const leaf of leaves) {
    if (part.length === 0 || leaf.hash % partSize === 0) {
      part = []
      parts.push(part)
    }
    part.push(leaf)
  }
  return parts
}

export type Branch = readonly [name: string, leaves: readonly Leaf[]]

/** Branches that did not change stay what they were; each is a separate chain. */
export function makeBranches(
  { leaves, previous }: Task,
  named: readonly Branch[],
  make: (task: Task) => Tree,
  finish: (names: readonly string[]) => Pick<Tree, 'lines' | 'pieces'>,
): Tree {
  const branches = new Map<string, Tree>()
  for (const [name, part] of named) {
    const task = { name, leaves: part, previous: previous?.branches.get(name) }
    branches.set(name, isSame(task) ? (task.previous as Tree) : asChain(name, make(task)))
  }
  return { leaves, branches, ...finish([...branches.keys()]) }
}

function asChain(name: string, tree: Tree): Tree {
  const chain = makePiece({ kind: 'chain', name, head: '', lines: tree.lines, origin: '' })
  return { ...tree, pieces: [chain, ...tree.pieces] }
}

/** Null when no field separates the rules well enough, or only with too many copies. */
export function makeBuckets(task: Task, fields: readonly FieldIndex[] = allFields): Tree | null {
  const { name, leaves } = task
  const field = leaves.length <= fewRules ? null : chooseField(leaves, fields)
  if (field === null) return null
  const cuts = findCuts(leaves, field)
  const buckets = fillBuckets(leaves, field, cuts)
  if (buckets === null) return null
  const { index } = field
  const prefix = `${name}_${fieldNames[index].charAt(0)}`
  const branches: Branch[] = []
  const elements: Nft[][] = [[], []]
  buckets.forEach((bucket, at) => {
    // What only rules for everything could match goes the way of what is in no bucket.
    if (bucket.length === field.wide) return
    const low = cuts[at] as number
    const chain = `${prefix}${low.toString(16)}`
    branches.push([chain, bucket])
    const key = printKey(index, low, (cuts[at + 1] ?? field.limit) - 1)
    elements[index === portField && low >= udpOffset ? 1 : 0]?.push(element(key, goTo(chain)))
  })
  const rest = leaves.filter((leaf) => leaf.fields[index] === null || leaf.fields[index].length === 0)
  if (rest.length > 0) branches.push([prefix, rest])
  const maps = elements.flatMap((lines, at) => (lines.length > 0 ? [makeFieldMap(index, at, lines)] : []))
  const others = fields.filter((it) => it !== index)
  return makeBranches(
    task,
    branches,
    (branch) => (branch.leaves.length <= fewInBucket ? null : makeBuckets(branch, others)) ?? makeRow(branch),
    () => ({
      lines: [...maps.map(({ line }) => line), ...(rest.length > 0 ? [jump(prefix)] : [])],
      pieces: maps.map(({ piece }) => piece),
    }),
  )
}

const printKey = (field: FieldIndex, low: number, high: number): Nft =>
  field === portField ? numbers(low % udpOffset, high % udpOffset) : addresses(low, high)

const selectors = [[words('ip daddr')], [words('ip saddr')], [words('tcp dport'), words('udp dport')]] as const

const makeFieldMap = (field: FieldIndex, at: number, lines: readonly Nft[]): { piece: NftPiece; line: Nft } =>
  makeMap(selectors[field][at] as Nft, field === portField ? 'inet_service' : 'ipv4_addr', lines)

/** Named by its content: a new map costs the kernel less than a change of an old one. */
export function makeMap(selector: Nft, type: string, lines: readonly Nft[]): { piece: NftPiece; line: Nft } {
  const head = words(`type ${type} : verdict; flags interval;`)
  const name = `m_${digest(lines.join()).slice(0, 24)}`
  return { piece: makePiece({ kind: 'map', name, head, lines, origin: '' }), line: byMap(selector, name) }
}

interface Field {
  readonly index: FieldIndex
  /** One more than the highest value. */
  readonly limit: number
  /** How many of the rules are in every bucket. */
  readonly wide: number
  /** How many different starts of ranges there are; in long tables by a sample. */
  readonly starts: number
}

function chooseField(leaves: readonly Leaf[], indexes: readonly FieldIndex[]): Field | null {
  let best: Field | null = null
  let least = leaves.length / 2
  const survey = surveyFields(leaves)
  for (const field of indexes.map((index) => survey[index] as Field)) {
    // Rules a packet meets behind the map.
    const met = field.wide + Math.max(bucketSize, (leaves.length - field.wide) / field.starts)
    if (field.wide > leaves.length / 4 || met >= least) continue
    best = field
    least = met
  }
  return best
}

const surveys = new WeakMap<readonly Leaf[], readonly Field[]>()

/** One walk over the rules for all fields: a long table is slow to read, not to think about. */
function surveyFields(leaves: readonly Leaf[]): readonly Field[] {
  const known = surveys.get(leaves)
  if (known !== undefined) return known
  const sampling = leaves.length > 512 ? 8 : 1
  const wide = [0, 0, 0]
  const samples = allFields.map(() => new Set<number>())
  for (const { fields } of leaves) {
    for (let index = 0; index < fields.length; index++) {
      const ranges = fields[index] as Ranges | null
      if (ranges === null) wide[index] = (wide[index] as number) + 1
      else addStarts(samples[index] as Set<number>, ranges, sampling)
    }
  }
  const survey = allFields.map((index): Field => {
    const limit = index === portField ? 2 * udpOffset : 2 ** 32
    return { index, limit, wide: wide[index] as number, starts: (samples[index] as Set<number>).size * sampling }
  })
  surveys.set(leaves, survey)
  return survey
}

/** `oneIn` is a power of two. */
function addStarts(starts: Set<number>, ranges: Ranges, oneIn: number): void {
  for (let at = 0; at < ranges.length; at += 2) {
    const start = ranges[at] as number
    if ((mix(start) & (oneIn - 1)) === 0) starts.add(start)
  }
}

/**
 * Where buckets begin. The space is halved as long as more rules begin in a half than a bucket should hold, so cuts are at
 * round numbers, where networks end, and one more rule moves no cut but its own. A half in which nothing begins belongs to
 * the bucket before it.
 */
function findCuts(leaves: readonly Leaf[], { index, limit }: Field): number[] {
  const starts = sortedStarts(leaves, index)
  const cuts: number[] = []
  const halve = (low: number, size: number, from: number, to: number): void => {
    if (to - from <= bucketSize || size === 1) {
      if (to > from && low > 0) cuts.push(low)
      return
    }
    const half = size / 2
    const middle = lowerBound(starts, low + half, from, to)
    halve(low, half, from, middle)
    halve(low + half, half, middle, to)
  }
  if (index !== portField) {
    halve(0, limit, 0, starts.length)
    return [0, ...cuts]
  }
  const middle = lowerBound(starts, udpOffset, 0, starts.length)
  halve(0, udpOffset, 0, middle)
  cuts.push(udpOffset)
  halve(udpOffset, udpOffset, middle, starts.length)
  return [...new Set([0, ...cuts])]
}

function sortedStarts(leaves: readonly Leaf[], index: FieldIndex): Float64Array {
  const starts: number[] = []
  for (const { fields } of leaves) {
    const ranges = fields[index] as Ranges | null
    if (ranges !== null) for (let at = 0; at < ranges.length; at += 2) starts.push(ranges[at] as number)
  }
  return Float64Array.from(starts).sort()
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

/** Null when there would be too many copies. */
function fillBuckets(leaves: readonly Leaf[], { index, wide }: Field, cuts: readonly number[]): Leaf[][] | null {
  const most = 4 * leaves.length + 64
  if (wide * cuts.length > most) return null
  let count = 0
  const buckets: Leaf[][] = cuts.map(() => [])
  const everywhere: Ranges = [0, 2 ** 32]
  for (const leaf of leaves) {
    const ranges = leaf.fields[index] ?? everywhere
    for (let at = 0; at < ranges.length; at += 2) {
      for (let to = findBucket(cuts, ranges[at] as number); to < cuts.length; to++) {
        if ((cuts[to] as number) > (ranges[at + 1] as number)) break
        const bucket = buckets[to] as Leaf[]
        if (bucket.at(-1) === leaf) continue
        bucket.push(leaf)
        if (++count > most) return null
      }
    }
  }
  return buckets
}

/** Which rules are in few buckets of a field, so that a map by it is worth its copies. */
export interface Narrowness {
  readonly fits: (leaf: Leaf) => boolean
  /** How many rules there were when the buckets were cut. */
  readonly count: number
}

/** Buckets are cut again only when the table has changed a lot: a rule should not change its kind with every edit. */
export function selectNarrow(leaves: readonly Leaf[], index: FieldIndex, previous: Narrowness | undefined): Narrowness {
  if (previous !== undefined && Math.abs(leaves.length - previous.count) <= previous.count / 8) return previous
  const field = surveyFields(leaves)[index] as Field
  if (leaves.length - field.wide <= fewRules) return { fits: () => false, count: leaves.length }
  const cuts = findCuts(leaves, field)
  const known = new WeakMap<Leaf, boolean>()
  const fits = (leaf: Leaf): boolean => {
    const decided = known.get(leaf) ?? isNarrow(leaf.fields[index], cuts)
    known.set(leaf, decided)
    return decided
  }
  return { fits, count: leaves.length }
}

function isNarrow(ranges: Ranges | null, cuts: readonly number[]): boolean {
  if (ranges === null || ranges.length === 0) return false
  let count = 0
  for (let at = 0; at < ranges.length; at += 2) {
    const [low, high] = [ranges[at] as number, ranges[at + 1] as number]
    count += low === high ? 1 : 1 + findBucket(cuts, high) - findBucket(cuts, low)
  }
  return count <= maxRanges
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
