// Replies as bytes. Values of the configuration are immutable, so what one turns into is kept until the value itself is
// gone; undeclared fields never leave, because the serialiser only knows the schema.

import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'

type Serialise = (value: unknown) => string

const serialisers = new WeakMap<TSchema, Serialise>()
const kept = new WeakMap<TSchema, WeakMap<object, string | Buffer>>()
const keptRuns = new WeakMap<TSchema, WeakMap<object, Run>>()

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

/** Node sends a short string together with the headers in one piece; a long one would be encoded again each time. */
const longestString = 4_096

/** For values that never change once made. */
export function serialiseKept(schema: TSchema, value: object): string | Buffer {
  const byValue = valuesOf(kept, schema)
  const known = byValue.get(value)
  if (known) return known
  const reply = isLongList(schema, value) ? listBytes(schema, value) : sendable(serialise(schema, value))
  byValue.set(value, reply)
  return reply
}

const sendable = (text: string): string | Buffer => (text.length > longestString ? Buffer.from(text) : text)

/** Neighbours in a long list and what they turn into. */
interface Run {
  readonly items: readonly object[]
  /** `,{...},{...}`: the text between the brackets, after a comma. */
  readonly bytes: Buffer
}

/** A run is found again by its first item. Shorter ones are not kept: a list that grows at its end would consist of tiny runs. */
const shortestRun = 128
const longestRun = 2 * shortestRun

const isLongList = (schema: TSchema, value: object): value is readonly object[] =>
  (schema as { readonly type?: string }).type === 'array' &&
  isArray(value) &&
  value.length > longestRun &&
  value.every(isObject)

/** After a change only the runs around it are serialised; the bytes of all others are copied. */
function listBytes(schema: TSchema, list: readonly object[]): Buffer {
  const runs = valuesOf(keptRuns, schema)
  const parts: Buffer[] = []
  let at = 0
  while (at < list.length) {
    const run = runAt(runs, list, at) ?? makeRun(schema, runs, list, at)
    parts.push(run.bytes)
    at += run.items.length
  }
  const whole = Buffer.concat([...parts, Buffer.from(']')])
  whole.write('[')
  return whole
}

function runAt(runs: WeakMap<object, Run>, list: readonly object[], at: number): Run | null {
  const run = runs.get(list[at] as object)
  return run?.items.every((item, index) => item === list[at + index]) ? run : null
}

/** Where a known run goes on, or else as early as may be, from where the next known one is within reach. */
function endOfRun(runs: WeakMap<object, Run>, list: readonly object[], at: number): number {
  const last = Math.min(at + longestRun, list.length - 1)
  for (let end = at + shortestRun; end <= last; end++) if (runAt(runs, list, end)) return end
  return Math.min(at + shortestRun, list.length)
}

function makeRun(schema: TSchema, runs: WeakMap<object, Run>, list: readonly object[], at: number): Run {
  const items = list.slice(at, endOfRun(runs, list, at))
  const run = { items, bytes: Buffer.from(`,${serialise(schema, items).slice(1, -1)}`) }
  // Each item is in one run only, so that no old one stays behind with items that have left the list.
  for (const item of items) runs.delete(item)
  if (items.length >= shortestRun) runs.set(list[at] as object, run)
  return run
}

function valuesOf<T>(bySchema: WeakMap<TSchema, WeakMap<object, T>>, schema: TSchema): WeakMap<object, T> {
  const known = bySchema.get(schema)
  if (known) return known
  const made = new WeakMap<object, T>()
  bySchema.set(schema, made)
  return made
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
