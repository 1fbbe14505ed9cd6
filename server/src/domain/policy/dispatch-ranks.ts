// First match among rules that no single map separates: some name only destinations, some only sources, some only
// ports. Each kind gets its own map, and each rule a mark that falls along the table. The smaller kinds only probe: they
// leave the mark of their first match with the packet. The largest kind decides, as far as its rules come before that one;
// after it the rule that was found decides. So a packet crosses three small chains and not thousands of rules. Most rules
// of the largest kind can meet no packet that an earlier rule of another kind matches, and need not ask for the mark. What
// is left in the mark is wiped by a chain of compile.ts. Pure but for the positions that leaf-changes.ts notes.

import { isSameList, mapRuns, missedByRuns, outsideRuns } from '../../core/model/runs.ts'
import type { NftPiece } from '../../core/plan/artifacts.ts'
import { overlaps, pairsOf, type Ranges, sizeOf } from '../../shared/net/ranges.ts'
import {
  type Branch,
  cutParts,
  fewRules,
  type Leaf,
  makeBranches,
  makeBuckets,
  makeMap,
  makeTree,
  type Narrowness,
  partName,
  selectNarrow,
  surveyOf,
  type Task,
  type Tree,
} from './dispatch.ts'
import { allFields, fieldNames } from './dispatch-cuts.ts'
import { type Changes, changesBetween, longestRise } from './leaf-changes.ts'
import { blank, element, equals, goTo, hexNumber, hexNumbers, jump, type Nft, rule, sentence, words } from './nft.ts'

export interface Entry extends Leaf {
  readonly origin: string
  /** Made when it is asked for: most rules are only ever printed whole. */
  readonly parts: () => EntryParts
}

/** A rule in parts, so that it can be asked, limited and carried out apart from each other. */
export interface EntryParts {
  /** One for each line; '' matches everything. */
  readonly conditions: readonly Nft[]
  /** What happens then, in order; the last one ends the walk. */
  readonly statements: readonly { readonly before: Nft; readonly text: Nft }[]
  /** What the statements have to follow, also where the conditions were asked elsewhere. */
  readonly basis?: Nft
}

/** The tree of a table; the ranking is there when no single map separates its rules. */
export interface RankedTree extends Tree {
  readonly ranking?: Ranking
}

/** What was decided about each rule of a table but a closing one, in its order, for the next time. */
interface Ranking {
  readonly body: readonly Entry[]
  readonly narrow: readonly Narrowness[]
  /** How many rules there were when it was decided what is narrow. */
  readonly count: number
  /** The kinds that there are, the one that decides first; numbers of fields, and `otherKind`. */
  readonly order: readonly number[]
  readonly kinds: Uint8Array
  readonly ranks: Uint32Array
  /** A leaf for what decides, the entry itself unless it is contested; a probe for the others. */
  readonly roles: readonly (Leaf | Probe)[]
  readonly ends: EndMap
}

interface EndMap {
  readonly probes: readonly Probe[]
  readonly parts: readonly EndPart[]
  readonly line: Nft
  readonly piece: NftPiece
}

const otherKind = fieldNames.length
const letters = [...fieldNames.map((name) => name.charAt(0)), 'r']

/** Ranks are between 0 and this. Marks run the other way, so that 0, which packets come with, means that nothing was found. */
const nothing = 0xffff_ffff
const markOf = (rank: number): number => nothing - rank
const rankStep = 0x1_0000

/** Asked first: to look up a mark costs more than to find that there is none. */
const isFound = sentence(words('meta mark !='), hexNumber(0))

const setMark = (value: number): Nft => sentence(words('meta mark set'), hexNumber(value))

export const printEntry = ({ conditions, statements }: EntryParts): Nft[] =>
  conditions.flatMap((condition) => statements.map(({ before, text }) => sentence(before, condition, text)))

/** `previous` is what this made of the table the last time, or of one like it. */
export function dispatch(name: string, entries: readonly Entry[], previous: RankedTree | undefined): RankedTree {
  if (previous !== undefined && isSameList<Leaf>(previous.leaves, entries)) return previous
  for (let at = 0; at < entries.length; at++) (entries[at] as Entry).position.inTable = at
  const task = { name, leaves: entries, previous }
  // What no single map separated a moment ago is not tried again: looking at all rules is most of the work.
  const known = previous?.ranking
  if (known !== undefined && isAbout(entries.length, known.count) && entries.length > fewRules)
    return makeRanked(task, entries, known.narrow, known.count)
  const survey = surveyOf(task)
  const whole = makeBuckets(task, survey)
  if (whole !== null || survey === null) return whole ?? makeTree(task)
  const narrow = allFields.map((index) => selectNarrow(entries, index, survey))
  return makeRanked(task, entries, narrow, entries.length)
}

/** Buckets are cut again only when the table has changed a lot: a rule should not change its kind with every edit. */
const isAbout = (count: number, before: number): boolean => Math.abs(count - before) <= before / 8

function makeRanked(task: Task, whole: readonly Entry[], narrow: readonly Narrowness[], count: number): RankedTree {
  const { name } = task
  const previous = (task.previous as RankedTree | undefined)?.ranking
  // A last rule that no field separates, such as the one for everything else, needs no mark: nothing comes after it.
  const closing = whole.slice(-1).filter((entry) => kindOf(entry, narrow) === otherKind)
  const entries = closing.length > 0 ? whole.slice(0, -1) : whole
  const changes = previous === undefined ? null : changesBetween(previous.body, entries)
  const last = changes !== null && previous?.narrow === narrow ? { ...previous, changes } : undefined
  const kinds = sortKinds(entries, narrow, last)
  const order = orderKinds(kinds, last?.order)
  const [main, ...others] = order as [number, ...number[]]
  if (others.length === 0) return makeTree(task)
  const ranks = assignRanks(oldRanks(entries, previous, changes))
  const table = { entries, kinds, ranks, main }
  const roles = (last?.order[0] === main ? patchRoles(table, last) : null) ?? decideRoles(table)
  const looks = new Map(others.map((kind): [kind: number, leaves: Leaf[]] => [kind, []]))
  const probes: Probe[] = []
  for (let at = 0; at < entries.length; at++) {
    const kind = kinds[at] as number
    if (kind === main) continue
    const probe = roles[at] as Probe
    probes.push(probe)
    looks.get(kind)?.push(probe.look)
  }
  // At its length from the start: it is nearly as long as the table, and would be copied again and again while it grows.
  const deciding = new Array<Leaf>(entries.length - probes.length)
  for (let at = 0, to = 0; at < entries.length; at++) if (kinds[at] === main) deciding[to++] = roles[at] as Leaf
  const lookBranches = [...looks].map(([kind, leaves]): Branch => [`${name}_look_${letters[kind]}`, leaves])
  const ends = makeEnds(name, probes, previous?.ends)
  const ending = ends.parts.map(({ chain, leaves }): Branch => [chain, leaves])
  const mainName = `${name}_${letters[main]}`
  const tree = makeBranches(task, [...lookBranches, [mainName, deciding], ...ending], makeTree, () => ({
    lines: [
      setMark(0),
      ...lookBranches.map(([chain]) => jump(chain)),
      jump(mainName),
      sentence(isFound, ends.line),
      ...closing.flatMap(({ lines }) => lines),
    ],
    pieces: [ends.piece],
  }))
  return { ...tree, ranking: { body: entries, narrow, count, order, kinds, ranks, roles, ends } }
}

/** What the last time decided, and what differs since then. */
interface Last extends Ranking {
  readonly changes: Changes<Leaf>
}

/** By the field that best separates the rule from others. */
function sortKinds(entries: readonly Entry[], narrow: readonly Narrowness[], last: Last | undefined): Uint8Array {
  if (last === undefined) return Uint8Array.from(entries, (entry) => kindOf(entry, narrow))
  const kinds = new Uint8Array(entries.length)
  for (const { at, from, count } of last.changes.runs) kinds.set(last.kinds.subarray(from, from + count), at)
  for (const { position } of last.changes.added)
    kinds[position.inTable] = kindOf(entries[position.inTable] as Entry, narrow)
  return kinds
}

function kindOf(entry: Entry, narrow: readonly Narrowness[]): number {
  const found = narrow.findIndex(({ fits }) => fits(entry))
  return found < 0 ? otherKind : found
}

/** The largest first. What was the first stays it until another is clearly larger: to change it rewrites the table. */
function orderKinds(kinds: Uint8Array, before: readonly number[] = []): readonly number[] {
  const sizes = letters.map(() => 0)
  for (let at = 0; at < kinds.length; at++) sizes[kinds[at] as number] = (sizes[kinds[at] as number] as number) + 1
  const sizeOfKind = (kind: number): number => sizes[kind] as number
  const order = [...sizes.keys()].filter((kind) => sizeOfKind(kind) > 0).sort((a, b) => sizeOfKind(b) - sizeOfKind(a))
  const [largest = 0] = order
  const [main = largest] = before
  if (sizeOfKind(largest) > (sizeOfKind(main) * 9) / 8) return order
  return [...before, ...order].filter((kind, at, all) => sizeOfKind(kind) > 0 && all.indexOf(kind) === at)
}

/** A chain that the map of marks leads to. */
interface EndPart {
  readonly chain: string
  readonly leaves: readonly Leaf[]
  /** The lowest rank that leads here. */
  readonly first: number
}

/** The rules that only probe, in the order of the table, in small chains by rank. */
function makeEnds(name: string, probes: readonly Probe[], previous: EndMap | undefined): EndMap {
  if (previous !== undefined && isSameList(previous.probes, probes)) return previous
  const parts = cutParts(probes).map((part, at): EndPart => {
    const leaves = part.map(({ end }) => end)
    return { chain: partName(`${name}_end`, leaves, at), leaves, first: at === 0 ? 1 : (part[0] as Probe).rank }
  })
  const isSame = ({ chain, first }: EndPart, at: number): boolean =>
    previous?.parts[at]?.chain === chain && previous.parts[at].first === first
  if (previous?.parts.length === parts.length && parts.every(isSame)) return { ...previous, probes, parts }
  const lines = parts.map(({ chain, first }, at) => {
    const last = (parts[at + 1]?.first ?? nothing) - 1
    return element(hexNumbers(markOf(last), markOf(first)), goTo(chain))
  })
  return { probes, parts, ...makeMap(words('meta mark'), 'mark', lines) }
}

const leafOf = ({ hash, reach, fields, position }: Entry, lines: readonly Nft[]): Leaf => ({
  hash,
  reach,
  fields,
  position,
  lines,
})

/** A rule of the largest kind that is carried out only when it comes before what was found. */
function makeContender(entry: Entry, rank: number): Leaf {
  const isEarlier = sentence(words('meta mark <'), hexNumber(markOf(rank)))
  const { conditions, statements } = entry.parts()
  const limited = conditions.map((condition) => sentence(condition, isEarlier))
  return leafOf(entry, printEntry({ conditions: limited, statements }))
}

/** A rule of another kind. */
interface Probe {
  readonly hash: number
  readonly rank: number
  /** Leaves its mark, unless an earlier rule did. */
  readonly look: Leaf
  /** Is carried out when it is what was found. */
  readonly end: Leaf
}

function makeProbe(entry: Entry, rank: number): Probe {
  const { hash, origin } = entry
  const { conditions, statements, basis = blank } = entry.parts()
  const mark = hexNumber(markOf(rank))
  const isEarlier = sentence(words('meta mark <'), mark)
  const look = conditions.map((condition) => rule(origin, condition, isEarlier, setMark(markOf(rank)), words('return')))
  const end = printEntry({ conditions: [sentence(equals(words('meta mark'), mark), basis)], statements })
  return { hash, rank, look: leafOf(entry, look), end: leafOf(entry, end) }
}

/** More rules than this are not compared with one; it is then taken to be contested. */
const maxCompared = 64

/** A table with what is decided about its rules so far. */
interface Judged {
  readonly entries: readonly Entry[]
  readonly kinds: Uint8Array
  readonly ranks: Uint32Array
  /** The kind that decides. */
  readonly main: number
}

/**
 * Could a packet match both a rule and one that only probes before it? Decided by the reach, which covers all it matches.
 * Then the rule is contested.
 */
function decideRoles({ entries, kinds, ranks, main }: Judged): readonly (Leaf | Probe)[] {
  const looking = entries.filter((_, at) => kinds[at] !== main)
  const index = indexPorts(looking)
  let before = 0
  return entries.map((entry, at) => {
    const rank = ranks[at] as number
    if (kinds[at] === main) return isContestedBy(entry, looking, index, before) ? makeContender(entry, rank) : entry
    before++
    return makeProbe(entry, rank)
  })
}

/**
 * The roles of the last time, but for what changed. A rule once contested stays so while it is in its place: that is
 * harmless, and its line need not change again. Null when too much is to be compared.
 */
function patchRoles(table: Judged, last: Last): readonly (Leaf | Probe)[] | null {
  const { entries, kinds, ranks, main } = table
  const { added, runs } = last.changes
  if (added.length > maxCompared) return null
  const roles = mapRuns(entries.length, runs, last.roles, (at) => {
    const entry = entries[at] as Entry
    const rank = ranks[at] as number
    if (kinds[at] !== main) return makeProbe(entry, rank)
    return isMetBefore(entry, table) ? makeContender(entry, rank) : entry
  }).slice()
  // Those whose ranks had to make room.
  for (const { at, from, count } of runs)
    for (let i = 0; i < count; i++) {
      const rank = ranks[at + i] as number
      const entry = entries[at + i] as Entry
      if (rank === last.ranks[from + i] || roles[at + i] === entry) continue
      roles[at + i] = kinds[at + i] === main ? makeContender(entry, rank) : makeProbe(entry, rank)
    }
  for (const probe of added) {
    if (kinds[probe.position.inTable] === main) continue
    for (let at = probe.position.inTable + 1; at < entries.length; at++) {
      const entry = entries[at] as Entry
      if (roles[at] === entry && meets(entry, probe)) roles[at] = makeContender(entry, ranks[at] as number)
    }
  }
  return roles
}

function isMetBefore(entry: Entry, { entries, kinds, main }: Judged): boolean {
  for (let at = 0; at < entry.position.inTable; at++)
    if (kinds[at] !== main && meets(entry, entries[at] as Entry)) return true
  return false
}

/** Places in the list by port, and of those that have many ports. */
function indexPorts(looking: readonly Entry[]) {
  const byPort = new Map<number, number[]>()
  const elsewhere: number[] = []
  for (const [at, entry] of looking.entries()) {
    const ports = listPorts(entry)
    if (ports === null) elsewhere.push(at)
    for (const port of ports ?? []) {
      const known = byPort.get(port)
      if (known) known.push(at)
      else byPort.set(port, [at])
    }
  }
  return { byPort, elsewhere }
}

function isContestedBy(
  entry: Entry,
  looking: readonly Entry[],
  { byPort, elsewhere }: ReturnType<typeof indexPorts>,
  before: number,
): boolean {
  const ports = listPorts(entry)
  const rows = ports === null ? [looking.keys()] : [elsewhere, ...ports.map((port) => byPort.get(port) ?? [])]
  let compared = 0
  for (const row of rows) {
    for (const at of row) {
      if (at >= before) break
      if (++compared > maxCompared || meets(entry, looking[at] as Entry)) return true
    }
  }
  return false
}

/** Null when the rule has none, or too many. */
function listPorts({ reach: [, , ranges] }: Entry): readonly number[] | null {
  if (ranges === null || ranges.length === 0) return null
  if (ranges.length === 2 && ranges[0] === ranges[1]) return [ranges[0] as number]
  if (sizeOf(ranges) > maxCompared) return null
  return pairsOf(ranges).flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, at) => low + at))
}

const meets = (a: Leaf, b: Leaf): boolean =>
  meetsIn(a.reach[2], b.reach[2]) && meetsIn(a.reach[0], b.reach[0]) && meetsIn(a.reach[1], b.reach[1])

function meetsIn(ranges: Ranges | null, other: Ranges | null): boolean {
  if (ranges === null || other === null) return true
  // Protocols without ports have the empty list, and it may be the same one.
  return ranges.length === 0 || other.length === 0 ? ranges.length === other.length : overlaps(ranges, other)
}

/**
 * Ranks that grow along the table, from those the rules had, -1 for new ones. As many rules as can keep theirs, so that one
 * that is added, moved or deleted touches no line of another; where there is no room left between two, their neighbours
 * get new ones.
 */
export function assignRanks(old: Float64Array): Uint32Array {
  for (let around = 16; ; around *= 4) {
    const found = spreadRanks(old)
    if (found instanceof Uint32Array) return found
    old.fill(-1, Math.max(0, found.crowded - around), found.crowded + around)
  }
}

function spreadRanks(old: Float64Array): Uint32Array | { readonly crowded: number } {
  if (!isRising(old)) {
    const isKept = new Uint8Array(old.length)
    for (const at of longestRise(old)) isKept[at] = 1
    for (let at = 0; at < old.length; at++) if (isKept[at] === 0) old[at] = -1
  }
  const ranks = new Uint32Array(old.length)
  let done = 0
  let last = 0
  for (let at = 0; at <= old.length; at++) {
    const next = at < old.length ? (old[at] as number) : nothing
    if (next < 0) continue
    const waiting = at - done
    const step = Math.min(rankStep, Math.floor((next - last) / (waiting + 1)))
    if (step === 0) return { crowded: at }
    for (let i = 1; i <= waiting; i++) ranks[done++] = last + i * step
    if (at < old.length) ranks[done++] = next
    last = next
  }
  return ranks
}

/** Apart from those that are negative. */
function isRising(values: Float64Array): boolean {
  let last = -1
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number
    if (value < 0) continue
    if (value <= last) return false
    last = value
  }
  return true
}

/** The rank each rule had, -1 for new ones. One that was changed or moved may keep it. */
function oldRanks(
  entries: readonly Entry[],
  previous: Ranking | undefined,
  changes: Changes<Leaf> | null,
): Float64Array {
  const old = new Float64Array(entries.length).fill(-1)
  if (previous === undefined) return old
  const { body, ranks } = previous
  const runs = changes?.runs ?? []
  for (const { at, from, count } of runs) for (let i = 0; i < count; i++) old[at + i] = ranks[from + i] as number
  const others = new Map(missedByRuns(body.length, runs).map((at) => [(body[at] as Entry).hash, ranks[at] as number]))
  for (const at of outsideRuns(entries.length, runs)) old[at] = others.get((entries[at] as Entry).hash) ?? -1
  return old
}
