// The check of the browser says what the gateway would say: both are asked about the same values for every body of the contract.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Endpoint } from '@gateway/server/contract'
import fc from 'fast-check'
import { faultsOf } from '../../../server/src/core/validation/validate.ts'
import { checkBody } from './check.ts'
import { bodyObject, emptyItem, formFields, jsonFields, type Schema } from './schema.ts'

const areas = join(import.meta.dirname, '..', '..', '..', 'server', 'src', 'areas')

async function bodies(): Promise<{ name: string; schema: Schema }[]> {
  const found: { name: string; schema: Schema }[] = []
  for (const area of readdirSync(areas, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const contract = (await import(join(areas, area.name, 'contract.ts'))) as Record<string, unknown>
    for (const value of Object.values(contract))
      for (const endpoint of endpointsIn(value)) {
        const name = `${endpoint.method} ${endpoint.path}`
        if (endpoint.body) found.push({ name, schema: endpoint.body as Schema })
      }
  }
  return found
}

const endpointsIn = (value: unknown): Endpoint[] => {
  if (value === null || typeof value !== 'object') return []
  const isEndpoint = (one: unknown): one is Endpoint =>
    one !== null && typeof one === 'object' && 'method' in one && 'path' in one
  return isEndpoint(value) ? [value] : Object.values(value).filter(isEndpoint)
}

const all = await bodies()

const texts = fc.constantFrom(
  '',
  'a',
  '***',
  '10.0.0.1',
  '10.0.0.300',
  'é'.repeat(50),
  'x\u0007y',
  '😀',
  'any',
  'ip.id.1',
)
const scalars = fc.oneof(
  texts,
  fc.string({ maxLength: 60 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('id', 'name', 'enabled', 'a/b', 'c~d'), tie('value'), { maxKeys: 3 }),
  ),
})).value

/** A body with the fields of the schema, some of them wrong, missing or unknown. */
function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueFor), scalars)
  // Which of its two faults a fixed list has first depends on the engine.
  if (schema.enum && schema.type === 'array') return fc.constantFrom(...schema.enum)
  if (schema.enum) return fc.oneof(fc.constantFrom(...schema.enum), scalars)
  if (schema.type === 'object' && schema.properties) {
    const shape = Object.fromEntries(Object.entries(schema.properties).map(([name, inner]) => [name, valueFor(inner)]))
    return fc.oneof(
      { weight: 8, arbitrary: fc.record(shape, { requiredKeys: [] }) },
      { weight: 1, arbitrary: fc.record({ ...shape, unknown_field: scalars }, { requiredKeys: ['unknown_field'] }) },
      { weight: 1, arbitrary: anything },
    )
  }
  if (schema.type === 'array' && schema.items)
    return fc.oneof(fc.array(valueFor(schema.items), { maxLength: 4 }), scalars)
  if (schema.type === 'boolean') return fc.oneof(fc.boolean(), scalars)
  if (schema.type === 'integer') return fc.oneof(fc.integer({ min: -2, max: 70_000 }), scalars)
  return fc.oneof(texts, fc.string({ maxLength: 60 }), anything)
}

/** Whether wrong entries are also said to be equal does not matter. */
const sorted = (problems: readonly { field: string; message: string }[]): string[] =>
  problems
    .filter(
      ({ field, message }) =>
        message !== 'Duplicate entry.' || !problems.some((one) => one.field.startsWith(`${field}[`)),
    )
    .map(({ field, message }) => `${field}: ${message}`)
    .sort()

test('the same bodies are refused for the same reasons as by the gateway', () => {
  for (const { name, schema } of all) {
    fc.assert(
      fc.property(valueFor(schema), (value) => {
        const sent = JSON.parse(JSON.stringify(value)) as unknown
        const theirs = sorted(faultsOf(schema as never, sent))
        const ours = sorted(checkBody(schema, sent))
        // Of a list that is too long the gateway looks at nothing else.
        if (theirs.some((text) => /at most \d+ entries/.test(text))) assert.notDeepEqual(ours, [], name)
        else assert.deepEqual(ours, theirs, name)
      }),
      { numRuns: 12 },
    )
  }
})

test('of a list that may also be an empty text, what is wrong is said of its entries alone', () => {
  const schema = all.find(({ name }) => name === 'PATCH /monitor_backend/snmp/settings')?.schema ?? {}
  for (const hosts of [[''], ['', '10.0.0.1'], [7]]) {
    const ours = checkBody(schema, { hosts })
    assert.deepEqual(sorted(ours), sorted(faultsOf(schema as never, { hosts })))
    assert.deepEqual([...new Set(ours.map(({ field }) => field.replace(/\d/, 'n')))], ['hosts[n]'])
  }
})

test('every body of the contract is a form, and these fields alone need JSON', () => {
  const needJson = all.flatMap(({ name, schema }) =>
    jsonFields(formFields(bodyObject(schema))).map((path) => `${name} ${path}`),
  )
  // Both hold the body of another call.
  assert.deepEqual(needJson.sort(), ['POST /config/changes calls.body', 'POST /firewall/explain change.body'])
})

test('a new item of every call starts with values of the right type', () => {
  for (const { name, schema } of all) {
    const fields = formFields(bodyObject(schema))
    const types = checkBody(bodyObject(schema), emptyItem(fields)).filter(({ message }) => message === 'Unknown field.')
    assert.deepEqual(types, [], name)
  }
})
