// The one place that says how many exceptions each list in the tests may hold. A number here only ever becomes smaller: who
// removes an exception lowers it, and no one adds one without changing this file.

import assert from 'node:assert/strict'

export const limits = {
  'English sentences on Russian pages': 0,
  'bodies that the schema alone does not make': 9,
  'calls that no page of the console uses': 11,
  'endpoints whose fields depend on each other': 17,
  'endpoints that answer any id': 3,
  'fields shown in another form than they were sent': 3,
  'fields whose form a handler checks': 11,
  'fields with a fixed sample': 21,
  'files of root that use node:fs themselves': 21,
  'lists that are written and read back by hand': 4,
  'paths that show or mask a secret': 4,
  'suppressed lint rules in product code': 2,
  'test files over the usual budget': 78,
  'tests whose fault is being hunted': 0,
} as const

/** The entries of a list, held to its limit. */
export function exceptions<T>(name: keyof typeof limits, entries: readonly T[]): readonly T[] {
  const limit = limits[name]
  assert.ok(entries.length <= limit, `${name}: ${entries.length} exceptions, but only ${limit} are allowed.`)
  assert.ok(
    entries.length >= limit,
    `${name}: only ${entries.length} exceptions are left; lower the limit of ${limit}.`,
  )
  return entries
}
