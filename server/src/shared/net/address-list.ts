// Lists of addresses and networks as numbers. A list may have a hundred thousand entries and changes by a few at a time, so
// the numbers of the next one are made from those of the last. Pure.

import { parseSpan } from './ipv4.ts'
import { noRanges, type Ranges, unite } from './ranges.ts'

/** Sorted numbers in a row. */
export type Numbers = Readonly<Float64Array>

/** What a list was made of: which of its addresses were single hosts, and which were parts of networks and ranges. */
export interface AddressEntries {
  /** Sorted, each once. */
  readonly hosts: Numbers
  readonly networks: Ranges
}

/** The entries of one list, in the form that a change of it goes on from. */
export interface AddressList {
  /** Sorted; an entry that is in the list twice is in here twice. */
  readonly hosts: Numbers
  /** The same of networks and ranges: pairs of the lowest and the highest address. */
  readonly spans: Numbers
  readonly ranges: Ranges
}

const noNumbers: Numbers = new Float64Array(0)

const emptyList: AddressList = { hosts: noNumbers, spans: noNumbers, ranges: noRanges }

/** What is not an address, a network or `first-last` adds nothing. */
export const readAddresses = (texts: readonly string[]): AddressList => changeAddresses(emptyList, [], texts)

/** The list without these entries, once each, and with others. Only those are parsed; `removed` must be in the list. */
export function changeAddresses(list: AddressList, removed: readonly string[], added: readonly string[]): AddressList {
  const [less, more] = [parseAll(removed), parseAll(added)]
  const hosts = replaceSorted(list.hosts, less.hosts, more.hosts, 1)
  const spans = replaceSorted(list.spans, less.spans, more.spans, 2)
  if (hosts === list.hosts && spans === list.spans) return list
  const unique = withoutRepeats(hosts)
  const networks = mergeSpans(spans)
  const ranges = patchRanges(list.ranges, unique, networks, [less, more])
  return { hosts, spans, ranges: withEntries(ranges, { hosts: unique, networks }) }
}

type Parsed = Pick<AddressList, 'hosts' | 'spans'>

/** Ranges that neither hold nor touch a changed entry stay; those between are made again. */
function patchRanges(old: Ranges, hosts: Numbers, networks: Ranges, changes: readonly Parsed[]): Ranges {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const changed of changes) {
    low = Math.min(low, changed.hosts[0] ?? low, changed.spans[0] ?? low)
    high = Math.max(high, changed.hosts.at(-1) ?? high)
    for (let at = 1; at < changed.spans.length; at += 2) high = Math.max(high, changed.spans[at] as number)
  }
  const head = firstAt(old, 1, (value) => value >= low - 1)
  const tail = firstAt(old, 0, (value) => value > high + 1)
  const [begin, end] = [head === 0 ? -1 : (old[head - 1] as number), old[tail] ?? Number.POSITIVE_INFINITY]
  const middle = uniteHosts(
    hosts.subarray(
      firstAt(hosts, 0, (value) => value > begin, 1),
      firstAt(hosts, 0, (value) => value >= end, 1),
    ),
    networks.slice(
      firstAt(networks, 0, (value) => value > begin),
      firstAt(networks, 0, (value) => value >= end),
    ),
  )
  return old.slice(0, head).concat(middle, old.slice(tail))
}

/** Where the first entry is whose number at `offset` passes; numbers that do are after those that do not. */
function firstAt(numbers: ArrayLike<number>, offset: number, passes: (value: number) => boolean, width = 2): number {
  let [low, high] = [0, numbers.length / width]
  while (low < high) {
    const middle = (low + high) >> 1
    if (passes(numbers[middle * width + offset] as number)) high = middle
    else low = middle + 1
  }
  return low * width
}

const known = new WeakMap<Ranges, AddressEntries>()

/** What these very ranges were made of; null when that is not known. */
export const entriesOf = (ranges: Ranges): AddressEntries | null => known.get(ranges) ?? null

function withEntries(ranges: Ranges, entries: AddressEntries): Ranges {
  known.set(ranges, entries)
  return ranges
}

/** Several lists together. What they were made of is known when it is of each. */
export function uniteAddresses(sets: readonly Ranges[]): Ranges {
  const ranges = unite(sets)
  const entries = sets.map((set) => known.get(set)).filter((one) => one !== undefined)
  if (sets.length < 2 || entries.length < sets.length) return ranges
  return withEntries(ranges, {
    hosts: withoutRepeats(mergeAll(entries.map(({ hosts }) => hosts))),
    networks: unite(entries.map(({ networks }) => networks)),
  })
}

function parseAll(texts: readonly string[]): Parsed {
  const hosts: number[] = []
  const spans: (readonly [number, number])[] = []
  for (const text of texts) {
    const span = parseSpan(text)
    if (span === null) continue
    if (span[0] === span[1]) hosts.push(span[0])
    else spans.push(span)
  }
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  return { hosts: Float64Array.from(hosts).sort(), spans: Float64Array.from(spans.flat()) }
}

/** `removed` and `added` are sorted as the list is. An entry has `width` numbers. What is between changes is copied at once. */
function replaceSorted(list: Numbers, removed: Numbers, added: Numbers, width: 1 | 2): Numbers {
  if (removed.length === 0 && added.length === 0) return list
  const made = new Float64Array(list.length - removed.length + added.length)
  let [end, from, gone, come] = [0, 0, 0, 0]
  const copyUpTo = (at: number): void => {
    made.set(list.subarray(from, at), end)
    end += at - from
    from = at
  }
  while (gone < removed.length || come < added.length) {
    const isAdded = gone >= removed.length || (come < added.length && compareAt(added, come, removed, gone, width) <= 0)
    copyUpTo(placeOf(list, isAdded ? added : removed, isAdded ? come : gone, from, width))
    if (isAdded) {
      made.set(added.subarray(come, come + width), end)
      end += width
      come += width
    } else {
      from += width
      gone += width
    }
  }
  copyUpTo(list.length)
  return made
}

/** The first place from `from` on whose entry does not come before the given one. */
function placeOf(list: Numbers, entry: Numbers, at: number, from: number, width: 1 | 2): number {
  let [low, high] = [from / width, list.length / width]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareAt(list, middle * width, entry, at, width) < 0) low = middle + 1
    else high = middle
  }
  return low * width
}

function compareAt(a: Numbers, at: number, b: Numbers, other: number, width: 1 | 2): number {
  const first = (a[at] as number) - (b[other] as number)
  return first !== 0 || width === 1 ? first : (a[at + 1] as number) - (b[other + 1] as number)
}

function withoutRepeats(sorted: Numbers): Numbers {
  let repeats = 0
  for (let at = 1; at < sorted.length; at++) if (sorted[at] === sorted[at - 1]) repeats++
  return repeats === 0 ? sorted : sorted.filter((value, at) => at === 0 || value !== sorted[at - 1])
}

/** Two by two, so that each number is moved a few times however many lists there are. */
function mergeAll(lists: readonly Numbers[]): Numbers {
  const [first = noNumbers, second] = lists
  if (second === undefined) return first
  const half = lists.length >> 1
  return replaceSorted(mergeAll(lists.slice(0, half)), noNumbers, mergeAll(lists.slice(half)), 1)
}

/** From pairs that are sorted by their low ends. */
function mergeSpans(spans: Numbers): Ranges {
  const merged: number[] = []
  let last = Number.NEGATIVE_INFINITY
  for (let at = 0; at < spans.length; at += 2) {
    const [low, high] = [spans[at] as number, spans[at + 1] as number]
    if (low > last + 1) merged.push(low, high)
    else if (high > last) merged[merged.length - 1] = high
    last = Math.max(last, high)
  }
  return merged
}

function uniteHosts(hosts: Numbers, networks: Ranges): Ranges {
  const merged: number[] = []
  let last = Number.NEGATIVE_INFINITY
  let next = 0
  const take = (low: number, high: number): void => {
    if (low > last + 1) merged.push(low, high)
    else if (high > last) merged[merged.length - 1] = high
    if (high > last) last = high
  }
  for (const host of hosts) {
    for (; next < networks.length && (networks[next] as number) < host; next += 2)
      take(networks[next] as number, networks[next + 1] as number)
    take(host, host)
  }
  for (; next < networks.length; next += 2) take(networks[next] as number, networks[next + 1] as number)
  return merged
}
