// The stage of access control lists as a separate base chain before the forward rules: there `accept` means "on to the
// rules", so lists of any length need no way back. Each list is one tree of chains, shared by all its bindings.

import type { NftPiece } from '../../core/plan/artifacts.ts'
import { makePiece } from '../../core/plan/nft-piece.ts'
import { addressSet, memberSet } from './address-sets.ts'
import { logGroup, portSpace } from './compile-rule.ts'
import { digest } from './digest.ts'
import { collectPieces, makeFields } from './dispatch.ts'
import { mix } from './dispatch-cuts.ts'
import { dispatch, type Entry, type EntryParts, printEntry, type RankedTree } from './dispatch-ranks.ts'
import type { AccessBinding, AccessEntry, AccessStage, AddressMatch, Span } from './model.ts'
import {
  addresses,
  blank,
  equals,
  hookHead,
  inSet,
  jump,
  type Nft,
  numbers,
  record,
  rule,
  sentence,
  words,
} from './nft.ts'

/** Verdicts without their own rule are reported with this origin. */
export const accessDefaultOrigin = 'firewall.acl_state'

export interface AccessOptions {
  readonly countsHits: boolean
  readonly isLogged: boolean
}

/** System rules that come before the lists: for all packets, and for new connections. */
export interface AccessSystemLines {
  readonly first: readonly Nft[]
  readonly onNew: readonly Nft[]
}

export interface CompiledAccess {
  readonly pieces: readonly NftPiece[]
  readonly trees: ReadonlyMap<string, RankedTree>
  /** The lists and the default, for another chain that asks them. */
  readonly lines: readonly Nft[]
}

export function compileAccess(
  stage: AccessStage,
  options: AccessOptions,
  { first, onNew }: AccessSystemLines,
  previous: ReadonlyMap<string, RankedTree>,
): CompiledAccess {
  const pieces: NftPiece[] = []
  const trees = new Map<string, RankedTree>()
  const lines: Nft[] = []
  for (const { listKey, entries, members, holders } of stage.bindings) {
    const name = `x_${digest(listKey).slice(0, 12)}`
    if (!trees.has(name)) {
      const tree = dispatch(name, compileEntries(entries, options), previous.get(name))
      trees.set(name, tree)
      collectPieces(tree, pieces)
      pieces.push(makePiece({ kind: 'chain', name, head: '', lines: tree.lines, origin: '' }))
    }
    lines.push(...memberLines(members, holders, name, pieces))
  }
  lines.push(defaultLine(stage, options))
  const head = hookHead({ type: 'filter', at: 'forward', priority: 'filter - 1' })
  const before = [...first, words('ct state established,related accept'), ...onNew]
  pieces.push(makePiece({ kind: 'chain', name: 'access', head, lines: [...before, ...lines], origin: '' }))
  return { pieces, trees, lines }
}

/** IPv6 packets have no members: they go on to the default. */
function memberLines(
  members: AddressMatch,
  holders: AddressMatch | undefined,
  chain: string,
  pieces: NftPiece[],
): Nft[] {
  if (holders?.ranges.length === 0) return []
  const { isNegated } = members
  const live = (members.members ?? []).map(memberSet)
  pieces.push(...live)
  const conditions = [
    ...sourceConditions(members, pieces),
    ...live.map((set) => inSet(words('ip saddr'), set.name, isNegated)),
  ]
  const further = holders === undefined ? [] : sourceConditions(holders, pieces)
  const jumps = isNegated ? [[words('meta nfproto ipv4'), ...conditions]] : conditions.map((condition) => [condition])
  return jumps.map((parts) => sentence(...parts, ...further, jump(chain)))
}

function sourceConditions(match: AddressMatch, pieces: NftPiece[]): Nft[] {
  const { ranges, isNegated } = match
  if (ranges.length === 0) return []
  const [low, high] = [ranges[0] as number, ranges[1] as number]
  if (ranges.length === 2) return [equals(words('ip saddr'), addresses(low, high), isNegated)]
  const set = addressSet(match)
  pieces.push(set)
  return [inSet(words('ip saddr'), set.name, isNegated)]
}

function defaultLine({ isAllowedByDefault }: AccessStage, options: AccessOptions): Nft {
  return rule(accessDefaultOrigin, words('counter'), ...verdict('default', isAllowedByDefault, options))
}

const verdict = (list: string, isAllowed: boolean, { isLogged }: AccessOptions): Nft[] => [
  ...(isLogged ? [record(logGroup, 'ACL', list, isAllowed ? 'allow' : 'deny')] : []),
  words(isAllowed ? 'accept' : 'drop'),
]

interface Remembered {
  readonly options: AccessOptions
  readonly hash: number
  readonly made: Entry
}

const remembered = new WeakMap<AccessEntry, Remembered>()
const compiledLists = new WeakMap<readonly AccessEntry[], { readonly options: AccessOptions; readonly made: Entry[] }>()

/** The same objects for the same entries as long as the same options are given. */
function compileEntries(entries: AccessBinding['entries'], options: AccessOptions): readonly Entry[] {
  const known = compiledLists.get(entries)
  if (known?.options === options) return known.made
  const hashes = new Set<number>()
  const made = entries.map((entry) => {
    let hash = hashOf(entry)
    while (hashes.has(hash)) hash = mix(hash + 1)
    hashes.add(hash)
    const old = remembered.get(entry)
    if (old?.options === options && old.hash === hash) return old.made
    const fresh = compileEntry(entry, hash, options)
    remembered.set(entry, { options, hash, made: fresh })
    return fresh
  })
  compiledLists.set(entries, { options, made })
  return made
}

function compileEntry(entry: AccessEntry, hash: number, options: AccessOptions): Entry {
  const { origin, protocol, source, destination, destinationPorts } = entry
  const parts = () => partsOf(entry, options)
  const reach = makeFields(
    isEverything(destination) ? null : destination,
    isEverything(source) ? null : source,
    portSpace(protocol, destinationPorts),
  )
  return { hash, ...reach, position: { inTable: 0, inList: 0 }, lines: printEntry(parts()), origin, parts }
}

function partsOf(entry: AccessEntry, options: AccessOptions): EntryParts {
  const { protocol, source, destination, sourcePorts, destinationPorts } = entry
  const parts: Nft[] = []
  if (protocol !== null && sourcePorts === null && destinationPorts === null)
    parts.push(words(`meta l4proto ${protocol}`))
  if (!isEverything(source)) parts.push(equals(words('ip saddr'), addresses(...source)))
  if (!isEverything(destination)) parts.push(equals(words('ip daddr'), addresses(...destination)))
  if (sourcePorts !== null) parts.push(equals(words(`${protocol} sport`), numbers(...sourcePorts)))
  if (destinationPorts !== null) parts.push(equals(words(`${protocol} dport`), numbers(...destinationPorts)))
  const counter = options.countsHits ? [words('counter')] : []
  const text = rule(entry.origin, ...counter, ...verdict(listOf(entry.origin), entry.isAllowed, options))
  return { conditions: [sentence(...parts)], statements: [{ before: blank, text }] }
}

const isEverything = ([low, high]: Span): boolean => low === 0 && high === 0xffff_ffff

/** `firewall.acl[<id>]` -> `<id>` */
const listOf = (origin: string): string => /\[([A-Za-z0-9_.-]{1,64})\]/.exec(origin)?.[1] ?? 'list'

const hashOf = ({ source, destination, destinationPorts, protocol }: AccessEntry): number =>
  [...source, ...destination, ...(destinationPorts ?? []), protocol?.charCodeAt(0) ?? 0].reduce(
    (hash, value) => mix((hash ^ value) >>> 0),
    1,
  )
