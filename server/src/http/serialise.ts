// Replies as bytes. Values of the configuration are immutable, so what one turns into is kept until the value itself is
// gone; undeclared fields never leave, because the serialiser only knows the schema.

import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'

type Serialise = (value: unknown) => string

const serialisers = new WeakMap<TSchema, Serialise>()
const kept = new WeakMap<TSchema, WeakMap<object, string | Buffer>>()

function serialiserOf(schema: TSchema): Serialise {
  const known = serialisers.get(schema)
  if (known) return known
  const serialise = fastJson(schema as Parameters<typeof fastJson>[0]) as Serialise
  serialisers.set(schema, serialise)
  return serialise
}

export function serialise(schema: TSchema, value: unknown): string {
  return serialiserOf(schema)(value)
}

/** Node sends a short string together with the headers in one piece; a long one would be encoded anew each time. */
const longestString = 4_096

/** For values that never change once made. */
export function serialiseKept(schema: TSchema, value: object): string | Buffer {
  let byValue = kept.get(schema)
  if (!byValue) {
    byValue = new WeakMap()
    kept.set(schema, byValue)
  }
  const known = byValue.get(value)
  if (known) return known
  const text = serialise(schema, value)
  const reply = text.length > longestString ? Buffer.from(text) : text
  byValue.set(value, reply)
  return reply
}
