// First match among rules that no single map separates: some name only destinations, some only sources, some only
// ports. Each kind gets its own map, and each rule a mark that falls along the table. The smaller kinds only probe: they
// leave the mark of their first match with the packet. The largest kind decides, as far as its rules come before that one;
// after it the rule that was found decides. So a packet crosses three small chains and not thousands of rules. Most rules
// of the largest kind can meet no packet that an earlier rule of another kind matches, and need not ask for the mark. What
// is left in the mark is wiped by a chain of compile.ts. Pure but for what it remembers of rules that are still there.

import { overlaps, pairsOf, type Ranges, sizeOf } from '../net/ranges.ts'
import { element, equals, goTo, hexNumber, hexNumbers, jump, type Nft, rule, sentence, words } from '../render/nft.ts'
import {
  type Branch,
  cutParts,
  type FieldIndex,
  fewRules,
  fieldNames,
  isSame,
  type Leaf,
  makeBranches,
  makeBuckets,
  makeMap,
  makeTree,
  type Narrowness,
  partName,
  selectNarrow,
  type Task,
  type Tree,
} from './dispatch.ts'

/** A rule in parts, so that it can be asked, limited and carried out apart from each other. */
export interface Entry extends Leaf {
  readonly origin: string
  /** One for each line; '' matches everything. */
  readonly conditions: readonly Nft[]
  /** What happens then, in order; the last one ends the walk. */
  readonly statements: readonly { readonly before: Nft; readonly text: Nft }[]
}

/** The tree of a table, with the ranks of its leaves; empty when it needs none. The rest is for the next time. */
export interface RankedTree extends Tree {
  readonly ranks: readonly number[]
  readonly narrow?: readonly Narrowness[]
  readonly looking?: readonly Entry[]
}

interface Kind {
  readonly letter: string
  /** Positions in the table. */
  readonly members: number[]
}

/** Ranks are between 0 and this. Marks run the other way, so that 0, which packets come with, means that nothing was found. */
const nothing = 0xffff_ffff
const markOf = (rank: number): number => nothing - rank
const rankStep = 0x1_0000

const setMark = (value: number): Nft => sentence(words('meta mark set'), hexNumber(value))

export const printEntry = (conditions: Entry['conditions'], statements: Entry['statements']): Nft[] =>
  conditions.flatMap((condition) => statements.map(({ before, text }) => sentence(before, condition, text)))

/** `previous` is what this made of the table the last time. */
export function dispatch(name: string, entries: readonly Entry[], previous: RankedTree | undefined): RankedTree {
  const task = { name, leaves: entries, previous }
  if (previous !== undefined && isSame(task)) return previous
  // What no single map separated a moment ago is not tried again: looking at all rules is most of the work.
  const whole = previous?.narrow && entries.length > fewRules ? null : makeBuckets(task)
  if (whole !== null || entries.length <= fewRules) return { ...(whole ?? makeTree(task)), ranks: [] }
  const narrow = fieldNames.map((_, index) => selectNarrow(entries, index as FieldIndex, previous?.narrow?.[index]))
  const kinds = sortKinds(entries, narrow)
  if (kinds.length === 1) return { ...makeTree(task), ranks: [] }
  const ranks = assignRanks(entries, previous)
  const looking = sameOr(previous?.looking, listLooking(entries, kinds))
  return { ...makeRanked(task, entries, kinds, ranks, looking), ranks, narrow, looking }
}

/** Rules of all kinds but the largest, in the order of the table. */
const listLooking = (entries: readonly Entry[], [, ...others]: readonly Kind[]): Entry[] =>
  others
    .flatMap(({ members }) => members)
    .toSorted((a, b) => a - b)
    .map((at) => entries[at] as Entry)

const sameOr = (old: readonly Entry[] | undefined, list: readonly Entry[]): readonly Entry[] =>
  old?.length === list.length && old.every((entry, at) => entry === list[at]) ? old : list

/** By the field that best separates the rule from others; the largest kind first. */
function sortKinds(entries: readonly Entry[], narrowness: readonly Narrowness[]): Kind[] {
  const narrow = fieldNames.map((name, index) => ({
    kind: { letter: name.charAt(0), members: [] } as Kind,
    fits: (narrowness[index] as Narrowness).fits,
  }))
  const rest: Kind = { letter: 'r', members: [] }
  for (const [at, entry] of entries.entries()) {
    const { members } = narrow.find(({ fits }) => fits(entry))?.kind ?? rest
    members.push(at)
  }
  const kinds = [...narrow.map(({ kind }) => kind), rest].filter(({ members }) => members.length > 0)
  return kinds.toSorted((a, b) => b.members.length - a.members.length)
}

function makeRanked(
  task: Task,
  entries: readonly Entry[],
  kinds: readonly Kind[],
  ranks: readonly number[],
  looking: readonly Entry[],
): Tree {
  const { name } = task
  const [main, ...others] = kinds as [Kind, ...Kind[]]
  const isContested = findContested(looking)
  const deciding: Leaf[] = []
  const probes = new Map<Entry, Probe>()
  for (const [at, entry] of entries.entries()) {
    if (entry === looking[probes.size]) probes.set(entry, probeOf(entry, ranks[at] as number))
    else deciding.push(isContested(entry, probes.size) ? contenderOf(entry, ranks[at] as number).leaf : entry)
  }
  const looks = others.map(({ letter, members }): Branch => {
    const leaves = members.map((at) => (probes.get(entries[at] as Entry) as Probe).look)
    return [`${name}_look_${letter}`, leaves]
  })
  const parts = endingParts(name, [...probes.values()])
  const map = makeMap(
    words('meta mark'),
    'mark',
    parts.map(({ chain, first }, at) => {
      const last = (parts[at + 1]?.first ?? nothing) - 1
      return element(hexNumbers(markOf(last), markOf(first)), goTo(chain))
    }),
  )
  const ending = parts.map(({ chain, leaves }): Branch => [chain, leaves])
  const mainName = `${name}_${main.letter}`
  return makeBranches(task, [...looks, [mainName, deciding], ...ending], makeTree, () => ({
    lines: [setMark(0), ...looks.map(([chain]) => jump(chain)), jump(mainName), map.line],
    pieces: [map.piece],
  }))
}

/** The rules that only probe, in the order of the table, in small chains by rank. */
function endingParts(name: string, probes: readonly Probe[]) {
  const ranks = new Map(probes.map(({ end, rank }) => [end, rank]))
  return cutParts(probes.map(({ end }) => end)).map((leaves, at) => ({
    chain: partName(`${name}_end`, leaves, at),
    leaves,
    first: at === 0 ? 1 : (ranks.get(leaves[0] as Leaf) as number),
  }))
}

const leafOf = ({ hash, reach, fields }: Entry, lines: readonly Nft[]): Leaf => ({ hash, reach, fields, lines })

/** A rule of the largest kind that is carried out only when it comes before what was found. */
interface Contender {
  readonly rank: number
  readonly leaf: Leaf
}

const contenders = new WeakMap<Entry, Contender>()

function contenderOf(entry: Entry, rank: number): Contender {
  const known = contenders.get(entry)
  if (known?.rank === rank) return known
  const isEarlier = sentence(words('meta mark <'), hexNumber(markOf(rank)))
  const conditions = entry.conditions.map((condition) => sentence(condition, isEarlier))
  const made = { rank, leaf: leafOf(entry, printEntry(conditions, entry.statements)) }
  contenders.set(entry, made)
  return made
}

/** A rule of another kind. */
interface Probe {
  readonly rank: number
  /** Leaves its mark, unless an earlier rule did. */
  readonly look: Leaf
  /** Is carried out when it is what was found. */
  readonly end: Leaf
}

const knownProbes = new WeakMap<Entry, Probe>()

function probeOf(entry: Entry, rank: number): Probe {
  const known = knownProbes.get(entry)
  if (known?.rank === rank) return known
  const { origin, conditions, statements } = entry
  const mark = hexNumber(markOf(rank))
  const isEarlier = sentence(words('meta mark <'), mark)
  const look = conditions.map((condition) => rule(origin, condition, isEarlier, setMark(markOf(rank)), words('return')))
  const end = printEntry([equals(words('meta mark'), mark)], statements)
  const made = { rank, look: leafOf(entry, look), end: leafOf(entry, end) }
  knownProbes.set(entry, made)
  return made
}

/** More rules than this are not compared with one; it is then taken to be contested. */
const maxCompared = 64

/** What was found about rules, with the list it was found by and how many of it came before the rule. */
const judged = new WeakMap<Entry, { looking: readonly Entry[]; before: number; isContested: boolean }>()

/**
 * Could a packet match both the rule and one of the `before` rules that only probe before it? Decided by the reach, which
 * covers all it matches. A rule once contested stays so: that is harmless, and its line need not change again.
 */
function findContested(looking: readonly Entry[]): (entry: Entry, before: number) => boolean {
  let index: ReturnType<typeof indexPorts> | null = null
  return (entry, before) => {
    const known = judged.get(entry)
    if (known?.isContested || (known?.looking === looking && known.before === before)) return known.isContested
    index ??= indexPorts(looking)
    const isContested = isContestedBy(entry, looking, index, before)
    judged.set(entry, { looking, before, isContested })
    return isContested
  }
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

const portLists = new WeakMap<Ranges, readonly number[]>()

/** Null when the rule has none, or too many. */
function listPorts({ reach: [, , ranges] }: Entry): readonly number[] | null {
  if (ranges === null || ranges.length === 0) return null
  const known = portLists.get(ranges)
  if (known) return known
  if (sizeOf(ranges) > maxCompared) return null
  const ports = pairsOf(ranges).flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, at) => low + at))
  portLists.set(ranges, ports)
  return ports
}

const meets = (a: Entry, b: Entry): boolean =>
  a.reach.every((ranges, index) => {
    const other = b.reach[index] as Ranges | null
    if (ranges === null || other === null) return true
    // Protocols without ports have the empty list, and it may be the same one.
    return ranges.length === 0 || other.length === 0 ? ranges.length === other.length : overlaps(ranges, other)
  })

/**
 * Ranks that grow along the table. As many rules as can keep theirs, so that one that is added, moved or deleted touches
 * no line of another; where there is no room left between two, their neighbours get new ones.
 */
export function assignRanks(
  entries: readonly Pick<Leaf, 'hash'>[],
  previous: { readonly leaves: readonly Pick<Leaf, 'hash'>[]; readonly ranks: readonly number[] } | undefined,
): readonly number[] {
  const old = oldRanks(entries, previous)
  for (let around = 16; ; around *= 4) {
    const found = spreadRanks(old)
    if (!('crowded' in found)) return found
    old.fill(-1, Math.max(0, found.crowded - around), found.crowded + around)
  }
}

function spreadRanks(old: readonly number[]): readonly number[] | { readonly crowded: number } {
  const ranks: number[] = []
  let last = 0
  for (const at of [...longestRise(old), old.length]) {
    const next = old[at] ?? nothing
    const waiting = at - ranks.length
    const step = Math.min(rankStep, Math.floor((next - last) / (waiting + 1)))
    if (step === 0) return { crowded: at }
    for (let i = 1; i <= waiting; i++) ranks.push(last + i * step)
    if (at < old.length) ranks.push(next)
    last = next
  }
  return ranks
}

/** The rank each rule had, -1 for new ones. */
function oldRanks(entries: readonly Pick<Leaf, 'hash'>[], previous: Parameters<typeof assignRanks>[1]): number[] {
  if (previous === undefined || previous.ranks.length === 0) return entries.map(() => -1)
  const { leaves, ranks } = previous
  // Most tables differ from the last one in one place: only the part between the equal ends is looked up.
  const shift = leaves.length - entries.length
  let start = 0
  while (start < entries.length && entries[start]?.hash === leaves[start]?.hash) start++
  let end = entries.length
  while (end > start && end + shift > start && entries[end - 1]?.hash === leaves[end + shift - 1]?.hash) end--
  const between = new Map(leaves.slice(start, end + shift).map(({ hash }, at) => [hash, ranks[start + at] as number]))
  return entries.map(({ hash }, at) => {
    if (at < start) return ranks[at] as number
    return at < end ? (between.get(hash) ?? -1) : (ranks[at + shift] as number)
  })
}

/** Positions of a longest strictly rising sequence among the values that are not negative. */
function longestRise(values: readonly number[]): number[] {
  const ends: number[] = []
  const before = new Int32Array(values.length)
  values.forEach((value, at) => {
    if (value < 0) return
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[ends[middle] as number] as number) < value) low = middle + 1
      else high = middle
    }
    before[at] = low > 0 ? (ends[low - 1] as number) : -1
    ends[low] = at
  })
  const rise: number[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) rise.push(at)
  return rise.reverse()
}
