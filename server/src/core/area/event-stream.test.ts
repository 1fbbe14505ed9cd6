import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { type EventStream, EventStreams, type StreamLimits, textOf } from './event-stream.ts'

function opened(limits: Partial<StreamLimits> = {}, owner = 'a') {
  const streams = new EventStreams(limits)
  const open = (who = owner) => {
    const client = new AbortController()
    let stream: EventStream | null = null
    const reply = streams.open({ owner: who, signal: client.signal }, (begun) => {
      stream = begun
    })
    if (!stream) throw new Error('the stream did not begin')
    return { client, stream: stream as EventStream, bytes: reply.content as Readable }
  }
  return { streams, open }
}

describe('the text of an event', () => {
  it('keeps its lines, and has its name and id', () => {
    assert.equal(textOf({ data: '{"a":1}' }), 'data: {"a":1}\n\n')
    assert.equal(textOf({ event: 'rows', id: '7', data: 'a\nb\r\nc\rd' }), textAll)
  })
  const textAll = 'event: rows\nid: 7\ndata: a\ndata: b\ndata: c\ndata: d\n\n'

  it('never has a name or an id that begins another line', () => {
    for (const text of ['a\nb', 'a\rb', 'a\0b']) {
      assert.throws(() => textOf({ event: text, data: '' }))
      assert.throws(() => textOf({ id: text, data: '' }))
    }
  })
})

describe('an event stream', () => {
  it('hands events on in order, and ends when it is asked to', async () => {
    const { open, streams } = opened()
    const { stream, bytes } = open()
    for (const data of ['1', '2', '3']) assert.equal(stream.send({ data }), true)
    stream.end()
    assert.equal(stream.send({ data: '4' }), false)
    let text = ''
    for await (const chunk of bytes) text += String(chunk)
    assert.equal(text, 'retry: 3000\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\n')
    assert.equal(streams.count, 0)
  })

  it('ends when the client has gone', () => {
    const { open, streams } = opened()
    const { client, stream } = open()
    client.abort()
    assert.equal(stream.signal.aborted, true)
    assert.equal(streams.count, 0)
  })

  it('of a client that does not read holds a bounded number of bytes and is cut', async () => {
    const { open } = opened({ waitingBytes: 10_000 })
    const { stream, bytes } = open()
    let sent = 0
    while (stream.send({ data: 'x'.repeat(1_000) })) sent++
    assert.equal(sent, 9)
    assert.equal(bytes.destroyed, true)
    await stream.room()
  })

  it('has room when the client has taken what was sent', async () => {
    const { open } = opened()
    const { stream, bytes } = open()
    stream.send({ data: 'x'.repeat(100_000) })
    let hasRoom = false
    const room = stream.room().then(() => {
      hasRoom = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(hasRoom, false)
    bytes.resume()
    await room
    stream.end()
  })

  it('shows that it is alive while it is quiet, and cuts a client that takes nothing', async () => {
    const { open } = opened({ keepAliveMilliseconds: 5 })
    const reading = open()
    let text = ''
    reading.bytes.on('data', (chunk) => {
      text += String(chunk)
    })
    const silent = open()
    silent.stream.send({ data: 'x'.repeat(100_000) })
    await until('signs of life have come', () => text.endsWith(':\n\n:\n\n'))
    await until('the silent one is cut', () => silent.stream.signal.aborted)
    assert.equal(reading.stream.signal.aborted, false)
    reading.stream.end()
  })

  it('ends after its time', async () => {
    const { open } = opened({ lifeMilliseconds: 1 })
    const { stream } = open()
    await until('it ended', () => stream.signal.aborted)
  })

  it('is refused beyond the limits of an administrator and of all, and opens again when one has ended', () => {
    const { open, streams } = opened({ perOwner: 2, total: 3 })
    const first = open('a')
    open('a')
    assert.throws(() => open('a'), { code: 'too_many_requests' })
    open('b')
    assert.throws(() => open('c'), { code: 'too_many_requests' })
    first.stream.end()
    open('c')
    assert.equal(streams.count, 3)
    streams.close()
    assert.equal(streams.count, 0)
    assert.throws(() => open('a'), { code: 'too_many_requests' })
  })
})
