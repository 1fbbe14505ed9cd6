// Replies as bytes. Values of the configuration are immutable, so what one turns into is kept until the value itself is
// gone; undeclared fields never leave, because the serialiser only knows the schema.

import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'

type Serialise = (value: unknown) => string

const serialisers = new WeakMap<TSchema, Serialise>()
const kept = new WeakMap<TSchema, WeakMap<object, Buffer>>()

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

/** For values that never change once made. */
export function serialiseKept(schema: TSchema, value: object): Buffer {
  let byValue = kept.get(schema)
  if (!byValue) {
    byValue = new WeakMap()
    kept.set(schema, byValue)
  }
  const known = byValue.get(value)
  if (known) return known
  const bytes = Buffer.from(serialise(schema, value))
  byValue.set(value, bytes)
  return bytes
}
