// Search filters of LDAP in their text form (RFC 4515): whether a text is one. Pure, and linear in its length.

import { type SaidText, say } from '../../shared/said.ts'

const maxDepth = 50

/** Attribute and rule names with their options; a name can be an object identifier. */
const comparison =
  /^(?:[A-Za-z0-9][A-Za-z0-9.;-]*(?:=|~=|>=|<=)|(?:[A-Za-z0-9][A-Za-z0-9.;-]*)?(?::[Dd][Nn])?(?::[A-Za-z0-9][A-Za-z0-9.;-]*)?:=)/
const value = /^(?:[^()\\]|\\[0-9A-Fa-f]{2})*$/

/** Why the text is not a filter, or null. */
export function filterFault(text: string): SaidText | null {
  const end = readFilter(text, 0, 0)
  if (end === text.length) return null
  return say`Must be an LDAP filter such as (&(objectCategory=person)(objectClass=user)), or empty.`
}

/** Where the filter that begins at `start` ends; -1 when it is not a filter. */
function readFilter(text: string, start: number, depth: number): number {
  if (text[start] !== '(' || depth > maxDepth) return -1
  const sign = text[start + 1]
  const end =
    sign === '&' || sign === '|'
      ? readFilters(text, start + 2, depth)
      : sign === '!'
        ? readFilter(text, start + 2, depth + 1)
        : readItem(text, start + 1)
  return end >= 0 && text[end] === ')' ? end + 1 : -1
}

/** An empty list is allowed: `(&)` is always true (RFC 4526). */
function readFilters(text: string, start: number, depth: number): number {
  let at = start
  while (at >= 0 && text[at] === '(') at = readFilter(text, at, depth + 1)
  return at
}

function readItem(text: string, start: number): number {
  const end = text.indexOf(')', start)
  if (end < 0) return -1
  const item = text.slice(start, end)
  const [head] = comparison.exec(item) ?? []
  return head !== undefined && head !== ':=' && value.test(item.slice(head.length)) ? end : -1
}
