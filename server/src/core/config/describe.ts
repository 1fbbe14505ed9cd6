// A change set described for administrators: which object, which field, the old and the new value. Secrets and
// hashes never appear; this is the one place that ensures it, for revisions, dry runs and the audit trail.

import { isDeepStrictEqual } from 'node:util'
import { secretMask } from '../contract/fields.ts'
import { isSealed, isUnsealed } from '../model/secret.ts'
import type { ChangeSet, SplicedChange } from './revision.ts'
import { spliceLists } from './splices.ts'

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

export const describeChanges = (changes: ChangeSet): ObjectChange[] =>
  changes.map((change) => describeChange(change, Number.POSITIVE_INFINITY))

/** Of lists longer than this only the beginning: for records that have no room for more. */
export const outlineChanges = (changes: ChangeSet, longest: number): ObjectChange[] =>
  changes.map((change) => describeChange(change, longest))

function describeChange(whole: SplicedChange, longest: number): ObjectChange {
  const change = spliceLists(whole)
  const object = change.id === null ? change.slot : `${change.slot}[${change.id}]`
  const fields = [...fieldChanges(change.before, change.after, longest), ...listChanges(change, longest)]
  if (change.id === null) return { object, action: 'changed', fields }
  if (change.before === null) return { object, action: 'added', fields }
  if (change.after === null) return { object, action: 'removed', fields }
  return { object, action: fields.length === 0 ? 'moved' : 'changed', fields }
}

function fieldChanges(before: unknown, after: unknown, longest: number): FieldChange[] {
  const old = asRecord(before)
  const next = asRecord(after)
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])]
  return names
    .filter((name) => !isDeepStrictEqual(old[name], next[name]))
    .map((field) => ({ field, before: mask(old[field], longest), after: mask(next[field], longest) }))
}

const listChanges = ({ spliced = {} }: SplicedChange, longest: number): FieldChange[] =>
  Object.entries(spliced)
    .filter(([, { before, after }]) => before.length > 0 || after.length > 0)
    .map(([field, { at, before, after, unchanged }]) => ({
      field,
      before: mask(before, longest),
      after: mask(after, longest),
      at,
      unchanged,
    }))

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Absent becomes null, sealed values become the mask, at any depth. */
export function mask(value: unknown, longest = Number.POSITIVE_INFINITY): unknown {
  if (value === undefined) return null
  if (isSealed(value) || isUnsealed(value)) return secretMask
  if (Array.isArray(value))
    return (value.length > longest ? value.slice(0, longest) : value).map((inner) => mask(inner, longest))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mask(inner, longest)]))
  }
  return value
}
