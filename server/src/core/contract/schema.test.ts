// Our constructors give the JSON that TypeBox itself gives.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './schema.ts'

type Builder = typeof Type

const examples: Readonly<Record<string, (t: Builder) => unknown>> = {
  'a text with limits': (t) => t.String({ minLength: 1, maxLength: 3, pattern: '^a' }),
  numbers: (t) => [t.Integer({ minimum: 1 }), t.Number({ maximum: 2 }), t.Boolean(), t.Null(), t.Unknown(), t.Void()],
  'a list': (t) => t.Array(t.String(), { uniqueItems: true }),
  'a choice': (t) => t.Union([t.String(), t.Null()], { description: 'either' }),
  'an object with an optional field': (t) =>
    t.Object({ a: t.String(), b: t.Optional(t.Integer()) }, { additionalProperties: false }),
  'an object of optional fields only': (t) => t.Object({ b: t.Optional(t.Integer({ description: 'x' })) }),
  'an empty object': (t) => t.Object({}, { additionalProperties: false }),
  'a partial object': (t) => t.Partial(t.Object({ a: t.String(), b: t.Optional(t.Integer()) })),
  'a record': (t) => t.Record(t.String(), t.Number()),
  'anything by hand': (t) => t.Unsafe({ type: 'string', enum: ['a'] }),
}

for (const [what, make] of Object.entries(examples)) {
  it(`gives ${what} as TypeBox does`, () => {
    assert.equal(JSON.stringify(make(Type)), JSON.stringify(make(TypeBox as unknown as Builder)))
  })
}

it('keeps a schema that was made optional usable where it is required', () => {
  const name = Type.String()
  Type.Object({ name: Type.Optional(name) })
  assert.deepEqual(Type.Object({ name }).required, ['name'])
})
