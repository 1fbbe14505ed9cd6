// Event streams over real connections: the end of a session ends them, a client that does not read holds little and is cut,
// and none keeps the gateway from closing.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import type { EventStream } from '../../src/core/area/event-stream.ts'
import { defineArea, handle } from '../../src/core/area/handle.ts'
import { endpoint, eventStreamType } from '../../src/core/contract/endpoint.ts'
import { Type } from '../../src/core/contract/schema.ts'
import { cookieOf } from '../contract/contract.ts'
import { until } from '../support/until.ts'
import { createTlsGateway, openTls, type TlsGateway } from './tls-gateway.ts'

const listen = endpoint({
  method: 'GET',
  path: '/events_of_a_test',
  access: 'signed-in',
  summary: 'Listen to a test',
  reply: Type.String(),
  alsoReplies: [eventStreamType],
})

describe('an event stream over a connection', () => {
  let target: TlsGateway
  let id: string
  const opened: EventStream[] = []
  const area = defineArea({
    name: 'events-of-a-test',
    slots: [],
    routes: [
      handle(listen, (context) => context.services.eventStreams.open(context, (stream) => void opened.push(stream))),
    ],
  })
  before(async () => {
    target = await createTlsGateway(() => {}, {
      extraAreas: [area],
      parts: { streamLimits: { lifeMilliseconds: 3_600_000 } },
    })
    id = await target.gateway.addAdministrator('listener', 'predefined_reports_view')
  })
  after(() => target.close())

  async function connect(encoding = 'identity') {
    const tokens = target.gateway.services.accounts.sessions.create(id, '127.0.0.1', '/')
    const socket: TLSSocket = await openTls(target)
    const client = { socket, handle: tokens.handle, text: '', isClosed: false }
    socket.on('error', () => {})
    socket.on('close', () => {
      client.isClosed = true
    })
    const count = opened.length
    socket.write(
      [`GET ${listen.path} HTTP/1.1`, 'Host: localhost', `Cookie: ${cookieOf(tokens)}`, `Accept-Encoding: ${encoding}`]
        .concat('', '')
        .join('\r\n'),
    )
    await until('the stream is open', () => opened.length > count)
    const stream = opened.at(-1)
    if (!stream) throw new Error('no stream')
    return { client, stream }
  }

  const reading = async (encoding?: string) => {
    const { client, stream } = await connect(encoding)
    client.socket.on('data', (chunk: Buffer) => {
      client.text += chunk.toString()
    })
    return { client, stream }
  }

  it('arrives event by event, also at a client that accepts compressed replies', async () => {
    const { client, stream } = await reading('gzip, br, zstd')
    await until('the reply has begun', () => client.text.includes('retry: '))
    assert.match(client.text, /\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/)
    assert.doesNotMatch(client.text, /content-encoding/i)
    stream.send({ event: 'news', data: 'first' })
    await until('the event has come', () => client.text.includes('event: news\ndata: first\n\n'))
    client.socket.destroy()
    await until('the stream is over', () => stream.signal.aborted)
  })

  it('ends with its session', async () => {
    const { client, stream } = await reading()
    target.gateway.services.accounts.sessions.end(client.handle)
    await until('the connection is closed', () => client.isClosed)
    await until('the stream is over', () => stream.signal.aborted)
  })

  it('does not prolong its session', async () => {
    const { client, stream } = await reading()
    for (let minute = 0; minute < 15; minute++) {
      target.gateway.clock.advance(60)
      stream.send({ data: String(minute) })
    }
    await until('the connection is closed', () => client.isClosed)
    assert.equal(target.gateway.services.accounts.sessions.find(client.handle), null)
  })

  it('is cut for a client that does not read', async () => {
    const { client, stream } = await connect()
    client.socket.pause()
    let bytes = 0
    const data = 'x'.repeat(64 * 1024)
    while (stream.send({ data }) && bytes < 1024 ** 3) {
      bytes += data.length
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(bytes < 1024 ** 3, 'it was cut')
    assert.equal(stream.signal.aborted, true)
    client.socket.destroy()
  })

  it('of a HEAD is not opened for longer than its answer', async () => {
    const tokens = target.gateway.services.accounts.sessions.create(id, '127.0.0.1', '/')
    const { statusCode, headers } = await target.gateway.http.inject({
      method: 'HEAD',
      url: listen.path,
      headers: { host: 'localhost', cookie: cookieOf(tokens) },
    })
    assert.equal(statusCode, 200)
    assert.equal(headers['content-type'], `${eventStreamType}; charset=utf-8`)
    await until('it is over', () => opened.at(-1)?.signal.aborted === true)
  })

  it('does not keep the gateway from closing', async () => {
    const { client, stream } = await reading()
    await target.gateway.http.close()
    assert.equal(stream.signal.aborted, true)
    await until('the connection is closed', () => client.isClosed)
  })
})
