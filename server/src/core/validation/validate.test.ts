// The words for what is wrong with a value, and that nothing is coerced, stripped or filled in.
// Requirement 69.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { GatewayError } from '../contract/error.ts'
import { jsonQuery, nullable, oneOf, strictObject, text } from '../contract/fields.ts'
import { Type } from '../contract/schema.ts'
import { faultsOf, readQuery } from './validate.ts'

const schema = strictObject({
  name: text({ minLength: 1, maxLength: 5 }),
  port: Type.Integer({ minimum: 1, maximum: 9 }),
  mode: oneOf(['a', 'b']),
  zone: nullable(text({ minLength: 2, maxLength: 4 })),
  list: Type.Array(Type.String(), { uniqueItems: true, minItems: 1, maxItems: 2 }),
  inner: strictObject({ on: Type.Boolean() }),
})
const good = { name: 'x', port: 1, mode: 'a', zone: null, list: ['a'], inner: { on: true } }

describe('a fault of a value', () => {
  const rows: [change: Record<string, unknown>, field: string, message: string][] = [
    [{ name: '' }, 'name', 'Must not be empty.'],
    [{ name: 'abcdef' }, 'name', 'Must have at most 5 characters.'],
    [{ name: 5 }, 'name', 'Must be a text.'],
    [{ name: 'a\nb' }, 'name', 'Must not contain control characters.'],
    [{ port: 0 }, 'port', 'Must be at least 1.'],
    [{ port: 10 }, 'port', 'Must be at most 9.'],
    [{ port: '1' }, 'port', 'Must be a whole number.'],
    [{ port: 1.5 }, 'port', 'Must be a whole number.'],
    [{ mode: 'c' }, 'mode', 'Must be one of: a, b.'],
    [{ zone: 5 }, 'zone', 'Must be a text or null.'],
    [{ zone: 'x' }, 'zone', 'Must have at least 2 characters.'],
    [{ list: [] }, 'list', 'Must not be an empty list.'],
    [{ list: ['a', 'b', 'c'] }, 'list', 'Must have at most 2 entries.'],
    [{ list: ['a', 'a'] }, 'list', 'Duplicate entry.'],
    [{ list: [1] }, 'list[0]', 'Must be a text.'],
    [{ inner: {} }, 'inner.on', 'This field is missing.'],
    [{ inner: { on: 1 } }, 'inner.on', 'Must be true or false.'],
    [{ inner: { on: true, x: 1 } }, 'inner.x', 'Unknown field.'],
    [{ inner: [] }, 'inner', 'Must be an object.'],
    [{ 'a/b~c': 1 }, 'a/b~c', 'Unknown field.'],
  ]
  for (const [change, field, message] of rows) {
    it(`${JSON.stringify(change)} is told as ${field}: ${message}`, () => {
      assert.deepEqual(faultsOf(schema, { ...good, ...change }), [{ field, message }])
    })
  }

  it('is reported once per field, for every field, and never without end', () => {
    const faults = faultsOf(schema, { name: '', port: 0 })
    assert.deepEqual(faults.map(({ field }) => field).sort(), ['inner', 'list', 'mode', 'name', 'port', 'zone'])
    const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]))
    assert.equal(faultsOf(schema, flood).length, 100)
  })

  it('is not one for what fits, and what fits is left as it is', () => {
    const value = structuredClone(good)
    assert.deepEqual(faultsOf(schema, value), [])
    assert.deepEqual(value, good)
  })

  it('counts characters, not bytes', () => {
    assert.deepEqual(faultsOf(schema, { ...good, name: '😀😀😀😀😀' }), [])
    assert.equal(faultsOf(schema, { ...good, name: '😀😀😀😀😀😀' }).length, 1)
  })
})

describe('a query', () => {
  const query = strictObject({
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    on: Type.Optional(Type.Boolean()),
    word: Type.Optional(oneOf(['x', 'y'])),
    columns: Type.Optional(jsonQuery(Type.Array(Type.String()))),
  })
  it('is read as its schema says', () => {
    const read = readQuery(query, { limit: '12', on: 'false', word: 'x', columns: '["a"]' })
    assert.deepEqual({ ...read }, { limit: 12, on: false, word: 'x', columns: ['a'] })
    assert.equal(Object.getPrototypeOf(read), null)
  })

  it('is refused in everything else', () => {
    const wrong: Record<string, unknown>[] = [
      { limit: '' },
      { limit: '1.0' },
      { limit: '١' },
      { limit: ['1', '2'] },
      { on: '1' },
      { on: 'True' },
      { word: '' },
      { columns: 'a' },
      { columns: '[1]' },
      { other: 'x' },
      { toString: 'x' },
      Object.fromEntries([['__proto__', 'x']]),
    ]
    for (const raw of wrong) assert.throws(() => readQuery(query, raw), GatewayError, JSON.stringify(raw))
  })
})

describe('a value that is too large', () => {
  /** Which entries were looked at. */
  function watched(length: number, item: unknown): { readonly items: unknown[]; readonly looked: Set<string> } {
    const looked = new Set<string>()
    const items = new Proxy(new Array(length).fill(item), {
      get: (target, key, receiver) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) looked.add(key)
        return Reflect.get(target, key, receiver)
      },
    })
    return { items, looked }
  }
  const list = Type.Array(Type.String(), { maxItems: 3 })
  const tooLong = 'Must have at most 3 entries.'

  const places: [where: string, schema: ReturnType<typeof strictObject>, place: (items: unknown) => object][] = [
    ['values', strictObject({ values: list }), (values) => ({ values })],
    ['a.values', strictObject({ a: strictObject({ values: list }) }), (values) => ({ a: { values } })],
    ['a[1]', strictObject({ a: Type.Array(nullable(list), { maxItems: 2 }) }), (values) => ({ a: [null, values] })],
    [
      'a[0].values',
      strictObject({ a: Type.Array(strictObject({ values: list }), { maxItems: 1 }) }),
      (values) => ({ a: [{ values }] }),
    ],
  ]
  for (const [field, schema, place] of places) {
    it(`M1: a list that is too long is reported as ${field} by its length alone`, () => {
      const { items, looked } = watched(1_000_000, 1)
      assert.deepEqual(faultsOf(schema, place(items)), [{ field, message: tooLong }])
      assert.equal(looked.size, 0)
    })
  }

  it('M1: a list where an object must be, or the other way round, is not looked at', () => {
    const { items, looked } = watched(1_000_000, 1)
    const schema = strictObject({ inner: strictObject({ on: Type.Boolean() }) })
    assert.deepEqual(faultsOf(schema, items), [{ field: 'body', message: 'Must be an object.' }])
    assert.deepEqual(faultsOf(schema, { inner: items }), [{ field: 'inner', message: 'Must be an object.' }])
    assert.equal(looked.size, 0)
  })

  it('M1: no more entries and fields are looked at than are named', () => {
    const { items, looked } = watched(100_000, [])
    const schema = strictObject({ values: Type.Array(Type.String(), { maxItems: 100_000 }) })
    assert.equal(faultsOf(schema, { values: items }).length, 100)
    assert.equal(looked.size, 100)
    const rows = strictObject({ rows: Type.Array(strictObject({}), { maxItems: 100_000 }) })
    const many = watched(100_000, { a: 1, b: 1 })
    assert.equal(faultsOf(rows, { rows: many.items }).length, 100)
    assert.equal(many.looked.size, 50)
    let read = 0
    const fields = new Proxy(Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`x${index}`, 1])), {
      getOwnPropertyDescriptor: (target, key) => {
        read++
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
    })
    assert.equal(faultsOf(schema, fields).length, 100)
    assert.ok(read <= 101, `${read} fields were read`)
  })

  it('M1: a union accepts what fits one branch, however many faults the others have', () => {
    const numbers = Type.Array(Type.Integer(), { maxItems: 1_000 })
    const texts = Type.Array(Type.String(), { maxItems: 1_000 })
    const schema = strictObject({ values: Type.Union([numbers, texts]) })
    assert.deepEqual(faultsOf(schema, { values: new Array(1_000).fill('a') }), [])
    assert.notDeepEqual(faultsOf(schema, { values: [...new Array(999).fill('a'), null] }), [])
  })

  it('M1: of a text that is far too long nothing but its length is asked', () => {
    const schema = strictObject({ name: Type.String({ maxLength: 5, pattern: '^(?:a|b)+$' }) })
    const faults = faultsOf(schema, { name: '\\'.repeat(4_000_000) })
    assert.deepEqual(faults, [{ field: 'name', message: 'Must have at most 5 characters.' }])
  })
})
