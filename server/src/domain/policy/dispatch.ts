// Ordered rules as chains that a packet crosses in few steps: cut by address or port into small chains behind a verdict
// map. Every chain holds, in order, all rules that could match what enters it, so the first match stays the first match.
// All cuts come from the content, so one changed rule changes one or two chains; what did not change is taken from the last
// time. dispatch-cuts.ts finds the cuts, dispatch-ranks.ts handles rules that no single map separates, compile-rule.ts
// makes the lines of a rule. Pure but for the positions that leaf-changes.ts notes.

import { isSameList } from '../../core/model/runs.ts'
import type { NftPiece } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import { digest } from './digest.ts'
import {
  allFields,
  type Cutting,
  chooseField,
  countBuckets,
  cut,
  type FieldIndex,
  type Fields,
  fieldNames,
  fieldOf,
  findCuts,
  lastUsed,
  listStarts,
  patchCutting,
  patchSurvey,
  portField,
  type Separable,
  type Survey,
  surveyFields,
  udpOffset,
} from './dispatch-cuts.ts'
import { changesBetween } from './leaf-changes.ts'
import { addresses, byMap, element, goTo, jump, type Nft, numbers, words } from './nft.ts'

export interface Leaf extends Separable {
  /** Evenly spread, the same for the same rule whatever its neighbours, and unique in the table. */
  readonly hash: number
  /**
   * What the rule can match; null is everything. Empty ports: only protocols that have none. `fields` is the same for
   * separating rules: a list of many ranges counts as everything, because it would be in nearly every bucket.
   */
  readonly reach: Fields
  readonly lines: readonly Nft[]
}

export function makeFields(...reach: Fields): Pick<Leaf, 'reach' | 'fields'> {
  const isLong = reach.some((ranges) => ranges !== null && ranges.length > 2 * maxRanges)
  const short = (at: FieldIndex) => ((reach[at]?.length ?? 0) > 2 * maxRanges ? null : reach[at])
  return { reach, fields: isLong ? [short(0), short(1), short(2)] : reach }
}

/** Rules as chains. The tree of last time goes into the making of the next: what did not change is taken from it. */
export interface Tree {
  /** Of its chain, and the prefix of the names of all chains below. */
  readonly name: string
  readonly leaves: readonly Leaf[]
  /** Lines for the chain that leads here. */
  readonly lines: readonly Nft[]
  /** Chains and maps the lines lead to, without those of the branches; the own chain first where it has one. */
  readonly pieces: readonly NftPiece[]
  readonly branches: readonly Tree[]
  /** For the next time, where the list is long. */
  readonly survey?: Survey
  readonly split?: Split
}

/** A list behind a map, for the next time. */
interface Split {
  readonly cutting: Cutting<Leaf>
  /** For each bucket; null where only the rules for everything are. */
  readonly trees: readonly (Tree | null)[]
  readonly elements: readonly (Nft | null)[]
  readonly maps: readonly FieldMap[]
}

interface FieldMap {
  readonly piece: NftPiece
  readonly line: Nft
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
/** Shorter lists are faster to cut again than to compare. */
const fewToCompare = 128
/** More copies of a rule than this are not worth it. */
const maxRanges = 8
/** Parts of a row begin at rules whose hash is divisible by this. */
const partSize = 16

export function collectPieces(tree: Tree, into: NftPiece[]): void {
  for (const piece of tree.pieces) into.push(piece)
  for (const branch of tree.branches) collectPieces(branch, into)
}

const isSame = ({ leaves, previous }: Task): boolean => previous !== undefined && isSameList(previous.leaves, leaves)

function makeRow({ name, leaves }: Task): Tree {
  const lines: Nft[] = []
  for (const leaf of leaves) for (const line of leaf.lines) lines.push(line)
  return { name, leaves, lines, pieces: [], branches: [] }
}

/** Behind a map when that goes, otherwise one after the other. */
export function makeTree(task: Task): Tree {
  const survey = surveyOf(task)
  const isKept = survey !== null && task.leaves.length > fewToCompare
  return makeBuckets(task, survey) ?? { ...makeParts(task), ...(isKept ? { survey } : {}) }
}

/** A long row in parts, so that a change rewrites only one of them. */
function makeParts(task: Task): Tree {
  if (task.leaves.length <= fewInBucket) return makeRow(task)
  const parts = cutParts(task.leaves).map((part, at): Branch => [partName(task.name, part, at), part])
  return makeBranches(task, parts, makeRow, (names) => ({ lines: names.map(jump), pieces: [] }))
}

export const partName = (name: string, [head]: readonly Leaf[], at: number): string =>
  `${name}_${at === 0 || head === undefined ? 'z' : head.hash.toString(16)}`

export function cutParts<L extends Pick<Leaf, 'hash'>>(leaves: readonly L[]): L[][] {
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
  { name, leaves, previous }: Task,
  named: readonly Branch[],
  make: (task: Task) => Tree,
  finish: (names: readonly string[]) => Pick<Tree, 'lines' | 'pieces'>,
): Tree {
  const known = new Map(previous?.branches.map((branch) => [branch.name, branch]))
  const branches = named.map(([chain, part]) => makeBranch(chain, part, known.get(chain), make))
  return { name, leaves, branches, ...finish(named.map(([chain]) => chain)) }
}

function makeBranch(
  name: string,
  leaves: readonly Leaf[],
  previous: Tree | undefined,
  make: (task: Task) => Tree,
): Tree {
  const task = { name, leaves, previous }
  if (previous !== undefined && isSame(task)) return previous
  const tree = make(task)
  const [known] = previous !== undefined && isSameList(previous.lines, tree.lines) ? previous.pieces : []
  const chain = known ?? makePiece({ kind: 'chain', name, head: '', lines: tree.lines, origin: '' })
  return { ...tree, pieces: [chain, ...tree.pieces] }
}

/** Those of a long list are worked out from the last time. */
export function surveyOf({ leaves, previous }: Task): Survey | null {
  if (leaves.length <= fewRules) return null
  const changes = previous?.survey ? changesBetween(previous.leaves, leaves) : null
  return (previous?.survey && changes && patchSurvey(previous.survey, changes)) ?? surveyFields(leaves)
}

/** Null when no field separates the rules well enough, or only with too many copies. */
export function makeBuckets(task: Task, survey: Survey | null, fields: readonly FieldIndex[] = allFields): Tree | null {
  const { name, leaves, previous } = task
  const field = survey && chooseField(survey, fields)
  if (survey === null || field === null) return null
  const old = previous?.split?.cutting.index === field.index ? previous.split : undefined
  const changes =
    previous !== undefined && old !== undefined && leaves.length > fewToCompare
      ? changesBetween(previous.leaves, leaves)
      : null
  const cutting =
    old !== undefined && changes !== null
      ? patchCutting(old.cutting, field, leaves.length, changes)
      : cut(leaves, field)
  if (cutting === null) return null
  const { index, cuts, buckets, rest } = cutting
  const prefix = `${name}_${fieldNames[index].charAt(0)}`
  const others = fields.filter((it) => it !== index)
  const make = (branch: Task): Tree => {
    const found = branch.leaves.length <= fewInBucket || others.length === 0 ? null : surveyOf(branch)
    return makeBuckets(branch, found, others) ?? makeRow(branch)
  }
  const known = knownBuckets(old)
  const byName = new Map(old === undefined ? previous?.branches.map((branch) => [branch.name, branch]) : [])
  const trees: (Tree | null)[] = []
  const elements: (Nft | null)[] = []
  for (let at = 0; at < cuts.length; at++) {
    const bucket = buckets[at] as readonly Leaf[]
    const low = cuts[at] as number
    const oldAt = known(low)
    const tree = old?.trees[oldAt]
    // What only rules for everything could match goes the way of what is in no bucket.
    const isUsed = bucket.length !== field.wide
    const chain = tree?.name ?? `${prefix}${low.toString(16)}`
    trees.push(isUsed ? makeBranch(chain, bucket, tree ?? byName.get(chain), make) : null)
    const next = cuts[at + 1]
    const isSameBucket = old?.cutting.buckets[oldAt] === bucket && old.cutting.cuts[oldAt + 1] === next
    const text = isSameBucket ? old.elements[oldAt] : null
    const last = () => lastUsed(bucket, index, low, (next ?? field.limit) - 1)
    elements.push(isUsed ? (text ?? element(printKey(index, low, last()), goTo(chain))) : null)
  }
  const maps = old !== undefined && isSameList(old.elements, elements) ? old.maps : makeFieldMaps(index, cuts, elements)
  const branches = trees.filter((tree) => tree !== null)
  if (rest.length > 0)
    branches.push(
      makeBranch(
        prefix,
        rest,
        previous?.branches.findLast((branch) => branch.name === prefix),
        make,
      ),
    )
  return {
    name,
    leaves,
    branches,
    lines: [...maps.map(({ line }) => line), ...(rest.length > 0 ? [jump(prefix)] : [])],
    pieces: maps.map(({ piece }) => piece),
    ...(leaves.length > fewToCompare ? { survey, split: { cutting, trees, elements, maps } } : {}),
  }
}

/** Where the bucket that begins at a value was the last time; -1 for none. Asked for in rising order. */
function knownBuckets(old: Split | undefined): (low: number) => number {
  const cuts = old?.cutting.cuts ?? []
  let at = 0
  return (low) => {
    while (at < cuts.length && (cuts[at] as number) < low) at++
    return cuts[at] === low ? at : -1
  }
}

const printKey = (field: FieldIndex, low: number, high: number): Nft =>
  field === portField ? numbers(low % udpOffset, high % udpOffset) : addresses(low, high)

const selectors = [[words('ip daddr')], [words('ip saddr')], [words('tcp dport'), words('udp dport')]] as const

/** Ports have a map for each protocol. */
function makeFieldMaps(
  index: FieldIndex,
  cuts: readonly number[],
  elements: readonly (Nft | null)[],
): readonly FieldMap[] {
  const lists: Nft[][] = [[], []]
  elements.forEach((text, at) => {
    if (text !== null) lists[index === portField && (cuts[at] as number) >= udpOffset ? 1 : 0]?.push(text)
  })
  const type = index === portField ? 'inet_service' : 'ipv4_addr'
  return lists.flatMap((lines, at) => (lines.length > 0 ? [makeMap(selectors[index][at] as Nft, type, lines)] : []))
}

/** Named by its content: a new map costs the kernel less than a change of an old one. */
export function makeMap(selector: Nft, type: string, lines: readonly Nft[]): FieldMap {
  const head = words(`type ${type} : verdict; flags interval;`)
  const name = `m_${digest(lines.join()).slice(0, 24)}`
  return { piece: makePiece({ kind: 'map', name, head, lines, origin: '' }), line: byMap(selector, name) }
}

/** Which rules are in few buckets of a field, so that a map by it is worth its copies. */
export interface Narrowness {
  readonly fits: (leaf: Leaf) => boolean
}

export function selectNarrow(leaves: readonly Leaf[], index: FieldIndex, survey: Survey): Narrowness {
  const field = fieldOf(survey, index)
  if (leaves.length - field.wide <= fewRules) return { fits: () => false }
  const cuts = findCuts(Float64Array.from(listStarts(leaves, index)).sort(), field)
  const fits = ({ fields }: Leaf): boolean => {
    const ranges = fields[index]
    return ranges !== null && ranges.length > 0 && countBuckets(ranges, cuts) <= maxRanges
  }
  return { fits }
}
