// What an audit record says, and how large it may be. A record has at most 16 KiB: of a larger change it names the objects and
// fields, and the whole is in its revision.

import type { ErrorCode } from '../contract/error.ts'

/** How it ended: successful, failed, or the code of the refusal. */
export type AuditResult = 'ok' | 'failed' | ErrorCode

export interface AuditEntry {
  readonly event: 'change' | 'sign-in' | 'sign-out' | 'lock' | 'session-ended' | 'refused' | 'action' | 'system'
  readonly who: string
  readonly address: string
  /** The endpoint, or what the gateway did on its own. */
  readonly what: string
  readonly result: AuditResult
  readonly message: string
  readonly request_id: string
  readonly revision: number | null
  /** What changed, before and after, secrets masked. */
  readonly changes: readonly unknown[]
}

/** Records of earlier versions can have other results. */
export interface AuditRecord extends Omit<AuditEntry, 'result'> {
  readonly result: string
  readonly sequence: number
  readonly time: string
}

const ownActor = { who: 'system', address: '127.0.0.1' } as const

/** What the gateway did on its own. */
export const ownEntry = (
  what: string,
  result: AuditResult,
  message: string,
  changes: readonly unknown[] = [],
): AuditEntry => ({ ...ownActor, event: 'system', what, result, message, request_id: '', revision: null, changes })

export const maxRecordBytes = 16 * 1024
/** Characters of which JSON makes at most six bytes each. */
const maxText = 300
const maxMessage = 1_000
const maxChangesBytes = 6 * 1024
/** A change with a list of more entries has no room in a record, whatever they are. */
export const maxListed = maxChangesBytes / 2

/** The entry as it is stored: with what fits, and the number of what does not. */
export const boundedEntry = (entry: AuditEntry): AuditEntry => ({
  event: entry.event,
  who: cut(entry.who, maxText),
  address: cut(entry.address, maxText),
  what: cut(entry.what, maxText),
  result: entry.result,
  message: cut(entry.message, maxMessage),
  request_id: entry.request_id,
  revision: entry.revision,
  changes: boundedChanges(entry.changes, entry.revision),
})

const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`)

function boundedChanges(changes: readonly unknown[], revision: number | null): readonly unknown[] {
  if (mostBytes(changes, maxChangesBytes) <= maxChangesBytes) return changes
  const kept: unknown[] = []
  let left = maxChangesBytes
  for (const [index, change] of changes.entries()) {
    const shown = [change, outlineOf(change)].find((one) => sizeWithin(one, left) !== null)
    const size = shown === undefined ? null : sizeWithin(shown, left)
    if (size === null) return [...kept, { omitted: changes.length - index, ...(revision === null ? {} : { revision }) }]
    kept.push(shown)
    left -= size
  }
  return kept
}

/** Of a change too large for a record: which object and which fields. */
function outlineOf(change: unknown): unknown {
  if (typeof change !== 'object' || change === null || !('object' in change)) return undefined
  const { object, action, fields } = change as { object: unknown; action?: unknown; fields?: readonly unknown[] }
  const names = (fields ?? []).flatMap((one) =>
    typeof one === 'object' && one !== null && 'field' in one ? [{ field: one.field }] : [],
  )
  return { object, action, fields: names, is_shortened: true }
}

/** The bytes of the value as JSON at most, without making it; what is over the limit may be more than that. */
function mostBytes(value: unknown, limit: number): number {
  // A character is six bytes at most, as an escape.
  if (typeof value === 'string') return value.length * 6 + 2
  if (typeof value !== 'object' || value === null) return 24
  let bytes = 2
  for (const key in value) {
    if (bytes > limit) break
    bytes += key.length * 6 + 4 + mostBytes((value as Readonly<Record<string, unknown>>)[key], limit - bytes)
  }
  return bytes
}

/** The bytes of the value as JSON; null when there are more than `limit`. Looks at no more of it than that. */
function sizeWithin(value: unknown, limit: number): number | null {
  let size = 0
  const add = (one: unknown): boolean => {
    if (typeof one === 'string') size += one.length > limit ? one.length : Buffer.byteLength(JSON.stringify(one))
    else if (typeof one !== 'object' || one === null) size += String(one).length
    else {
      size += 2
      for (const [key, inner] of Object.entries(one)) {
        size += Array.isArray(one) ? 1 : Buffer.byteLength(JSON.stringify(key)) + 2
        if (size > limit || !add(inner)) return false
      }
    }
    return size <= limit
  }
  return value !== undefined && add(value) ? size : null
}
