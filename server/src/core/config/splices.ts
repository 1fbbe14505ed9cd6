// Long lists inside of one item, such as the URLs of a category: a revision and the audit trail keep only the
// part that differs, not twenty thousand entries before and after. Pure, and reversible with the item at hand.

import { isDeepStrictEqual } from 'node:util'
import { commonEnds } from '../model/slots.ts'
import type { Splice, SplicedChange } from './revision.ts'

/** Shorter lists are kept whole, because they are easier to read. */
const shortestSpliced = 100

type Fields = Readonly<Record<string, unknown>>

const made = new WeakMap<SplicedChange, SplicedChange>()

/** Once for each change: item, revision and audit record all ask for it. */
export function spliceLists(change: SplicedChange): SplicedChange {
  const known = made.get(change)
  if (known) return known
  const result = makeSplices(change)
  made.set(change, result)
  return result
}

function makeSplices(change: SplicedChange): SplicedChange {
  const { before, after } = change
  if (change.spliced || !isRecord(before) || !isRecord(after)) return change
  const spliced = Object.fromEntries(
    Object.keys(after).flatMap((field) => {
      const splice = spliceBetween(before[field], after[field])
      return splice ? [[field, splice] as const] : []
    }),
  )
  const names = Object.keys(spliced)
  if (names.length === 0) return change
  return { ...change, before: without(before, names), after: without(after, names), spliced }
}

/** The value after the change, computed from the one before it. */
export function valueAfter(change: SplicedChange, base: unknown): unknown {
  const { spliced, slot, id } = change
  if (!spliced) return change.after
  const whole = Object.entries(spliced).map(([field, { at, before, after, unchanged }]) => {
    const list = isRecord(base) ? base[field] : undefined
    if (!Array.isArray(list) || list.length !== unchanged + before.length)
      throw new Error(`a change of ${slot}[${id}].${field} does not match the value it changes`)
    return [field, list.slice(0, at).concat(after, list.slice(at + before.length))]
  })
  return { ...(change.after as Fields), ...Object.fromEntries(whole) }
}

export const inverseSplices = ({ spliced }: SplicedChange): Pick<SplicedChange, 'spliced'> =>
  spliced
    ? {
        spliced: Object.fromEntries(
          Object.entries(spliced).map(([field, splice]) => [
            field,
            { ...splice, before: splice.after, after: splice.before },
          ]),
        ),
      }
    : {}

/** Null when the lists are short or differ for the most part. */
function spliceBetween(before: unknown, after: unknown): Splice | null {
  if (!Array.isArray(before) || !Array.isArray(after)) return null
  if (Math.max(before.length, after.length) < shortestSpliced) return null
  const [start, tail] = commonEnds<unknown>(before, after, isSame)
  const unchanged = start + tail
  const isWorthIt = unchanged * 2 >= before.length + after.length - unchanged
  const stretch = (list: readonly unknown[]): readonly unknown[] => list.slice(start, list.length - tail)
  return isWorthIt ? { at: start, before: stretch(before), after: stretch(after), unchanged } : null
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && isDeepStrictEqual(one, other))

/** Null keeps the place of the field. */
const without = (value: Fields, names: readonly string[]): Fields => ({
  ...value,
  ...Object.fromEntries(names.map((name) => [name, null])),
})

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
