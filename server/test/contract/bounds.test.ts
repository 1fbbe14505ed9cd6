// What bounds the work that a body causes, held by every schema: lists have a most, objects are closed, and a union leaves no
// doubt about which branch a list or an object belongs to. core/validation/bounds.ts relies on it.
// Requirement 21.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nameOf } from '../../src/core/contract/endpoint.ts'
import { mostItems } from '../../src/core/validation/bounds.ts'
import { endpoints } from './contract.ts'
import { type JsonSchema, schemaOf } from './samples.ts'

interface Named {
  readonly where: string
  readonly schema: JsonSchema
}

function everySchema(where: string, schema: JsonSchema): Named[] {
  return [
    { where, schema },
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => everySchema(`${where}.${name}`, inner)),
    ...(schema.items ? everySchema(`${where}[]`, schema.items) : []),
    ...(schema.anyOf ?? []).flatMap((inner, index) => everySchema(`${where}|${index}`, inner)),
  ]
}

const bodies = endpoints.flatMap((endpoint) =>
  endpoint.body ? everySchema(nameOf(endpoint), schemaOf(endpoint.body)) : [],
)

const wrong = (isWrong: (schema: JsonSchema) => boolean): string[] =>
  bodies.filter(({ schema }) => isWrong(schema)).map(({ where }) => where)

describe('M1: every body', () => {
  it('has lists whose length is limited', () => {
    assert.deepEqual(
      wrong((schema) => schema.type === 'array' && mostItems(schema) === Number.POSITIVE_INFINITY),
      [],
    )
  })

  it('has objects whose fields are known', () => {
    assert.deepEqual(
      wrong((schema) => schema.type === 'object' && schema.additionalProperties !== false),
      [],
    )
  })

  it('has unions with one list and one object at most', () => {
    const count = ({ anyOf = [] }: JsonSchema, type: string): number =>
      anyOf.filter((branch) => branch.type === type).length
    assert.deepEqual(
      wrong((schema) => count(schema, 'array') > 1 || count(schema, 'object') > 1),
      [],
    )
  })

  it('compares entries with each other only where they are texts or numbers', () => {
    assert.deepEqual(
      wrong(
        ({ uniqueItems, items }) =>
          uniqueItems === true && ['string', 'integer'].includes(String(items?.type)) === false,
      ),
      [],
    )
  })
})
