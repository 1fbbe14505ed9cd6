// The largest input that the schema of an endpoint accepts: longest texts, all fields, and in each list as many different
// entries as its limit and the limit of the body allow, or fewer of the greatest length. Made from the contract, so that a new
// endpoint is covered by itself.

import type { TSchema } from 'typebox'
import type { Endpoint } from '../../src/core/contract/endpoint.ts'
import { exampleOf } from '../../src/core/contract/examples.ts'
import { mostItems } from '../../src/core/validation/bounds.ts'
import { faultsOf } from '../../src/core/validation/validate.ts'
import { filler, type JsonSchema, schemaOf } from '../contract/samples.ts'

/** `many`: the longest lists, with entries that fill the body. `long`: the longest entries, as many as fit. */
export type Shape = 'many' | 'long'

const byte = (index: number, at: number): number => (index >> (8 * at)) & 255
const hex = (index: number): string => index.toString(16).padStart(8, '0')

/** Texts that differ from index to index, one for each grammar of the contract; the first that fits is taken. */
const grammars: readonly ((index: number, length: number) => string)[] = [
  (index, length) => `${index}-${filler(Math.max(0, length - 1 - String(index).length))}`,
  (index) => `11.${byte(index, 2)}.${byte(index, 1)}.${byte(index, 0)}`,
  (index) => `11.${byte(index, 2)}.${byte(index, 1)}.${byte(index, 0)}/32`,
  (index) => `host-${index}.example.org`,
  (index) => `https://host-${index}.example.org/`,
  (index) => `anna-${index}@host.example.org`,
  (index) => `02:00:${hex(index).match(/../g)?.join(':')}`,
  (index) => String(1 + index),
  (index) => `ip.id.${1 + index}`,
  (index) => `users.id.${1 + index}`,
  (index) => `group.id.${1 + index}`,
  (index) => `interface.id.${1 + index}`,
  (index) => `zone.id.${1 + index}`,
  (index) => `id.l7.p${index}`,
  (index) => `${hex(index)}-a562-4f43-ac04-c40fcec6a88c`,
]

const fits = (schema: JsonSchema, value: unknown): boolean => faultsOf(schema as unknown as TSchema, value).length === 0

/** The index-th of many different values, or undefined when the schema has no such grammar. */
function entryOf(schema: JsonSchema, bytes: number): ((index: number) => unknown) | undefined {
  if (schema.enum) return undefined
  if (schema.type === 'integer' || schema.type === 'number') return (index) => (schema.minimum ?? 0) + index
  if (schema.type !== 'string') return undefined
  const length = Math.min(schema.maxLength ?? 64, Math.max(16, bytes))
  // An id that names the kind of its object; the words for a wrong one give an example.
  const example = /such as (\S*?)\d+\.$/.exec(String(schema['x-fault'] ?? ''))?.[1]
  const own = example === undefined ? [] : [(index: number) => `${example}${1 + index}`]
  const grammar = [...grammars, ...own].find(
    (make) => fits(schema, make(0, length)) && fits(schema, make(70_000, length)),
  )
  return grammar && ((index) => grammar(index, length))
}

function largest(schema: JsonSchema, bytes: number, shape: Shape, field = ''): unknown {
  const branch = schema.anyOf?.find(({ type }) => type === 'array' || type === 'object') ?? schema.anyOf?.[0]
  if (branch) return largest(branch, bytes, shape, field)
  if (schema.enum) return schema.enum.at(-1)
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).filter(([, inner]) => !('x-synonym-of' in inner))
      const lists = fields.filter(([, inner]) => inner.type === 'array' || inner.type === 'object').length
      const share = bytes / Math.max(1, lists)
      return Object.fromEntries(fields.map(([name, inner]) => [name, largest(inner, share, shape, name)]))
    }
    case 'array':
      return largestList(schema, bytes, shape, field)
    case 'string': {
      const longest = entryOf(schema, Math.min(bytes, schema.maxLength ?? 64))?.(1)
      return longest ?? exampleOf(schema, field)
    }
    default:
      return schema.maximum ?? exampleOf(schema, field)
  }
}

function largestList(schema: JsonSchema, bytes: number, shape: Shape, field: string): unknown[] {
  const { items = {} } = schema
  const most = Math.min(mostItems(schema), 200_000)
  if (items.enum) return items.enum.slice(0, most)
  const list: unknown[] = []
  const each = shape === 'long' ? bytes : Math.max(16, bytes / Math.max(1, most) - 4)
  const entry = entryOf(items, each)
  const only = entry ? undefined : largest(items, each, shape, field)
  let used = 0
  while (list.length < most && used < bytes) {
    const value = entry ? entry(list.length) : only
    list.push(value)
    used += JSON.stringify(value).length + 1
    if (!entry && schema.uniqueItems) break
  }
  return list
}

/** Room for names, brackets and what the shares of nested lists leave out of account. */
const roomForBody = 0.95

/** Undefined when the endpoint takes no JSON body. */
export function largestBody({ body, bodyLimitBytes }: Endpoint, shape: Shape): string | undefined {
  if (!body) return undefined
  for (let part = roomForBody; part > 0.01; part /= 2) {
    const text = JSON.stringify(largest(schemaOf(body), part * bodyLimitBytes, shape))
    if (Buffer.byteLength(text) <= bodyLimitBytes) return text
  }
  throw new Error('no body is small enough')
}

/** What of the 8 KiB of headers one query may have. */
const queryBytes = 6_000

export function largestQuery({ query }: Endpoint): string {
  const properties = Object.entries(schemaOf(query).properties ?? {}).filter(([name]) => name !== 'anchor_item_id')
  const share = queryBytes / Math.max(1, properties.length)
  return properties
    .map(([name, schema]) => {
      const value = largest(schema, share / 2, 'many', name)
      return `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`
    })
    .join('&')
}
