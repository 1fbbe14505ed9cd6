// Forms that newer clients of this interface send and that are accepted in addition, as long as they mean what this version
// means. Replies show them only where such clients look for what they sent.

import type { Static, TObject, TProperties } from 'typebox'
import { say } from '../../shared/said.ts'
import { invalid } from './error.ts'
import { strictObject } from './fields.ts'
import { Type } from './schema.ts'

/** Newer versions know several blocks and values. The limit is that of the form: more than one is refused with its own words. */
const maxBlocks = 100

/** A field that this version does not have, with the values that change nothing; `reason` is the fault of any other value. */
export const neutral = <const V extends boolean | number | string | readonly never[]>(
  values: readonly [V, ...V[]],
  reason: string,
) =>
  Type.Optional(
    Type.Unsafe<V>({
      ...(Array.isArray(values[0])
        ? { type: 'array', items: { type: 'string' }, maxItems: maxBlocks }
        : { type: typeof values[0] === 'number' ? 'integer' : typeof values[0] }),
      enum: [...values],
      'x-neutral': true,
      'x-fault': reason,
      description: `Of newer clients. ${reason}`,
    }),
  )

/** A list of one block of fields, which this version has outside of a block; `synonymOf` is the first of them. */
export const oneBlock = <P extends TProperties>(fields: P, synonymOf: string) =>
  Type.Optional(
    Type.Unsafe<readonly Static<TObject<P>>[]>({
      ...Type.Array(strictObject(fields), { minItems: 1, maxItems: maxBlocks }),
      'x-synonym-of': synonymOf,
      description: `Of newer clients: one block that means the same as ${synonymOf}.`,
    }),
  )

type Body = Readonly<Record<string, unknown>>

/** The body without neutral fields. */
export const withoutFields = (body: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))

/** The body with the fields of the block in their own places. `places` maps those of the block to those of this version. */
export function unfoldBlock(body: object, field: string, places: Readonly<Record<string, string>>, rest: Body): object {
  const { [field]: blocks, ...others } = body as Body
  if (blocks === undefined) return body
  const [block, ...more] = blocks as readonly Body[]
  if (block === undefined || more.length > 0)
    throw invalid(field, say`Must have exactly one block: rules of this version have no more.`)
  const same = Object.values(places).find((name) => name in others)
  if (same !== undefined) throw invalid(field, say`Send either ${field} or ${same}, not both: they mean the same.`)
  const placed = Object.entries(block).flatMap(([name, value]) =>
    places[name] === undefined ? [] : [[places[name], value] as const],
  )
  return { ...others, ...rest, ...Object.fromEntries(placed) }
}
