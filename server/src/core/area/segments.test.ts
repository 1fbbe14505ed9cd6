// Segments joined are one gzip stream, whichever they are; a reply that is still being made can be read by many.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { gzipOf, joinedBytes, LongReply, type Making, Segment } from './segments.ts'

const joined = async (parts: AsyncIterable<Buffer>): Promise<Buffer> => Buffer.concat(await Array.fromAsync(parts))
const readAll = async (reply: LongReply): Promise<string> =>
  (await Array.fromAsync(reply.read())).map(({ bytes }) => bytes.toString()).join('')

describe('segments', () => {
  it('are one gzip stream in any order, with the right checksum and length', async () => {
    const segments = [0, 1, 2, 3, 255, 256, 65_535, 65_536, 300_000].map(
      (length, index) => new Segment(Buffer.alloc(length, `text of ${index} `)),
    )
    for (const order of [segments, segments.toReversed(), [...segments, ...segments], segments.slice(3, 4), []]) {
      const expected = Buffer.concat(order.map(({ bytes }) => bytes))
      assert.ok(gunzipSync(await joined(gzipOf(order))).equals(expected))
    }
  })

  it('are compressed once, no matter who asks', async () => {
    const segment = new Segment(Buffer.alloc(50_000, 'x'))
    const both = await Promise.all([segment.deflated, segment.deflated])
    assert.equal(both[0], both[1])
    assert.equal(segment.deflated, both[0])
    assert.equal(segment.deflateNow(), both[0])
  })
})

describe('a long reply', () => {
  const textOf = (index: number): string => `${index}:${'x'.repeat(100_000)};`

  /** Takes longer than a slice, so that it goes on while others have their turn. */
  function* slowly(count: number, made: { steps: number }): Making {
    for (let index = 0; index < count; index++) {
      const end = performance.now() + 6
      while (performance.now() < end);
      made.steps++
      yield new Segment(Buffer.from(textOf(index)))
    }
  }
  const whole = (count: number): string => Array.from({ length: count }, (_, index) => textOf(index)).join('')

  it('is made once for all who read it in the meantime', async () => {
    const made = { steps: 0 }
    const reply = new LongReply(() => slowly(20, made))
    assert.ok(made.steps < 20)
    const texts = await Promise.all([readAll(reply), readAll(reply), joined(gzipOf(reply.read()))])
    assert.equal(texts[0], whole(20))
    assert.equal(texts[1], whole(20))
    assert.equal(gunzipSync(texts[2]).toString(), whole(20))
    assert.equal(made.steps, 20)
    assert.equal(reply.whole?.length, Buffer.byteLength(whole(20)))
    assert.equal(reply.next, reply)
  })

  it('can be sent before it is whole, but not before a megabyte is there', async () => {
    const made = { steps: 0 }
    const reply = new LongReply(() => slowly(30, made))
    assert.equal(await reply.ready, reply)
    assert.ok(made.steps > 10 && made.steps < 30, `${made.steps}`)
    assert.equal(await readAll(reply), whole(30))
  })

  it('of more than 16 MiB is not kept, and made for each reader as it reads', async () => {
    const made = { steps: 0 }
    function* long(): Making {
      for (let index = 0; index < 200; index++) {
        made.steps++
        yield new Segment(Buffer.from(textOf(index)))
      }
    }
    const reply = new LongReply(long)
    const [text, again] = await Promise.all([readAll(reply), readAll(reply)])
    assert.ok(text === whole(200) && again === text)
    const { next } = reply
    assert.ok(next && next !== reply && next.next === next)
    made.steps = 0
    for await (const { bytes } of next.read()) {
      assert.equal(bytes.toString(), textOf(0))
      break
    }
    assert.equal(made.steps, 1)
  })

  it('that fails ends each reader with the error, and is made again for the next', async () => {
    function* failing(): Making {
      yield* slowly(3, { steps: 0 })
      throw new Error('a value does not fit its schema')
    }
    const reply = new LongReply(failing)
    await assert.rejects(readAll(reply), /does not fit/)
    assert.equal(reply.next, null)
    assert.throws(
      () =>
        new LongReply(function* () {
          yield null
          throw new Error('at once')
        }),
      /at once/,
    )
  })
})

describe('replies in one piece', () => {
  it('are kept up to a number of bytes, those that were asked for last', async () => {
    const replies = Array.from({ length: 40 }, (_, index) => {
      const segments = [new Segment(Buffer.alloc(60_000, `${index}`)), new Segment(Buffer.alloc(60_000, 'x'))]
      return new LongReply(function* () {
        yield* segments
      })
    })
    for (const { ready } of replies) await ready
    const wholeOf = (reply: LongReply | undefined): Buffer | undefined => reply?.whole?.buffers[0]
    const first = wholeOf(replies[0])
    for (const reply of replies) {
      assert.equal(wholeOf(reply)?.length, 120_000)
      assert.equal(wholeOf(replies[0]), first, 'one that is asked for again and again stays')
      assert.ok(joinedBytes.length <= 2 * 1024 * 1024)
    }
    const second = wholeOf(replies[1])
    assert.ok(second?.equals(Buffer.concat([Buffer.alloc(60_000, '1'), Buffer.alloc(60_000, 'x')])))
  })
})
