import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleOf, type JsonSchema, patchExampleOf } from './examples.ts'
import { nullable, oneOf, strictObject, text } from './fields.ts'
import { Type } from './schema.ts'

const example = (schema: unknown, field?: string): unknown => exampleOf(schema as JsonSchema, field)

test('an example of the schema itself wins', () => {
  assert.equal(example(Type.String({ examples: ['mine'], pattern: '^mine$' }), 'name'), 'mine')
})

test('a field with a known name gets what a reader expects, where it fits', () => {
  assert.equal(example(text({ maxLength: 80 }), 'name'), 'Branch office')
  assert.equal(example(Type.String({ pattern: '^[a-z.-]+$' }), 'name'), 'branch-office')
  assert.equal(example(Type.Integer(), 'id'), 1)
  assert.equal(example(Type.String(), 'id'), '1')
})

test('limits, patterns and fixed words are respected', () => {
  assert.equal(example(Type.Integer({ minimum: 5 })), 5)
  assert.equal(example(Type.Integer({ maximum: 0 })), 0)
  assert.equal(example(oneOf(['drop', 'accept'])), 'drop')
  assert.equal(example(Type.String({ pattern: '^port\\.id\\.[0-9]+$' })), 'port.id.1')
  assert.equal(String(example(Type.String({ minLength: 30, maxLength: 31 }))).length, 31)
  assert.deepEqual(example(Type.Array(Type.Integer(), { minItems: 2 })), [1, 1])
  assert.deepEqual(example(Type.Array(Type.Integer(), { maxItems: 0 })), [])
  assert.equal(example(nullable(Type.Boolean())), false)
  assert.equal(example(nullable(Type.String()), 'redirect_url'), null)
})

test('an object has every field but a second word for one of them; a change has the first two', () => {
  const schema = strictObject({
    name: Type.String(),
    port: Type.Optional(Type.Integer()),
    ports: Type.Integer({ 'x-synonym-of': 'port' }),
    enabled: Type.Boolean(),
  })
  assert.deepEqual(example(schema), { name: 'Branch office', port: 443, enabled: true })
  assert.deepEqual(patchExampleOf(schema as unknown as JsonSchema), { name: 'Branch office', port: 443 })
})

test('a map has one entry under a key that fits', () => {
  assert.deepEqual(example(Type.Record(Type.String(), Type.Boolean())), { example: false })
})

test('a pattern that no known text fits asks for an example', () => {
  assert.throws(() => example(Type.String({ pattern: '^unheard of$' }), 'odd'), /add "examples" to the schema of odd/)
})
