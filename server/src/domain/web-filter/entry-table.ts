// The entries of all user categories in a table of typed arrays, which a worker can make and hand over: half a million take
// some tens of megabytes and a look-up some hashes. Of all entries the most specific ones win. Pure.

import { canonicalPath, isAddressHost } from './hosts.ts'
import type { CategoryLookup, FoundCategory } from './model.ts'
import type { UserCategoryEntries } from './policy-file.ts'
import { type EntryQuestion, isBorder, isCovered, parseEntry, type UrlEntry } from './url-entries.ts'

/** Plain data; the arrays can be transferred between threads. */
export interface EntryTable {
  readonly categories: readonly string[]
  readonly count: number
  readonly seed: number
  /** Length of the longest path of an entry: no longer part of a request is looked at. */
  readonly longestPath: number
  /** A place holds both halves of a hash and what it leads to: 0 for a free one. */
  readonly high: Uint32Array
  readonly low: Uint32Array
  /** For a host the kinds of entries it has; for an entry its number plus one. */
  readonly leadsTo: Uint32Array
  /** By number of an entry: the next one that covers the same, plus one; its category; where its text begins. */
  readonly next: Uint32Array
  readonly category: Uint32Array
  readonly begin: Uint32Array
  /** The entries as written, in UTF-8. */
  readonly text: Uint8Array
}

export const transferablesOf = (table: EntryTable): ArrayBuffer[] =>
  [table.high, table.low, table.leadsTo, table.next, table.category, table.begin, table.text].map(
    ({ buffer }) => buffer as ArrayBuffer,
  )

export const bytesOf = (table: EntryTable): number =>
  transferablesOf(table).reduce((sum, { byteLength }) => sum + byteLength, 0)

/** Two hashes of 32 bits. Entries are compared by text in the end, so a clash costs time only. */
interface Hash {
  high: number
  low: number
}

const start = (seed: number): Hash => ({ high: (seed ^ 0x811c_9dc5) >>> 0, low: (seed ^ 0x9747_b28c) >>> 0 })

function mix(hash: Hash, code: number): void {
  hash.high = Math.imul(hash.high ^ code, 0x0100_0193) >>> 0
  const low = Math.imul(hash.low ^ code, 0x5bd1_e995)
  hash.low = (low ^ (low >>> 15)) >>> 0
}

/** Kinds of entries: which of these an entry has. A host node has a bit for each of the 16 kinds. */
const kinds = { wild: 8, path: 4, port: 2, scheme: 1 } as const

const kindOf = ({ covers, path, port, scheme }: UrlEntry): number =>
  (covers === 'subdomains' ? kinds.wild : 0) |
  (path === null ? 0 : kinds.path) |
  (port === null ? 0 : kinds.port) |
  (scheme === null ? 0 : kinds.scheme)

/** From its end, so that the hashes of all domains above come by the way. */
function hashHost(hash: Hash, host: string): void {
  for (let at = host.length - 1; at >= 0; at--) mix(hash, host.charCodeAt(at))
}

/** The hash of a host, a kind and what the kind needs. */
function keyOf(host: Hash, kind: number, port: number, scheme: 'http' | 'https', path: Hash | null): Hash {
  const key = { high: host.high, low: host.low }
  mix(key, 0x100 | kind)
  if (kind & kinds.port) mix(key, 0x10000 | port)
  if (kind & kinds.scheme) mix(key, scheme === 'https' ? 0x201 : 0x200)
  if (path !== null) {
    mix(key, path.high & 0xffff)
    mix(key, path.high >>> 16)
    mix(key, path.low & 0xffff)
    mix(key, path.low >>> 16)
  }
  finish(key)
  return key
}

/** So that all bits of the text reach the bits that choose the place. */
function finish(key: Hash): void {
  const mixed = Math.imul(key.low ^ (key.low >>> 16), 0x85eb_ca6b)
  key.low = (mixed ^ (mixed >>> 13) ^ key.high) >>> 0
}

const isNode = 0x8000_0000

export interface EntryTableBuilder {
  /** All entries of a category come one after the other. */
  add(categoryId: string, entry: string): void
  finish(): EntryTable
}

/** Takes the entries one by one, so that a caller on an event loop can pause between them. */
export function buildEntryTable(
  mostEntries: number,
  seed = Math.floor(Math.random() * 0x1_0000_0000),
): EntryTableBuilder {
  // At most one place for the entry and one for its host, in a table that is at most two thirds full.
  let size = 16
  while (size < 3 * mostEntries) size *= 2
  const [high, low, leadsTo] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)]
  const next = new Uint32Array(mostEntries)
  const category = new Uint32Array(mostEntries)
  const begin = new Uint32Array(mostEntries + 1)
  const categories: string[] = []
  let text: Uint8Array<ArrayBuffer> = new Uint8Array(Math.max(64, 24 * mostEntries))
  let [count, length, longestPath] = [0, 0, 0]

  const placeOf = (key: Hash): number => findPlace({ high, low, leadsTo }, key)
  const take = (place: number, key: Hash, value: number): void => {
    high[place] = key.high
    low[place] = key.low
    leadsTo[place] = value
  }
  const store = (written: string): void => {
    const room = 3 * written.length
    if (length + room > text.length) {
      const larger = new Uint8Array(2 * text.length + room)
      larger.set(text.subarray(0, length))
      text = larger
    }
    length += encoder.encodeInto(written, text.subarray(length)).written
  }

  return {
    add(categoryId, written) {
      const entry = count < mostEntries ? parseEntry(written) : null
      if (entry === null) return
      if (categories.at(-1) !== categoryId) categories.push(categoryId)
      const host = start(seed)
      hashHost(host, entry.host)
      const kind = kindOf(entry)
      const nodeKey = nodeKeyOf(host)
      const node = placeOf(nodeKey)
      take(node, nodeKey, ((leadsTo[node] as number) | isNode | (1 << kind)) >>> 0)
      const path = entry.path === null ? null : hashPath(seed, entry.path)
      const key = keyOf(host, kind, entry.port ?? 0, entry.scheme ?? 'http', path)
      const place = placeOf(key)
      const before = leadsTo[place] as number
      if (before > 0 && category[before - 1] === categories.length - 1) return
      take(place, key, count + 1)
      next[count] = before
      category[count] = categories.length - 1
      begin[count] = length
      store(written)
      count++
      begin[count] = length
      longestPath = Math.max(longestPath, entry.path?.length ?? 0)
    },
    finish: () => ({
      categories,
      count,
      seed,
      longestPath,
      high,
      low,
      leadsTo,
      next: next.slice(0, count),
      category: category.slice(0, count),
      begin: begin.slice(0, count + 1),
      text: text.slice(0, length),
    }),
  }
}

const encoder = new TextEncoder()

export function tableOf(categories: readonly UserCategoryEntries[], seed?: number): EntryTable {
  const builder = buildEntryTable(
    categories.reduce((sum, { entries }) => sum + entries.length, 0),
    seed,
  )
  for (const { id, entries } of categories) for (const entry of entries) builder.add(id, entry)
  return builder.finish()
}

function nodeKeyOf(host: Hash): Hash {
  const key = { high: host.high, low: host.low }
  mix(key, 0x300)
  finish(key)
  return key
}

type Places = Pick<EntryTable, 'high' | 'low' | 'leadsTo'>

/** The place of a key, or the free one where it belongs. */
function findPlace({ high, low, leadsTo }: Places, key: Hash): number {
  const mask = leadsTo.length - 1
  let place = key.low & mask
  while (leadsTo[place] !== 0 && (low[place] !== key.low || high[place] !== key.high)) place = (place + 1) & mask
  return place
}

function hashPath(seed: number, path: string): Hash {
  const hash = start(~seed)
  for (let at = 0; at < path.length; at++) mix(hash, path.charCodeAt(at))
  return hash
}

const nothing: readonly FoundCategory[] = []
const decoder = new TextDecoder()

/** Finds the categories whose entries are the most specific ones. Sources are named by `nameOf`. */
export function lookUpIn(table: EntryTable, nameOf: (categoryId: string) => string = (id) => id): CategoryLookup {
  if (table.count === 0) return { find: () => nothing }
  return {
    find: ({ host, path, scheme, port }) =>
      findEntries(table, { host, path: path === null ? null : canonicalPath(path), scheme, port }, nameOf),
  }
}

function findEntries(
  table: EntryTable,
  asked: EntryQuestion,
  nameOf: (categoryId: string) => string,
): readonly FoundCategory[] {
  const { host } = asked
  const nodes = nodesOf(table, host)
  let paths: readonly Hash[] | null = null
  // The node of the longest host was found last.
  for (let at = nodes.length - 1; at >= 0; at--) {
    const { hash, mask, isWhole } = nodes[at] as HostNode
    for (const isWild of isWhole ? [false] : [true, false]) {
      const ofSide = isWild ? mask >>> kinds.wild : mask & 0xff
      if ((ofSide & 0xff) === 0) continue
      if (ofSide & 0xf0 && asked.path !== null && (isWild || isWhole)) {
        paths ??= pathHashes(table, asked.path)
        for (let end = paths.length - 1; end >= 0; end--) {
          const found = findVariants(
            table,
            asked,
            hash,
            (isWild ? kinds.wild : 0) | kinds.path,
            mask,
            nameOf,
            paths[end],
          )
          if (found !== null) return found
        }
      }
      const found = findVariants(table, asked, hash, isWild ? kinds.wild : 0, mask, nameOf)
      if (found !== null) return found
    }
  }
  return nothing
}

/** With port and scheme, with a port, with a scheme, with neither. */
function findVariants(
  table: EntryTable,
  asked: EntryQuestion,
  host: Hash,
  base: number,
  mask: number,
  nameOf: (categoryId: string) => string,
  path: Hash | null = null,
): readonly FoundCategory[] | null {
  for (let variant = kinds.port | kinds.scheme; variant >= 0; variant--) {
    const kind = base | variant
    if ((mask & (1 << kind)) === 0) continue
    const place = findPlace(table, keyOf(host, kind, asked.port, asked.scheme, path))
    const found = entriesAt(table, table.leadsTo[place] as number, asked, kind, nameOf)
    if (found.length > 0) return found
  }
  return null
}

function entriesAt(
  table: EntryTable,
  first: number,
  asked: EntryQuestion,
  kind: number,
  nameOf: (categoryId: string) => string,
): FoundCategory[] {
  const found: FoundCategory[] = []
  for (let number = first; number > 0 && number < isNode; number = table.next[number - 1] as number) {
    const entry = textAt(table, table.begin[number - 1] as number, table.begin[number] as number)
    const parsed = parseEntry(entry)
    if (parsed === null || kindOf(parsed) !== kind || !isCovered(parsed, asked)) continue
    const id = table.categories[table.category[number - 1] as number] as string
    found.push({ id, entry, source: nameOf(id) })
  }
  return found.reverse()
}

/** Short and nearly always ASCII: a decoder would take longer to call than to read it. */
function textAt({ text }: EntryTable, begin: number, end: number): string {
  let written = ''
  for (let at = begin; at < end; at++) {
    const byte = text[at] as number
    if (byte > 127) return decoder.decode(text.subarray(begin, end))
    written += String.fromCharCode(byte)
  }
  return written
}

interface HostNode {
  readonly hash: Hash
  readonly mask: number
  /** The host itself, not a domain above it. */
  readonly isWhole: boolean
}

/** The host and the domains above that have entries, shortest first. */
function nodesOf(table: EntryTable, host: string): HostNode[] {
  const nodes: HostNode[] = []
  const hash = start(table.seed)
  const isAddress = isAddressHost(host)
  for (let at = host.length - 1; at >= 0; at--) {
    if (host.charCodeAt(at) === 46 && !isAddress) addNode(table, nodes, hash, false)
    mix(hash, host.charCodeAt(at))
  }
  addNode(table, nodes, hash, true)
  return nodes
}

function addNode(table: EntryTable, nodes: HostNode[], { high, low }: Hash, isWhole: boolean): void {
  const mask = table.leadsTo[findPlace(table, nodeKeyOf({ high, low }))] as number
  if (mask & isNode) nodes.push({ hash: { high, low }, mask: mask & 0xffff, isWhole })
}

/** The hashes of all beginnings of a path that an entry can name, shortest first. */
function pathHashes({ seed, longestPath }: EntryTable, path: string): Hash[] {
  const found: Hash[] = []
  const hash = start(~seed)
  const end = Math.min(path.length, longestPath)
  for (let at = 0; at < end; at++) {
    const code = path.charCodeAt(at)
    mix(hash, code)
    const isLast = at + 1 === path.length
    if (isLast || isBorder(code) || isBorder(path.charCodeAt(at + 1))) found.push({ high: hash.high, low: hash.low })
  }
  return found
}

/** Asks several, such as the user categories and the index, and gives what all of them find. */
export const joinLookups = (...lookups: readonly CategoryLookup[]): CategoryLookup => ({
  find: (request) => lookups.flatMap((lookup) => lookup.find(request)),
})
