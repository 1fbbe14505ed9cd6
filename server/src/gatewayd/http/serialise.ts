// Replies as bytes. Values of the configuration are immutable, so what one turns into is kept until the value itself is
// gone; undeclared fields never leave, because the serialiser only knows the schema. What is long is made in slices, and
// what is very long while it is sent; segments.ts keeps its bytes, replies.ts sends them.

import type { Readable } from 'node:stream'
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import { entriesOf, piecesOf, streamOf } from '../../core/area/pieces.ts'
import { LongReply, longestWhole, type Making, Segment } from '../../core/area/segments.ts'
import { inSlices } from '../../core/workers/slices.ts'

type Kept = string | LongReply
export type Reply = Kept | Readable

const serialisers = new WeakMap<TSchema, (value: unknown) => string>()
const kept = new WeakMap<TSchema, WeakMap<object, Kept>>()
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
/** How long the segments of a kept reply are that is not a list. */
const segmentLength = 64 * 1024

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
export function keptReplyOf(schema: TSchema, value: object): Kept {
  const byValue = valuesOf(kept, schema)
  const known = byValue.get(value)
  const next = known instanceof LongReply ? known.next : known
  if (next !== undefined && next !== null && next === known) return next
  const made = next ?? makeKept(schema, value)
  byValue.set(value, made)
  return made
}

function makeKept(schema: TSchema, value: object): Kept {
  if (isLongList(schema, value)) return new LongReply(() => runsOf(schema, value))
  const pieces = piecesOf(schema, value, serialise)
  const [first, second] = [pieces.next(), pieces.next()]
  if (!first.done && second.done && first.value.length <= longestString) return first.value
  let begun: Iterable<string> | null = followedBy(
    [first, second].flatMap((step) => (step.done ? [] : [step.value])),
    pieces,
  )
  return new LongReply(() => {
    const texts = begun ?? piecesOf(schema, value, serialise)
    begun = null
    return textSegments(texts)
  })
}

function* textSegments(texts: Iterable<string>): Making {
  let text = ''
  for (const next of texts) {
    text += next
    if (text.length >= segmentLength) {
      yield new Segment(Buffer.from(text))
      text = ''
    } else yield null
  }
  if (text !== '') yield new Segment(Buffer.from(text))
}

/** Neighbours in a long list and what they turn into. */
interface Run {
  readonly items: readonly object[]
  /** The text of the items with what comes before it: `[{...},{...}` at the beginning of a list, `,{...},{...}` elsewhere. */
  readonly segment: Segment
  readonly isFirst: boolean
}

const endOfList = new Segment(Buffer.from(']'))

/** A run is found again by its first item. Shorter ones are not kept: a list that grows at its end would consist of tiny runs. */
const shortestRun = 32
const longestRun = 2 * shortestRun
/** Shorter lists are serialised as a whole. */
const shortestList = 256
const longestRunText = 1024 * 1024

const isLongList = (schema: TSchema, value: object): value is readonly object[] =>
  (schema as { readonly type?: string }).type === 'array' &&
  isArray(value) &&
  value.length > shortestList &&
  areObjects(value)

/** After a change only the runs around it are serialised and compressed; the segments of all others are used again. */
function* runsOf(schema: TSchema, list: readonly object[]): Making {
  const runs = valuesOf(keptRuns, schema)
  let at = 0
  while (at < list.length) {
    const run = runAt(runs, list, at)
    if (run) {
      yield run.segment
      at += run.items.length
    } else {
      at = yield* makeRun(schema, runs, list, at)
    }
  }
  yield endOfList
}

function runAt(runs: WeakMap<object, Run>, list: readonly object[], at: number): Run | null {
  const run = runs.get(list[at] as object)
  if (!run || run.isFirst !== (at === 0)) return null
  const { items } = run
  // Plain loops: they pass over all items of the list in the first reply after every change.
  for (let index = 1; index < items.length; index++) if (items[index] !== list[at + index]) return null
  return run
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
): Generator<Segment | null, number> {
  const items = list.slice(at, endOfRun(runs, list, at))
  // Each item is in one run only, so that no old one stays behind with items that have left the list.
  for (const item of items) runs.delete(item)
  const isFirst = at === 0
  let text = isFirst ? '[' : ','
  let isShort = true
  for (const piece of entriesOf(schema, items, serialise)) {
    text += piece
    if (text.length > longestRunText) {
      isShort = false
      yield new Segment(Buffer.from(text))
      text = ''
    } else yield null
  }
  const segment = new Segment(Buffer.from(text))
  if (isShort && items.length >= shortestRun) runs.set(items[0] as object, { items, segment, isFirst })
  if (text !== '') yield segment
  return at + items.length
}

function valuesOf<T>(bySchema: WeakMap<TSchema, WeakMap<object, T>>, schema: TSchema): WeakMap<object, T> {
  const known = bySchema.get(schema)
  if (known) return known
  const made = new WeakMap<object, T>()
  bySchema.set(schema, made)
  return made
}

function areObjects(values: readonly unknown[]): values is readonly object[] {
  for (let index = 0; index < values.length; index++) if (!isObject(values[index])) return false
  return true
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
