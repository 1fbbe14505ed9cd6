// The carriers on real sockets of the loopback: what counts as delivered, and what a break is.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { until } from '../../../../test/support/until.ts'
import { makeCertificate } from '../../../shared/certificates/certificate-maker.ts'
import { Broken, type Carrier } from './carrier.ts'
import { readSendQueue } from './send-queue.ts'
import { openTcp, type TlsTarget } from './tcp-carrier.ts'
import { openUdp } from './udp-carrier.ts'

const host = '127.0.0.1'
const never = new AbortController().signal

interface Listening {
  readonly port: number
  readonly sockets: Socket[]
  close(): void
}

async function listen(server: Server, onSocket: (socket: Socket) => void, event = 'connection'): Promise<Listening> {
  const sockets: Socket[] = []
  server.on(event, (socket: Socket) => {
    socket.on('error', () => {})
    sockets.push(socket)
    onSocket(socket)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const close = (): void => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, sockets, close }
}

const open = (port: number, tls: TlsTarget | null = null): Promise<Carrier> => openTcp({ host, port, tls }, never)

const refused = (error: unknown): string => {
  assert.ok(error instanceof Broken, String(error))
  return error.message
}

describe('a TCP carrier', () => {
  it('has delivered when the other side has everything', async () => {
    let text = ''
    const collector = await listen(createServer(), (socket) => {
      socket.on('data', (bytes) => {
        text += bytes
      })
    })
    const carrier = await open(collector.port)
    const lines = Array.from({ length: 20_000 }, (_, at) => Buffer.from(`line ${at}\n`))
    for (let at = 0; at < lines.length; at += 2_000) await carrier.send(lines.slice(at, at + 2_000))
    await until('it was read', () => text.endsWith('line 19999\n'))
    assert.equal(text, Buffer.concat(lines).toString())
    assert.equal(carrier.hindrance, null)
    carrier.close()
    collector.close()
  })

  it('has not delivered what a collector that does not read has no room for, and says so', async () => {
    const collector = await listen(createServer({ pauseOnConnect: true }), () => {})
    const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    const target = { host, port: collector.port, tls: null }
    const carrier = await openTcp(target, never, { readQueue: readSendQueue, pause })
    let isDelivered = false
    const sending = carrier.send([Buffer.alloc(32 * 1024 * 1024, 'x')]).then(() => {
      isDelivered = true
    })
    await until(
      'it is said',
      () => carrier.hindrance === `The collector ${host}:${collector.port} does not read what it is sent.`,
    )
    assert.equal(isDelivered, false)
    for (const socket of collector.sockets) socket.resume()
    await sending
    assert.equal(carrier.hindrance, null)
    carrier.close()
    collector.close()
  })

  it('is closed by a collector that had read everything, and reset by one that had not', async () => {
    for (const isRead of [true, false]) {
      const collector = await listen(createServer({ pauseOnConnect: !isRead }), (socket) => isRead && socket.resume())
      const carrier = await open(collector.port)
      await carrier.send([Buffer.from('one\n')])
      if (isRead) await until('it was read', () => collector.sockets[0]?.bytesRead === 4)
      for (const socket of collector.sockets) socket.destroy()
      const reason = await carrier.broken
      assert.equal(reason.wasClosed, isRead, reason.message)
      await assert.rejects(carrier.send([Buffer.from('two\n')]), reason)
      collector.close()
    }
  })

  it('says that a collector refuses or that it was stopped', async () => {
    const collector = await listen(createServer(), () => {})
    collector.close()
    const message = refused(await open(collector.port).catch((error: unknown) => error))
    assert.equal(
      message,
      `The collector ${host}:${collector.port} refuses connections. Check that it runs and uses this port.`,
    )
    const stopped = openTcp({ host, port: collector.port, tls: null }, AbortSignal.abort())
    await assert.rejects(stopped, Broken)
  })

  it('is encrypted, for a certificate of a known authority and of the right name', async () => {
    const certificate = await makeCertificate(['collector.test', '127.0.0.1'], new Date())
    const other = await makeCertificate(['collector.test'], new Date())
    let text = ''
    const server = createTlsServer({ key: certificate.key, cert: certificate.chain })
    server.on('tlsClientError', () => {})
    const collector = await listen(
      server,
      (socket) =>
        socket.on('data', (bytes) => {
          text += bytes
        }),
      'secureConnection',
    )
    for (const serverName of ['collector.test', null]) {
      const carrier = await open(collector.port, { caCertificate: certificate.chain, serverName })
      await carrier.send([Buffer.from('secret\n')])
      carrier.close()
    }
    await until('both were read', () => text === 'secret\nsecret\n')
    const faultWith = async (tls: TlsTarget) =>
      refused(await open(collector.port, tls).catch((error: unknown) => error))
    assert.match(await faultWith({ caCertificate: other.chain, serverName: null }), /is not trusted/)
    assert.match(await faultWith({ caCertificate: null, serverName: null }), /is not trusted/)
    assert.match(await faultWith({ caCertificate: certificate.chain, serverName: 'other.test' }), /is for another name/)
    collector.close()
    const plain = await listen(createServer(), (socket) => socket.end('no TLS here\n'))
    const target = { host, port: plain.port, tls: { caCertificate: null, serverName: null } }
    assert.match(
      refused(await openTcp(target, never).catch((error: unknown) => error)),
      /^The connection to the collector/,
    )
    plain.close()
  })
})

describe('a UDP carrier', () => {
  it('sends one datagram for each line, in order', async () => {
    const socket = createSocket('udp4')
    socket.bind(0, host)
    await once(socket, 'listening')
    const texts: string[] = []
    socket.on('message', (bytes) => texts.push(bytes.toString()))
    const carrier = await openUdp({ host, port: socket.address().port })
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`)
    await carrier.send(lines.map((line) => Buffer.from(line)))
    await until('all came', () => texts.length === 100)
    assert.deepEqual(texts, lines)
    assert.equal(carrier.hindrance, null)
    carrier.close()
    socket.close()
  })

  it('goes on when no one listens, and says so', async () => {
    const socket = createSocket('udp4')
    socket.bind(0, host)
    await once(socket, 'listening')
    const { port } = socket.address()
    socket.close()
    const carrier = await openUdp({ host, port })
    await until('it is said', async () => {
      await carrier.send([Buffer.from('x')])
      return carrier.hindrance !== null
    })
    assert.match(carrier.hindrance ?? '', /refuses connections/)
    carrier.close()
  })
})
