// A reply as a sequence of short texts, each the work of about a millisecond: what is small is written by the serialiser of
// its schema at once, what is large is taken apart where the schema allows it.

import { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import { createSlices } from '../workers/slices.ts'

export type Serialise = (schema: TSchema, value: unknown) => string

interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
  readonly additionalProperties?: unknown
}

/** Values and stretches of text in one piece. */
const pieceWeight = 2_000
const textWeight = 64

/** What a value weighs; no more than a little above `most` is counted. */
function weightOf(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + value.length / textWeight
  if (typeof value !== 'object' || value === null) return 1
  let weight = 1
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight <= most; index++) weight += weightOf(value[index], most - weight)
    return weight
  }
  for (const name in value) {
    if (weight > most) return weight
    weight += weightOf((value as Readonly<Record<string, unknown>>)[name], most - weight)
  }
  return weight
}

/** Joined, they are what `serialise(schema, value)` gives. */
export function* piecesOf(schema: TSchema, value: unknown, serialise: Serialise): Generator<string, void> {
  const shape = branchFor(schema as Shape, value)
  if (!shape || weightOf(value, pieceWeight) <= pieceWeight) yield serialise(schema, value)
  else if (Array.isArray(value)) yield* listPieces(shape as TSchema, value, serialise)
  else yield* objectPieces(shape.properties ?? {}, value as Readonly<Record<string, unknown>>, serialise)
}

/** Null when the value cannot be taken apart by its schema. */
function branchFor(schema: Shape, value: unknown): Shape | null {
  if (typeof value !== 'object' || value === null) return null
  const type = Array.isArray(value) ? 'array' : 'object'
  const fitting = ((schema.anyOf ?? [schema]) as readonly Shape[]).filter((branch) => branch.type === type)
  const [only] = fitting
  if (!only || fitting.length > 1) return null
  const isOpen = type === 'object' && only.additionalProperties !== false
  return isOpen || (type === 'array' && !only.items) ? null : only
}

function* listPieces(schema: TSchema, list: readonly unknown[], serialise: Serialise): Generator<string, void> {
  yield '['
  yield* entriesOf(schema, list, serialise)
  yield ']'
}

/** What is between the brackets. */
export function* entriesOf(schema: TSchema, list: readonly unknown[], serialise: Serialise): Generator<string, void> {
  const { items = {} } = schema as Shape
  let begin = 0
  let weight = 0
  for (let index = 0; index < list.length; index++) {
    const own = weightOf(list[index], pieceWeight)
    if (begin < index && weight + own > pieceWeight) {
      yield `${begin > 0 ? ',' : ''}${serialise(schema, list.slice(begin, index)).slice(1, -1)}`
      begin = index
      weight = 0
    }
    weight += own
    if (own > pieceWeight) {
      if (index > 0) yield ','
      yield* piecesOf(items as TSchema, list[index], serialise)
      begin = index + 1
      weight = 0
    }
  }
  if (begin < list.length) yield `${begin > 0 ? ',' : ''}${serialise(schema, list.slice(begin)).slice(1, -1)}`
}

function* objectPieces(
  properties: Readonly<Record<string, TSchema>>,
  value: Readonly<Record<string, unknown>>,
  serialise: Serialise,
): Generator<string, void> {
  let before = '{'
  for (const [name, schema] of Object.entries(properties)) {
    if (value[name] === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* piecesOf(schema, value[name], serialise)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** How much is sent at once. */
const chunkLength = 64 * 1024

/** Made while it is sent: no faster than the client takes it, and others get their turn in between. */
export const streamOf = (texts: Iterable<string | Buffer>): Readable => Readable.from(chunksOf(texts))

async function* chunksOf(texts: Iterable<string | Buffer>): AsyncGenerator<Buffer> {
  const slices = createSlices()
  let text = ''
  for (const next of texts) {
    if (typeof next === 'string') {
      text += next
      if (text.length >= chunkLength) {
        yield Buffer.from(text)
        text = ''
      }
    } else {
      if (text !== '') yield Buffer.from(text)
      text = ''
      yield next
    }
    await slices()
  }
  if (text !== '') yield Buffer.from(text)
}
