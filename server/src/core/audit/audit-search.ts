// Finds records of the audit trail by who, what, object, result and time. The trail is walked back step by step: a record is read
// only when its text can match.

import type { Database } from '../database/database.ts'
import type { AuditRecord } from './audit-entry.ts'
import { recordsBack } from './audit-rows.ts'

export interface AuditSearch {
  readonly who?: string
  readonly event?: string
  readonly result?: string
  readonly address?: string
  /** The endpoint or action contains this text; case does not matter. */
  readonly what?: string
  /** A change of this object, such as `firewall.forward[7]`, or of one whose name begins so: `firewall.forward`. */
  readonly object?: string
  /** Unix seconds; `until` is not included. */
  readonly from?: number
  readonly until?: number
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/** Records of a step that are walked at most: a step of small records would look at thousands. */
const walkedAtOnce = 2_000

/** From this record on backwards, newest first, as the JSON they were stored as; a piece can be empty. */
export function* matchingBack(
  database: Database,
  sequence: number,
  search: AuditSearch,
  { limit, offset }: Page,
): Generator<readonly string[]> {
  const matches = createMatcher(search)
  let left = limit
  let skipped = 0
  for (let last = sequence, hasMore = true; last > 0 && hasMore; last -= walkedAtOnce) {
    hasMore = false
    for (const records of recordsBack(database, last, Math.min(walkedAtOnce, last))) {
      // Below the oldest record that is kept there are none.
      hasMore = true
      const found = records.filter(matches)
      const kept = found.slice(Math.max(0, offset - skipped)).slice(0, left)
      skipped += Math.min(found.length, Math.max(0, offset - skipped))
      left -= kept.length
      yield kept
      if (left === 0) return
    }
  }
}

function createMatcher(search: AuditSearch): (record: string) => boolean {
  const { who, event, result, address, what, object, from, until } = search
  // As they are written within the text of a record.
  const parts = [who, event, result, address, object].flatMap((text) =>
    text === undefined ? [] : [JSON.stringify(text).slice(1, -1)],
  )
  const wanted = what?.toLowerCase()
  return (text) => {
    if (!parts.every((part) => text.includes(part))) return false
    const record = JSON.parse(text) as AuditRecord
    const seconds = Date.parse(record.time) / 1000
    return (
      (who === undefined || record.who === who) &&
      (event === undefined || record.event === event) &&
      (result === undefined || record.result === result) &&
      (address === undefined || record.address === address) &&
      (wanted === undefined || record.what.toLowerCase().includes(wanted)) &&
      (object === undefined || record.changes.some((change) => isOf(object, change))) &&
      (from === undefined || seconds >= from) &&
      (until === undefined || seconds < until)
    )
  }
}

function isOf(wanted: string, change: unknown): boolean {
  const { object } = change as { readonly object?: unknown }
  return typeof object === 'string' && (object === wanted || object.startsWith(`${wanted}[`))
}
