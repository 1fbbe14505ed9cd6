// Replies as bytes. Values of the configuration are immutable, so what one turns into is kept until the value itself is
// gone; undeclared fields never leave, because the serialiser only knows the schema. What is long is made in slices, and
// what is very long while it is sent.

import type { Readable } from 'node:stream'
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import { inSlices } from '../workers/slices.ts'
import { entriesOf, piecesOf, streamOf } from './pieces.ts'

/** Longer than one buffer should be: the parts in order. */
export class LongReply {
  readonly parts: readonly Buffer[]
  readonly length: number

  constructor(parts: readonly Buffer[], length: number) {
    this.parts = parts
    this.length = length
  }
}

type Kept = string | Buffer | LongReply
export type Reply = Kept | Readable

const serialisers = new WeakMap<TSchema, (value: unknown) => string>()
const kept = new WeakMap<TSchema, WeakMap<object, Kept | Promise<Kept | null>>>()
const keptRuns = new WeakMap<TSchema, WeakMap<object, Run>>()

export function serialise(schema: TSchema, value: unknown): string {
  const known = serialisers.get(schema)
  if (known) return known(value)
  const made = fastJson(schema as Parameters<typeof fastJson>[0]) as (value: unknown) => string
  serialisers.set(schema, made)
  return made(value)
}

/** Node sends a short string together with the headers in one piece; a long one would be encoded again each time. */
const longestString = 4_096
/** Beyond this a reply is sent in parts. */
const longestWhole = 1024 * 1024
/** Beyond this a reply is not kept. */
const longestKept = 16 * 1024 * 1024

/** For values that are made for one answer. */
export function replyOf(schema: TSchema, value: unknown): string | Readable | Promise<string | Readable> {
  return inSlices(gather(piecesOf(schema, value, serialise)))
}

function* gather(pieces: Generator<string, void>): Generator<void, string | Readable> {
  let text = ''
  for (let step = pieces.next(); !step.done; step = pieces.next()) {
    text += step.value
    if (text.length > longestWhole) return streamOf(followedBy([text], pieces))
    yield
  }
  return text
}

function* followedBy<T>(first: readonly T[], rest: Iterable<T>): Generator<T> {
  yield* first
  yield* rest
}

/** For values that never change once made. */
export function keptReplyOf(schema: TSchema, value: object): Reply | Promise<Reply> {
  const byValue = valuesOf(kept, schema)
  const known = byValue.get(value)
  if (known instanceof Promise) return known.then((reply) => reply ?? streamOf(textsOf(schema, value)))
  if (known) return known
  const made = inSlices(gatherKept(textsOf(schema, value)))
  if (made instanceof Promise) {
    // Those who ask meanwhile wait for the same work.
    byValue.set(value, made)
    made.then(
      (reply) => (reply ? byValue.set(value, reply) : byValue.delete(value)),
      () => byValue.delete(value),
    )
    return keptReplyOf(schema, value)
  }
  if (!made) return streamOf(textsOf(schema, value))
  byValue.set(value, made)
  return made
}

const textsOf = (schema: TSchema, value: object): Generator<string | Buffer, void> =>
  isLongList(schema, value) ? runsOf(schema, value) : piecesOf(schema, value, serialise)

/** Null when it would be too long to be kept. */
function* gatherKept(texts: Iterable<string | Buffer>): Generator<void, Kept | null> {
  const parts: Buffer[] = []
  let gathered: Buffer[] = []
  let text = ''
  let length = 0
  let before = 0
  /** Few large parts: each is a turn on its way to the client. */
  const join = (): void => {
    if (text !== '') gathered.push(Buffer.from(text))
    text = ''
    if (gathered.length > 0) parts.push(Buffer.concat(gathered))
    gathered = []
    before = length
  }
  for (const next of texts) {
    if (typeof next === 'string') text += next
    else {
      if (text !== '') gathered.push(Buffer.from(text))
      gathered.push(next)
      text = ''
    }
    length += next.length
    if (length > longestKept) return null
    if (length - before > longestWhole) join()
    yield
  }
  if (parts.length === 0 && gathered.length === 0 && text.length <= longestString) return text
  join()
  const [only] = parts
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  return parts.length === 1 && only ? only : new LongReply(parts, bytes)
}

/** Neighbours in a long list and what they turn into. */
interface Run {
  readonly items: readonly object[]
  /** `{...},{...}`: the text between the brackets. */
  readonly bytes: Buffer
}

/** A run is found again by its first item. Shorter ones are not kept: a list that grows at its end would consist of tiny runs. */
const shortestRun = 128
const longestRun = 2 * shortestRun
const longestRunText = 1024 * 1024

const isLongList = (schema: TSchema, value: object): value is readonly object[] =>
  (schema as { readonly type?: string }).type === 'array' &&
  isArray(value) &&
  value.length > longestRun &&
  value.every(isObject)

/** After a change only the runs around it are serialised; the bytes of all others are used again. */
function* runsOf(schema: TSchema, list: readonly object[]): Generator<string | Buffer, void> {
  const runs = valuesOf(keptRuns, schema)
  let at = 0
  while (at < list.length) {
    yield at === 0 ? '[' : ','
    const run = runAt(runs, list, at)
    if (run) {
      yield run.bytes
      at += run.items.length
    } else {
      at = yield* makeRun(schema, runs, list, at)
    }
  }
  yield ']'
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

/** Returns where the next one begins. */
function* makeRun(
  schema: TSchema,
  runs: WeakMap<object, Run>,
  list: readonly object[],
  at: number,
): Generator<string | Buffer, number> {
  const items = list.slice(at, endOfRun(runs, list, at))
  // Each item is in one run only, so that no old one stays behind with items that have left the list.
  for (const item of items) runs.delete(item)
  let text = ''
  let isShort = true
  for (const piece of entriesOf(schema, items, serialise)) {
    text += piece
    if (text.length > longestRunText) {
      isShort = false
      yield Buffer.from(text)
      text = ''
    } else yield ''
  }
  const bytes = Buffer.from(text)
  if (isShort && items.length >= shortestRun) runs.set(items[0] as object, { items, bytes })
  yield bytes
  return at + items.length
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
