// Countries by IPv4 network, from a database in the MaxMind format 2.0 that the operator supplies. The file is not
// trusted: every offset is checked, and no content makes the reading endless.

import { readFileSync, statSync } from 'node:fs'
import type { CountrySpans } from '../../../domain/logs/hit-news.ts'
import { highestAddress, parseAddress, printSpan } from '../../../shared/net/ipv4.ts'
import { pairsOf } from '../../../shared/net/ranges.ts'
import { say } from '../../../shared/said.ts'
import { dataSection, type Section } from './mmdb-section.ts'

export interface Countries {
  /** Unix seconds. */
  readonly buildTime: number
  /** By two-letter code: networks in rising order, merged as far as they go. */
  readonly networks: ReadonlyMap<string, readonly string[]>
  /** The two-letter code of an address; null when the database does not know it. */
  readonly codeOf: (address: number) => string | null
  readonly spans: CountrySpans
}

const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const longestMetadata = 128 * 1024
/** Zero bytes between the tree and the data. */
const gapBytes = 16

const damaged = (what: string): Error => new Error(`The country database is damaged: ${what}.`)

interface Tree {
  readonly nodeCount: number
  readonly isIpv6: boolean
  readonly buildTime: number
  /** The record of a node on one side: the next node, `nodeCount` for nothing, or a place in the data above that. */
  readonly recordOf: (node: number, side: 0 | 1) => number
  readonly data: Section
}

/** Throws with a sentence for the administrator when the file is not such a database. */
export function readCountries(file: Buffer): Countries {
  const tree = readTree(file)
  const codeAt = codeReader(tree)
  const spans = new Map<string, number[]>()
  const inOrder: Span[] = []
  const add = (record: number, low: number, size: number): void => {
    if (record === tree.nodeCount) return
    const code = codeAt(record)
    if (code === null) return
    const last = inOrder.at(-1)
    if (last?.code === code && last.high === low - 1) last.high = low + size - 1
    else inOrder.push({ low, high: low + size - 1, code })
    const known = spans.get(code) ?? []
    spans.set(code, known)
    if (known.at(-1) === low - 1) known[known.length - 1] = low + size - 1
    else known.push(low, low + size - 1)
  }
  walkIpv4(tree, add)
  const shared = sharedSpans(inOrder)
  const networks = [...spans].map(([code, flat]) => [code, networksOf(flat)] as const)
  return {
    buildTime: tree.buildTime,
    networks: new Map(networks.sort(([a], [b]) => (a < b ? -1 : 1))),
    codeOf: (address) => codeIn(shared, address),
    spans: shared,
  }
}

interface Span {
  readonly low: number
  high: number
  readonly code: string
}

function sharedSpans(spans: readonly Span[]): CountrySpans {
  const codes = [...new Set(spans.map(({ code }) => code))]
  const indexes = new Map(codes.map((code, index) => [code, index]))
  const lows = new Uint32Array(new SharedArrayBuffer(4 * spans.length))
  const highs = new Uint32Array(new SharedArrayBuffer(4 * spans.length))
  const which = new Uint16Array(new SharedArrayBuffer(2 * spans.length))
  for (const [at, { low, high, code }] of spans.entries()) {
    lows[at] = low
    highs[at] = high
    which[at] = indexes.get(code) ?? 0
  }
  return { lows, highs, which, codes }
}

/** The code of the span that holds the address; they are apart and in rising order. */
function codeIn({ lows, highs, which, codes }: CountrySpans, address: number): string | null {
  let [from, to] = [0, lows.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (address < (lows[middle] ?? 0)) to = middle
    else if (address > (highs[middle] ?? 0)) from = middle + 1
    else return codes[which[middle] ?? -1] ?? null
  }
  return null
}

function readTree(file: Buffer): Tree {
  const at = file.lastIndexOf(marker)
  if (at < 0 || at < file.length - longestMetadata - marker.length) {
    throw new Error(say`The file is not a country database in the MaxMind format: its metadata is missing.`)
  }
  const metadata = dataSection(file.subarray(at + marker.length), damaged)
  const number = (name: string): number => {
    const place = metadata.find(0, name)
    if (place === null) throw damaged(`its metadata have no ${name}`)
    return metadata.readNumber(place)
  }
  if (number('binary_format_major_version') !== 2)
    throw new Error(say`Only version 2 of the MaxMind format is supported.`)
  const nodeCount = number('node_count')
  const recordBits = number('record_size')
  if (![24, 28, 32].includes(recordBits)) throw damaged(`records of ${recordBits} bits`)
  const treeBytes = (nodeCount * recordBits) / 4
  if (nodeCount === 0 || treeBytes + gapBytes > at) throw damaged('its tree is cut off')
  return {
    nodeCount,
    isIpv6: number('ip_version') === 6,
    buildTime: number('build_epoch'),
    recordOf: recordReader(file, recordBits),
    data: dataSection(file.subarray(treeBytes + gapBytes, at), damaged),
  }
}

function recordReader(file: Buffer, bits: number): Tree['recordOf'] {
  switch (bits) {
    case 24:
      return (node, side) => file.readUIntBE(node * 6 + side * 3, 3)
    case 28:
      // The byte in the middle holds the four highest bits of both.
      return (node, side) => {
        const middle = file.readUInt8(node * 7 + 3)
        const high = side === 0 ? middle >>> 4 : middle & 15
        return high * 0x100_0000 + file.readUIntBE(node * 7 + side * 4, 3)
      }
    default:
      return (node, side) => file.readUInt32BE(node * 8 + side * 4)
  }
}

/** Gives every leaf of the IPv4 part, in rising order. */
function walkIpv4(tree: Tree, onLeaf: (record: number, low: number, size: number) => void): void {
  const { nodeCount, recordOf } = tree
  // IPv4 is below 96 zeros in an IPv6 tree.
  let root = 0
  for (let depth = 0; tree.isIpv6 && depth < 96 && root < nodeCount; depth++) root = recordOf(root, 0)
  const open: { record: number; low: number; size: number }[] = [{ record: root, low: 0, size: highestAddress + 1 }]
  let visited = 0
  for (let place = open.pop(); place; place = open.pop()) {
    const { record, low, size } = place
    if (record >= nodeCount) {
      onLeaf(record, low, size)
      continue
    }
    // In a tree no node is met twice; in a net of nodes the ways would be endless.
    if (size === 1 || ++visited > nodeCount) throw damaged('its tree has loops')
    const half = size / 2
    open.push({ record: recordOf(record, 1), low: low + half, size: half })
    open.push({ record: recordOf(record, 0), low, size: half })
  }
}

/** Most networks share a few hundred entries of the data: each is read once. */
function codeReader({ nodeCount, data }: Tree): (record: number) => string | null {
  const known = new Map<number, string | null>()
  return (record) => {
    const found = known.get(record)
    if (found !== undefined) return found
    const place = record - nodeCount - gapBytes
    if (place < 0) throw damaged('its tree points outside of the data')
    const code = readCode(data, place, 'country') ?? readCode(data, place, 'registered_country')
    known.set(record, code)
    return code
  }
}

function readCode(data: Section, place: number, name: string): string | null {
  const country = data.find(place, name)
  const code = country === null ? null : data.find(country, 'iso_code')
  const text = code === null ? null : data.readText(code)
  return text !== null && /^[A-Z]{2}$/.test(text) ? text : null
}

/** The fewest networks that hold exactly these spans. */
function networksOf(flat: readonly number[]): string[] {
  const networks: string[] = []
  for (const [first, high] of pairsOf(flat)) {
    for (let low = first; low <= high; ) {
      let size = 1
      while (size <= highestAddress && low % (size * 2) === 0 && low + size * 2 - 1 <= high) size *= 2
      networks.push(printSpan(low, low + size - 1))
      low += size
    }
  }
  return networks
}

export interface CountryFile {
  /** Reads the file when it is another one than last time. */
  refresh(): void
  /** As the file is now: it is read first when it is another one. */
  status(): CountryFileStatus
  /** The two-letter code of an IPv4 address; empty when it is not known. */
  codeOf(address: string): string
  /** The same value for as long as the file is the same; null while there is none. */
  spans(): CountrySpans | null
}

export interface CountryFileStatus {
  readonly loaded: boolean
  readonly path: string
  readonly countries: number
  readonly buildTime: number | null
  readonly messages: readonly string[]
}

/** A file that cannot be read leaves the countries of the last one in use, unless it is gone. */
export function createCountryFile(
  path: string,
  onNetworks: (networks: ReadonlyMap<string, readonly string[]>) => void,
): CountryFile {
  let seen = ''
  let current: Countries | null = null
  let problem: string | null = null
  const load = (): void => {
    try {
      current = readCountries(readFileSync(path))
      problem = null
      onNetworks(current.networks)
    } catch (error) {
      problem = (error as Error).message
    }
  }
  const refresh = (): void => {
    const stat = statSync(path, { throwIfNoEntry: false })
    const now = stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : 'none'
    if (now === seen) return
    seen = now
    if (stat) {
      load()
      return
    }
    current = null
    problem = say`There is no country database; countries in rules match nothing.`
    onNetworks(new Map())
  }
  return {
    refresh,
    status: () => {
      refresh()
      return {
        loaded: current !== null,
        path,
        countries: current?.networks.size ?? 0,
        buildTime: current?.buildTime ?? null,
        messages: problem === null ? [] : [problem],
      }
    },
    codeOf: (text) => {
      const address = parseAddress(text)
      return (address === null ? null : current?.codeOf(address)) ?? ''
    },
    spans: () => current?.spans ?? null,
  }
}
