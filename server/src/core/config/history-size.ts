// How much history there is, and which revisions are over its limits. Queries only; the store removes them.

import type { Database } from '../database/database.ts'

export interface HistorySize {
  readonly revisions: number
  readonly bytes: number
}

/** How many revisions are kept, and the bytes of their change sets. */
export function countHistory(database: Database): HistorySize {
  const sum = 'SELECT count(*) AS revisions, coalesce(sum(size), 0) AS bytes FROM revision_sizes'
  return { revisions: 0, bytes: 0, ...database.prepare<HistorySize>(sum).get() }
}

/** What is left of a history of this size without its oldest revisions up to this one. Looks at no other. */
export function sizeWithout(database: Database, size: HistorySize, upTo: number): HistorySize {
  const sum = 'SELECT count(*) AS revisions, coalesce(sum(size), 0) AS bytes FROM revision_sizes WHERE revision <= ?'
  const { revisions = 0, bytes = 0 } = database.prepare<HistorySize>(sum).get(upTo) ?? {}
  return { revisions: size.revisions - revisions, bytes: size.bytes - bytes }
}

/** The newest revision to remove so that the history fits the limits, with `least` revisions kept; 0: it fits. */
export function surplusOf(database: Database, size: HistorySize, limits: HistorySize, least: number): number {
  const byNumber = olderThan(database, Math.max(limits.revisions, least))
  let byBytes = 0
  let excess = size.bytes - limits.bytes
  // Not by a window: SQLite would copy all change sets, and take a second.
  const sizes = database.prepare('SELECT revision, size FROM revision_sizes ORDER BY revision')
  for (const { revision, size: own } of excess > 0 ? sizes.iterate() : []) {
    byBytes = Number(revision)
    excess -= Number(own)
    if (excess <= 0) break
  }
  return Math.max(byNumber, Math.min(byBytes, olderThan(database, least)))
}

/** The newest revision that has this many after it; 0: there is none. */
function olderThan(database: Database, count: number): number {
  const row = database.prepare('SELECT revision FROM revisions ORDER BY revision DESC LIMIT 1 OFFSET ?').get(count)
  return Number(row?.revision ?? 0)
}

/** The last of the oldest revisions that are together no more than this, but at least one. */
export function endOfOldest(database: Database, most: HistorySize): number {
  const oldest = database
    .prepare('SELECT revision, size FROM revision_sizes ORDER BY revision LIMIT ?')
    .all(most.revisions)
  let bytes = 0
  const beyond = oldest.findIndex(({ size }) => {
    bytes += Number(size)
    return bytes > most.bytes
  })
  return Number(oldest.at(beyond < 0 ? -1 : Math.max(0, beyond - 1))?.revision ?? 0)
}
