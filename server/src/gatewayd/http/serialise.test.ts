// Kept replies have the bytes that the serialiser gives for the whole value, whatever was kept before.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { TSchema } from 'typebox'
import { gzipOf, LongReply } from '../../core/area/segments.ts'
import { nullable, oneOf, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { keptReplyOf, type Reply, replyOf, serialise } from './serialise.ts'

const Part = strictObject({ name: Type.String(), note: Type.Optional(nullable(Type.String())) })
const Either = Type.Union([
  strictObject({ kind: oneOf(['a']), size: Type.Integer() }),
  strictObject({ kind: oneOf(['b']), parts: Type.Array(Part) }),
])
const Whole = strictObject({
  id: Type.Integer(),
  text: Type.String(),
  on: Type.Boolean(),
  ratio: nullable(Type.Number()),
  names: Type.Array(Type.String()),
  parts: Type.Array(Part),
  either: Type.Optional(Either),
})

/** A small generator, so that a failure comes back with its seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const texts = [
  '',
  'plain',
  '"quoted"',
  'back\\slash',
  'line\nbreak',
  '\u0000',
  'ünï',
  'кот',
  '😀',
  '</script>',
  '\ud800',
]

function randomItem(random: (below: number) => number): Record<string, unknown> {
  const text = (): string => texts[random(texts.length)] ?? ''
  const many = <T>(make: () => T): T[] => Array.from({ length: random(4) }, make)
  const part = () => ({ name: text(), ...(random(2) ? { note: random(2) ? text() : null } : {}) })
  return {
    id: random(1_000_000),
    text: text(),
    on: random(2) === 1,
    ratio: random(3) === 0 ? null : random(1_000) / 7,
    names: many(text),
    parts: many(part),
    ...(random(2) ? { either: random(2) ? { kind: 'a', size: random(9) } : { kind: 'b', parts: many(part) } } : {}),
    ...(random(4) === 0 ? { undeclared: 'never leaves' } : {}),
  }
}

async function bytesOf(made: Reply | Promise<Reply>): Promise<Buffer> {
  const reply = await made
  if (typeof reply === 'string') return Buffer.from(reply)
  if (!(reply instanceof LongReply)) return Buffer.concat(await reply.toArray())
  const bytes = Buffer.concat((await Array.fromAsync(reply.read())).map((segment) => segment.bytes))
  if (reply.whole) assert.equal(reply.whole.length, bytes.length)
  return bytes
}

/** What a client decompresses, made while it is sent and from what is kept. */
async function assertGzip(reply: Reply, expected: Buffer, title: string): Promise<void> {
  if (!(reply instanceof LongReply)) return
  const streamed = Buffer.concat(await Array.fromAsync(gzipOf(reply.read())))
  assert.ok(gunzipSync(streamed).equals(expected), `${title}, compressed`)
  const kept = reply.wholeGzip
  assert.ok(kept)
  assert.ok(gunzipSync(Buffer.concat(kept.buffers, kept.length)).equals(expected), `${title}, kept compressed`)
}

async function assertSame(schema: TSchema, value: object, title: string): Promise<void> {
  const expected = Buffer.from(serialise(schema, value))
  assert.ok((await bytesOf(keptReplyOf(schema, value))).equals(expected), title)
  assert.ok((await bytesOf(keptReplyOf(schema, value))).equals(expected), `${title}, the second time`)
  assert.ok((await bytesOf(replyOf(schema, value))).equals(expected), `${title}, not kept`)
  await assertGzip(keptReplyOf(schema, value), expected, title)
}

describe('a kept list', () => {
  it('has the bytes of the whole, through random changes', async () => {
    const List = Type.Array(Whole)
    for (let seed = 1; seed <= 12; seed++) {
      const random = randomFrom(seed)
      let list = Array.from({ length: random(1_500) }, () => randomItem(random))
      for (let step = 0; step < 25; step++) {
        await assertSame(List, list, `seed ${seed}, step ${step}`)
        const at = random(list.length + 1)
        const put = Array.from({ length: random(3) }, () => randomItem(random))
        const moved = list.toSpliced(at, random(10) === 0 ? 300 : random(3), ...put)
        list = random(8) === 0 ? moved.toReversed() : moved
      }
    }
  })

  it('has them also where items are of several shapes, no objects, missing, or there twice', async () => {
    const part = { name: 'x', note: null }
    const long = (...items: unknown[]): unknown[] => Array.from({ length: 300 }, () => items).flat()
    const [a, b] = [
      { kind: 'b', parts: [part] },
      { kind: 'a', size: 1 },
    ]
    for (const repeat of [(...items: unknown[]) => items, long]) {
      await assertSame(Type.Array(Either), repeat(a, b), 'several shapes')
      await assertSame(Type.Array(Type.String()), repeat('a', 'b'), 'texts')
      await assertSame(Type.Array(nullable(Part)), repeat(part, null), 'nothing among objects')
      await assertSame(nullable(Type.Array(Part)), repeat(part), 'a list or nothing')
    }
    await assertSame(Type.Array(Part), [], 'an empty list')
    await assertSame(Part, part, 'no list')
  })

  it('shows one item in two lists by the schema of each', async () => {
    const items = Array.from({ length: 300 }, () => ({ name: 'x', note: 'hidden' }))
    const Short = strictObject({ name: Type.String() })
    assert.match(String(await bytesOf(keptReplyOf(Type.Array(Part), items))), /hidden/)
    assert.doesNotMatch(String(await bytesOf(keptReplyOf(Type.Array(Short), items))), /hidden/)
  })

  describe('of 5,000 items', () => {
    let reads = 0
    const item = (name: string) => ({
      get name() {
        reads++
        return name
      },
    })
    const List = Type.Array(strictObject({ name: Type.String() }))
    const long = Array.from({ length: 5_000 }, (_, index) => item(`name-${index}`))
    /** Items that were read for the reply; the serialiser may read one more than once. */
    const readFor = async (list: readonly object[]): Promise<number> => {
      reads = 0
      await bytesOf(keptReplyOf(List, list))
      return reads
    }
    let perItem = 0
    before(async () => {
      perItem = (await readFor(long)) / long.length
    })

    it('serialises only the neighbours of a change', async () => {
      for (const at of [0, 1, 127, 128, 129, 2_500, 4_990, 4_999]) {
        for (const changed of [
          long.with(at, item('changed')),
          long.toSpliced(at, 1),
          long.toSpliced(at, 0, item('new')),
        ]) {
          await readFor(long)
          const count = (await readFor(changed)) / perItem
          assert.ok(count > 0 && count <= 200, `${count} items at ${at}`)
        }
      }
    })

    it('does so however many changes came before', async () => {
      let list = long
      await readFor(list)
      for (let step = 0; step < 1_000; step++) {
        list = step % 2 ? [...list, item(`end-${step}`)] : list.toSpliced((step * 37) % 4_000, 1, item(`put-${step}`))
        const count = (await readFor(list)) / perItem
        assert.ok(count <= 300, `${count} items in step ${step}`)
      }
    })
  })
})
