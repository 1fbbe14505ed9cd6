// The few TypeBox constructors we use, with TypeBox's own types and without loading it: a schema is plain JSON, and
// TypeBox's 300 modules would cost every process and every `gw` call 24 MB and 0.13 s. schema.test.ts holds these
// against the original.

import type { Type as TypeBox } from 'typebox'

type Schema = Readonly<Record<string, unknown>>

type Used =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
  | 'Void'

/** Fields that need not be there. Kept beside the schema, so that it stays nothing but JSON. */
const optional = new WeakSet<object>()

const plain =
  (fixed: Schema) =>
  (options: Schema = {}): Schema => ({ ...fixed, ...options })

function object(properties: Readonly<Record<string, Schema>>, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}))
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options }
}

function makeOptional(schema: Schema): Schema {
  const copy = { ...schema }
  optional.add(copy)
  return copy
}

const builder = {
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: 'array', items, ...options }),
  Boolean: plain({ type: 'boolean' }),
  Integer: plain({ type: 'integer' }),
  Null: plain({ type: 'null' }),
  Number: plain({ type: 'number' }),
  Object: object,
  Optional: makeOptional,
  Partial: ({ properties }: { readonly properties: Readonly<Record<string, Schema>> }, options: Schema = {}): Schema =>
    object(Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, makeOptional(inner)])), options),
  Record: (key: { readonly pattern?: string }, value: Schema, options: Schema = {}): Schema => ({
    type: 'object',
    patternProperties: { [key.pattern ?? '^.*$']: value },
    ...options,
  }),
  String: plain({ type: 'string' }),
  Union: (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options }),
  Unknown: plain({}),
  Unsafe: (schema: Schema): Schema => ({ ...schema }),
  Void: plain({ type: 'void' }),
}

// Cast: it makes what TypeBox makes, without loading it; its types are taken from there.
export const Type = builder as unknown as Pick<typeof TypeBox, Used>
