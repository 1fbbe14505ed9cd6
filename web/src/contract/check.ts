// Checks a body against the schema of its call while the person types, in the words of the gateway. Interpreted: the policy of
// the pages forbids code made from text.

import { Validator } from '@cfworker/json-schema'
import type { Problem } from '@gateway/server/core/error'
import { type FaultValues, problemsOf, type SchemaFault } from '@gateway/server/core/faults'
import { verbatim } from '@gateway/server/shared/said'
import type { Schema } from './schema.ts'

/** Gives a text in the language of the person, with `{name}` filled in. */
type Words = (text: string, values?: FaultValues) => string

const validators = new WeakMap<Schema, Validator>()

function validatorOf(schema: Schema): Validator {
  const known = validators.get(schema)
  if (known) return known
  const made = new Validator(schema as ConstructorParameters<typeof Validator>[0], '2020-12', false)
  validators.set(schema, made)
  return made
}

/** Keywords that only say that something inside is wrong, which is said there. */
const structural = new Set(['properties', 'patternProperties', 'items', 'prefixItems', 'additionalProperties', 'allOf'])

/** Without fields that are undefined: they are not sent. */
export const asSent = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)))

export function faultsIn(schema: Schema, value: unknown): SchemaFault[] {
  const sent = asSent(value)
  const { valid, errors } = validatorOf(schema).validate(sent)
  if (valid) return []
  const faults = errors.flatMap(({ keyword, instanceLocation, keywordLocation }): SchemaFault[] => {
    if (structural.has(keyword)) return []
    const place = decodeURI(instanceLocation.slice(1))
    if (keyword === 'false') {
      const at = place.lastIndexOf('/')
      return [
        { place: place.slice(0, at), keyword: 'additionalProperties', schema, property: unquote(place.slice(at + 1)) },
      ]
    }
    const holder = valueAt(schema, keywordLocation.slice(1, keywordLocation.lastIndexOf('/'))) as Schema | undefined
    if (keyword === 'required') {
      const object = (valueAt(sent, place) ?? {}) as object
      return (holder?.required ?? [])
        .filter((name) => !Object.hasOwn(object, name))
        .map((property) => ({ place, keyword, schema: holder ?? {}, property }))
    }
    if (keyword === 'pattern' && isFarTooLong(holder, valueAt(sent, place))) return []
    return [{ place, keyword, schema: holder ?? {} }]
  })
  return faults.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** Of several faults of one value the gateway names the first in this order; what a union says of itself comes last. */
const order = [
  'type',
  'maximum',
  'minimum',
  'enum',
  'pattern',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'uniqueItems',
  'anyOf',
]
const rankOf = ({ keyword }: SchemaFault): number => order.indexOf(keyword) + (order.includes(keyword) ? 0 : 3)

/** Of a text that is far too long no more is said than that, whatever it consists of. */
const isFarTooLong = (schema: Schema | undefined, value: unknown): boolean =>
  typeof value === 'string' && schema?.maxLength !== undefined && value.length > 2 * schema.maxLength

const unquote = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

function valueAt(root: unknown, pointer: string): unknown {
  let at = root
  for (const part of decodeURI(pointer).split('/').slice(1)) {
    if (at === null || typeof at !== 'object') return undefined
    at = (at as Readonly<Record<string, unknown>>)[unquote(part)]
  }
  return at
}

/** With words of the console they are in the language of the person at once. */
export const checkBody = (schema: Schema, value: unknown, words?: Words): Problem[] =>
  problemsOf(faultsIn(schema, value), words && ((text, values) => verbatim(words(text, values))))
