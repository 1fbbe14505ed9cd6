// The sets of the addresses that a rule names. Lists of single hosts are hash sets, which the kernel changes at once whatever
// their length; networks need interval sets. The elements of a long list are cut into parts by their content, and the parts
// that are the same as last time are taken over, neither printed nor hashed. Pure but for that memory.

import type { NftPart, NftPiece } from '../../core/plan/artifacts.ts'
import { memberSetOf } from '../../core/plan/live-sets.ts'
import { joinParts, makePart, makePiece } from '../../core/plan/nft-piece.ts'
import { entriesOf } from '../../shared/net/address-list.ts'
import type { Ranges } from '../../shared/net/ranges.ts'
import { mix } from './dispatch-cuts.ts'
import type { AddressMatch } from './model.ts'
import { addresses, type Nft, name, words } from './nft.ts'

/** A part begins at about every element of so many: one whose address is mixed to a multiple of this power of two. */
const partSize = 512
/** Elements of no more than this are one part. */
const longestPart = 1024
/** From so many hosts on, networks in the same list do not keep them from a hash set. */
const manyHosts = 1024

/** Both have the elements in one row: a host is one number, an interval two. */
interface Elements {
  readonly numbers: ArrayLike<number>
  readonly width: 1 | 2
}

/** A set is named for its kind: the head of a set never changes under its name. */
const kinds = {
  hosts: { prefix: 'h', head: words('type ipv4_addr;') },
  networks: { prefix: 'n', head: words('type ipv4_addr; flags interval;') },
  intervals: { prefix: 'a', head: words('type ipv4_addr; flags interval;') },
} as const

const remembered = new WeakMap<Ranges, Map<string, readonly NftPiece[]>>()

/** One set of all addresses. */
export const addressSet = (match: AddressMatch): NftPiece => setsOf(match, false)[0] as NftPiece

/** A set, or two whose addresses are those of the list together: its hosts and its networks. */
export const addressSets = (match: AddressMatch): readonly NftPiece[] => setsOf(match, true)

const memberSets = new Map<string, NftPiece>()

/** Addresses of the sessions of a user or a group. Empty here: its elements are not configuration, and come and go. */
export function memberSet(id: string): NftPiece {
  const head = words('type ipv4_addr; flags dynamic; size 65535;')
  const set = memberSets.get(id) ?? makePiece({ kind: 'set', name: name(memberSetOf(id)), head, lines: [], origin: '' })
  if (memberSets.size >= maxRemembered) memberSets.clear()
  memberSets.set(id, set)
  return set
}

/** Rules that name the same objects share the ranges, and so their sets. */
function setsOf({ key, ranges }: AddressMatch, canSplit: boolean): readonly NftPiece[] {
  const known = remembered.get(ranges) ?? new Map<string, readonly NftPiece[]>()
  remembered.set(ranges, known)
  const place = `${key} ${canSplit}`
  const sets = known.get(place) ?? makeSets(key, ranges, canSplit)
  known.set(place, sets)
  return sets
}

function makeSets(key: string, ranges: Ranges, canSplit: boolean): readonly NftPiece[] {
  const { hosts, networks } = entriesOf(ranges) ?? { hosts: [], networks: ranges }
  if (networks.length === 0) return [makeSet('hosts', key, { numbers: hosts, width: 1 })]
  if (canSplit && hosts.length >= manyHosts)
    return [
      makeSet('hosts', key, { numbers: hosts, width: 1 }),
      makeSet('networks', key, { numbers: networks, width: 2 }),
    ]
  return [makeSet('intervals', key, { numbers: ranges, width: 2 })]
}

/** Each of these addresses, in a hash set of this name. */
export const hostSet = (text: string, ranges: Ranges): NftPiece =>
  remember(text, ranges, () => {
    const hosts: number[] = []
    for (let at = 0; at < ranges.length; at += 2)
      for (let host = ranges[at] as number; host <= (ranges[at + 1] as number); host++) hosts.push(host)
    return makeNamed(text, kinds.hosts.head, { numbers: hosts, width: 1 })
  })

export const networkSet = (text: string, ranges: Ranges): NftPiece =>
  remember(text, ranges, () => makeNamed(text, kinds.networks.head, { numbers: ranges, width: 2 }))

const namedSets = new WeakMap<Ranges, Map<string, NftPiece>>()

function remember(text: string, ranges: Ranges, make: () => NftPiece): NftPiece {
  const known = namedSets.get(ranges) ?? new Map<string, NftPiece>()
  namedSets.set(ranges, known)
  const set = known.get(text) ?? make()
  known.set(text, set)
  return set
}

/** What a set was printed from: its elements, and where its parts begin. */
interface Printed {
  readonly elements: Elements
  readonly begins: readonly number[]
}

const printed = new WeakMap<NftPiece, Printed>()
/** The set of each name that was made last; it is alive for as long as a plan holds it. */
const lastMade = new Map<string, WeakRef<NftPiece>>()
const maxRemembered = 10_000

function makeSet(kind: keyof typeof kinds, key: string, elements: Elements): NftPiece {
  const { prefix, head } = kinds[kind]
  return makeNamed(`${prefix}_${key}`, head, elements)
}

function makeNamed(text: string, head: Nft, elements: Elements): NftPiece {
  const content = { kind: 'set' as const, name: name(text), head, origin: '' }
  const begins = cut(elements)
  const last = lastMade.get(content.name)?.deref()
  const piece = joinParts(content, makeParts(elements, begins, last))
  printed.set(piece, { elements, begins })
  if (lastMade.size >= maxRemembered) lastMade.clear()
  lastMade.set(content.name, new WeakRef(piece))
  return piece
}

/** Where parts begin, as places in the row of numbers. */
function cut({ numbers, width }: Elements): readonly number[] {
  const begins = numbers.length === 0 ? [] : [0]
  if (numbers.length <= longestPart * width) return begins
  for (let at = width; at < numbers.length; at += width)
    if ((mix(numbers[at] as number) & (partSize - 1)) === 0) begins.push(at)
  return begins
}

function makeParts(elements: Elements, begins: readonly number[], last: NftPiece | undefined): readonly NftPart[] {
  const before = last && printed.get(last)
  const partsBefore = new Map(
    before?.begins.map((begin, at) => [before.elements.numbers[begin], { begin, end: endOf(before, at), at }]),
  )
  return begins.map((begin, at) => {
    const end = endOf({ elements, begins }, at)
    const candidate = partsBefore.get(elements.numbers[begin])
    const isSame =
      candidate !== undefined &&
      before !== undefined &&
      candidate.end - candidate.begin === end - begin &&
      isEqual(before.elements.numbers, candidate.begin, elements.numbers, begin, end - begin)
    const part = isSame ? last?.parts[candidate.at] : undefined
    return part ?? makePart(printBetween(elements, begin, end))
  })
}

const endOf = ({ elements, begins }: Printed, at: number): number => begins[at + 1] ?? elements.numbers.length

function isEqual(a: ArrayLike<number>, from: number, b: ArrayLike<number>, other: number, length: number): boolean {
  for (let at = 0; at < length; at++) if (a[from + at] !== b[other + at]) return false
  return true
}

function printBetween({ numbers, width }: Elements, begin: number, end: number): Nft[] {
  const lines: Nft[] = []
  for (let at = begin; at < end; at += width)
    lines.push(addresses(numbers[at] as number, numbers[at + width - 1] as number))
  return lines
}
