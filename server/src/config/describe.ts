// A change set described for administrators: which object, which field, the old and the new value. Secrets and
// hashes never appear; this is the one place that ensures it, for revisions, dry runs and the audit trail.

import { isDeepStrictEqual } from 'node:util'
import { secretMask } from '../contract/fields.ts'
import { isSealed } from '../model/secret.ts'
import type { ChangeSet } from './diff.ts'
import { type SplicedChange, spliceLists } from './splices.ts'

export interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
  /** Of a long list only the part that differs is shown: where it begins, and how many entries are the same. */
  readonly at?: number
  readonly unchanged?: number
}

export interface ObjectChange {
  /** `firewall.settings` or `administrators.local[<id>]`. */
  readonly object: string
  readonly action: 'added' | 'changed' | 'moved' | 'removed'
  readonly fields: readonly FieldChange[]
}

export const describeChanges = (changes: ChangeSet): ObjectChange[] => changes.map(describeChange)

function describeChange(whole: SplicedChange): ObjectChange {
  const change = spliceLists(whole)
  const object = change.id === null ? change.slot : `${change.slot}[${change.id}]`
  const fields = [...fieldChanges(change.before, change.after), ...listChanges(change)]
  if (change.id === null) return { object, action: 'changed', fields }
  if (change.before === null) return { object, action: 'added', fields }
  if (change.after === null) return { object, action: 'removed', fields }
  return { object, action: fields.length === 0 ? 'moved' : 'changed', fields }
}

function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const old = asRecord(before)
  const next = asRecord(after)
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])]
  return names
    .filter((name) => !isDeepStrictEqual(old[name], next[name]))
    .map((field) => ({ field, before: mask(old[field]), after: mask(next[field]) }))
}

const listChanges = ({ spliced = {} }: SplicedChange): FieldChange[] =>
  Object.entries(spliced)
    .filter(([, { before, after }]) => before.length > 0 || after.length > 0)
    .map(([field, { at, before, after, unchanged }]) => ({
      field,
      before: mask(before),
      after: mask(after),
      at,
      unchanged,
    }))

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Absent becomes null, sealed values become the mask, at any depth. */
export function mask(value: unknown): unknown {
  if (value === undefined) return null
  if (isSealed(value)) return secretMask
  if (Array.isArray(value)) return value.map(mask)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mask(inner)]))
  }
  return value
}
