// The edge of the listener: slow clients are cut off, unauthenticated clients make room, and connections that showed a session are left
// alone however many there are.
// Requirement 34.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { guardConnections } from '../../src/gatewayd/http/connections.ts'
import { listenerOptions, tlsOptions } from '../../src/shared/certificates/tls.ts'
import { until } from '../support/until.ts'
import { createTlsGateway, openTls, type TlsGateway } from './tls-gateway.ts'

/** Sends a request and waits for the whole answer. */
async function ask(socket: TLSSocket, cookie: string): Promise<string> {
  socket.write(`GET /web/whoami HTTP/1.1\r\nHost: localhost\r\n${cookie ? `Cookie: ${cookie}\r\n` : ''}\r\n`)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return chunk.toString('latin1')
}

const closing = (socket: TLSSocket): Promise<unknown> => {
  socket.on('error', () => {})
  socket.resume()
  // An error of the connection, which `once` would throw, is one of the ways to be cut off.
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve))
}

describe('the limits of a connection', () => {
  it('are those of the requirements', () => {
    assert.deepEqual(listenerOptions, {
      maxHeaderSize: 8 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 5_000,
      requireHostHeader: true,
      insecureHTTPParser: false,
    })
    const { handshakeTimeout, minVersion, maxVersion } = tlsOptions({ key: '', chain: '' })
    assert.deepEqual([handshakeTimeout, minVersion, maxVersion], [10_000, 'TLSv1.2', 'TLSv1.3'])
  })
})

describe('a slow client', () => {
  let target: TlsGateway
  before(async () => {
    target = await createTlsGateway((server) => {
      // The real figures are ten and thirty seconds; the mechanism is the same.
      server.headersTimeout = 300
      server.requestTimeout = 600
      server.keepAliveTimeout = 100
    })
  })
  after(() => target.close())

  const starts: [title: string, bytes: string][] = [
    ['says nothing', ''],
    ['sends half of a request line', 'GET /web'],
    ['sends headers without end', 'GET /web/whoami HTTP/1.1\r\nHost: localhost\r\nX: '],
    ['sends half of a body', 'POST /web/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"login"'],
    [
      'sends chunks without end',
      'POST /web/auth/login HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"log\r\n',
    ],
  ]
  for (const [title, bytes] of starts) {
    it(`that ${title} is cut off`, async () => {
      const socket = await openTls(target)
      if (bytes !== '') socket.write(bytes)
      await closing(socket)
    })
  }

  it('that drips byte after byte is cut off all the same', async () => {
    const socket = await openTls(target)
    const ended = closing(socket)
    socket.write('GET /web/whoami HTTP/1.1\r\nHost: localhost\r\nX: ')
    const drip = setInterval(() => socket.writable && socket.write('a'), 20)
    try {
      await ended
    } finally {
      clearInterval(drip)
    }
  })

  it('that is idle after an answer is let go', async () => {
    const socket = await openTls(target)
    assert.match(await ask(socket, ''), /^HTTP\/1\.1 401/)
    await closing(socket)
  })
})

describe('a client that never finishes its handshake', () => {
  let target: TlsGateway
  let server: Server
  before(async () => {
    target = await createTlsGateway()
    // The real figure is ten seconds; the mechanism is the same.
    server = guardConnections(createServer({ ...tlsOptions(target.certificate), handshakeTimeout: 100 }))
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  after(async () => {
    server.close()
    await target.close()
  })

  const starts: [title: string, bytes: Buffer][] = [
    ['says nothing', Buffer.alloc(0)],
    ['sends only the head of a record', Buffer.from([22, 3, 1, 2, 0])],
    ['does not speak TLS', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ]
  for (const [title, bytes] of starts) {
    it(`and ${title} is cut off`, async () => {
      const { port } = server.address() as AddressInfo
      const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
      socket.on('error', () => {})
      const ended = once(socket.resume(), 'close')
      socket.write(bytes)
      await once(server, 'connection')
      await until('the gateway holds no connection', async () => (await connectionsOf(server)) === 0)
      socket.end()
      await ended
    })
  }
})

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })

describe('many connections of one address', () => {
  it('keep those that showed a session and let unauthenticated clients make room', async (t) => {
    const target = await createTlsGateway()
    const { cookie } = await target.gateway.client('predefined_admin_write')
    const members = await Promise.all(Array.from({ length: 70 }, () => openTls(target)))
    // A session shown once is enough; after that they are idle members, not unauthenticated clients.
    for (const socket of members) {
      socket.on('error', () => {})
      socket.setKeepAlive(true)
    }
    await Promise.all(members.map((socket) => ask(socket, cookie)))
    const strangers = await Promise.all(Array.from({ length: 63 }, () => openTls(target)))
    const gone = strangers.map((socket) => closing(socket))
    let left = strangers.length
    for (const end of gone) void end.then(() => left--)
    // Unauthenticated clients that have been silent for two seconds make room for anyone who comes next.
    const now = performance.now.bind(performance)
    t.mock.method(performance, 'now', () => now() + 2_100)
    const late = await Promise.all(Array.from({ length: 3 }, () => openTls(target)))
    for (const socket of late) socket.on('error', () => {})
    await Promise.all(gone)
    assert.equal(left, 0)
    const answers = await Promise.all(members.map((socket) => ask(socket, cookie)))
    assert.equal(answers.filter((answer) => answer.startsWith('HTTP/1.1 200')).length, members.length)
    for (const socket of [...members, ...late]) socket.destroy()
    await target.close()
  })
})
