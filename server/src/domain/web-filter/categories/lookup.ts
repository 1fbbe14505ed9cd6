// Finds the categories of a request in an index: the pages above and at its path, longest first, then its name and the names
// above it. Every list counts; of several entries of one category the longest is named, of several lists that of the operator,
// then the uploaded one. The rows are in memory or in a file.

import type { CategoryLookup, FoundCategory } from '../model.ts'
import { hostKey, isCut, maxCuts, maxKeyBytes, pathBytes, withoutWww, writePlainPath } from './entry.ts'
import type { IndexHeader, IndexTable, Origin } from './format.ts'
import { SipHash } from './siphash.ts'

/** The sorted rows of an index. */
export interface Rows {
  /** Calls with the number of every origin whose row has this hash. */
  each(high: number, low: number, take: (origin: number) => void): void
}

export interface IndexFacts {
  readonly entries: number
  readonly bytes: number
  /** Unix seconds. */
  readonly builtAt: number
  readonly table: IndexTable
}

export interface CategoryIndex extends CategoryLookup {
  readonly facts: IndexFacts
}

const nothing: readonly FoundCategory[] = []

/** Where there is no index. */
export const noCategories: CategoryLookup = { find: () => nothing }

/** The file as it is named to an administrator: `operator/gambling/domains`. */
const nameOf = ({ source, file }: Origin): string => `${source}/${file}`

export function createIndex(header: IndexHeader, table: IndexTable, rows: Rows, bytes: number): CategoryIndex {
  const hash = new SipHash(header.key)
  const { origins } = table
  const scratch = Buffer.alloc(2 * maxKeyBytes)
  let found: FoundCategory[] = []
  let begin = 0
  let end = 0
  let decodedEnd = 0
  const cuts = new Uint16Array(maxCuts)
  const take = (number: number): void => {
    const origin = origins[number]
    if (!origin || found.some(({ id }) => id === origin.category)) return
    found.push({ id: origin.category, entry: scratch.toString('utf8', begin, end), source: nameOf(origin) })
  }
  const look = (from: number, to: number): void => {
    begin = from
    end = to
    hash.run(scratch, from, to)
    rows.each(hash.high, hash.low, take)
  }
  return {
    facts: { entries: header.rows, bytes, builtAt: header.builtAt, table },
    find: ({ host, path }) => {
      const name = hostKey(host)
      if (name === null) return nothing
      found = []
      if (path?.startsWith('/')) lookForPages(withoutWww(name), path)
      lookForNames(name)
      return found
    },
  }

  function lookForPages(host: string, path: string): void {
    const first = writeName(host)
    const plain = writePlainPath(path, scratch, first, maxKeyBytes)
    const isWhole = plain >= 0 || decodePath(path, first)
    const last = plain >= 0 ? first + plain : decodedEnd
    let count = 0
    for (let at = first + 1; at < last && count < maxCuts; at++) {
      if (isCut(scratch[at] as number)) cuts[count++] = at
    }
    if (isWhole && count < maxCuts) cuts[count++] = last
    for (let at = count - 1; at >= 0; at--) {
      const cut = cuts[at] as number
      if (cut <= maxKeyBytes) look(0, cut)
    }
  }

  function decodePath(path: string, first: number): boolean {
    const { bytes: rest, isWhole } = pathBytes(path, maxKeyBytes)
    rest.copy(scratch, first)
    decodedEnd = first + rest.length
    return isWhole
  }

  /** ASCII, and short: a call into the runtime would take longer. */
  function writeName(name: string): number {
    for (let at = 0; at < name.length; at++) scratch[at] = name.charCodeAt(at)
    return name.length
  }

  function lookForNames(name: string): void {
    const last = writeName(name)
    look(0, last)
    // A name has two labels at least, so the last one alone is in no list.
    for (let at = name.indexOf('.') + 1; at > 0; ) {
      const next = name.indexOf('.', at) + 1
      if (next > 0) look(at, last)
      at = next
    }
  }
}
