// Requirements 17 and 18.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get as httpGet, type IncomingMessage, type Server } from 'node:http'
import { get as httpsGet } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { after, afterEach, before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeCertificate } from '../../shared/certificates/certificate-maker.ts'
import { type Conversation, createSocketListener, type SocketLimits, type Sockets, serveSockets } from './websocket.ts'

/** Says back what it hears; `end` ends it, `fail` is a fault of ours. */
const echo: Conversation = (message) => {
  const { say } = message as { readonly say?: unknown }
  if (say === 'fail') throw new Error('broken')
  return { reply: say === 'nothing' ? null : { heard: say }, isOver: say === 'end' }
}

const faults: unknown[] = []
const cleanUps: (() => void)[] = []

async function listen(limits: Partial<SocketLimits> = {}): Promise<{ server: Server; sockets: Sockets; port: number }> {
  const server = createServer((_request, response) => response.end('ordinary'))
  const sockets = serveSockets(server, {
    path: '/connect',
    converse: () => echo,
    onFault: (error) => faults.push(error),
    limits,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUps.push(() => {
    sockets.close()
    server.closeAllConnections()
    server.close()
  })
  return { server, sockets, port: (server.address() as AddressInfo).port }
}

async function open(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  return socket
}

async function heard(socket: WebSocket): Promise<unknown> {
  const [event] = (await once(socket, 'message')) as [MessageEvent]
  return JSON.parse(String(event.data))
}

async function closed(socket: WebSocket): Promise<number> {
  const [event] = (await once(socket, 'close')) as [CloseEvent]
  return event.code
}

interface Frame {
  readonly opcode: number
  readonly payload?: string | Buffer
  readonly isFinal?: boolean
  readonly isMasked?: boolean
  readonly reserved?: number
}

/** A frame of a client, as broken as the test wants it. */
function frame({ opcode, payload = '', isFinal = true, isMasked = true, reserved = 0 }: Frame): Buffer {
  const bytes = Buffer.from(payload as string)
  const mask = Buffer.from([1, 2, 3, 4])
  const short = bytes.length < 126 ? bytes.length : bytes.length < 65_536 ? 126 : 127
  const length = Buffer.alloc(short === 126 ? 2 : short === 127 ? 8 : 0)
  if (short === 126) length.writeUInt16BE(bytes.length)
  if (short === 127) length.writeBigUInt64BE(BigInt(bytes.length))
  const head = Buffer.from([(isFinal ? 0x80 : 0) | (reserved << 4) | opcode, (isMasked ? 0x80 : 0) | short])
  if (!isMasked) return Buffer.concat([head, length, bytes])
  return Buffer.concat([head, length, mask, bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0))])
}

const handshake = (headers: Readonly<Record<string, string>> = {}): string => {
  const all = {
    Host: 'gateway.test',
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return ['GET /connect HTTP/1.1', ...lines, '', ''].join('\r\n')
}

/** Everything the server sends until it closes. */
async function raw(port: number, ...parts: readonly (string | Buffer)[]): Promise<Buffer> {
  const socket: Socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  for (const part of parts) socket.write(part)
  await once(socket, 'close')
  return Buffer.concat(chunks)
}

/** The code of the close frame at the end. */
async function codeFor(port: number, ...frames: readonly Buffer[]): Promise<number> {
  return codeIn(await raw(port, handshake(), ...frames))
}

function codeIn(answer: Buffer): number {
  const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4)
  const at = body.lastIndexOf(0x88)
  return body.readUInt16BE(at + 2)
}

/** The same without a network in between: every piece arrives by itself. */
async function inPieces(server: Server, pieces: readonly (string | Buffer)[]): Promise<Buffer> {
  const [client, side] = duplexPair()
  const chunks: Buffer[] = []
  client.on('data', (chunk: Buffer) => chunks.push(chunk))
  client.on('end', () => client.end())
  server.emit('connection', side)
  for (const piece of pieces) {
    if (client.writableEnded) break
    await new Promise<void>((resolve) => client.write(piece, () => resolve()))
  }
  client.end()
  if (!client.closed) await once(client, 'close')
  return Buffer.concat(chunks)
}

/** Numbers from 0 to `below` that repeat from run to run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state >> 8) % below
  }
}

const message = (say: unknown): string => JSON.stringify({ say })

describe('a WebSocket', () => {
  afterEach(() => {
    for (const cleanUp of cleanUps.splice(0)) cleanUp()
  })

  it('carries JSON both ways', async () => {
    const { port, sockets } = await listen()
    const socket = await open(`ws://127.0.0.1:${port}/connect`)
    for (const say of ['hello', 'ж😀', { deep: [1] }, 'x'.repeat(200), 'y'.repeat(65_000)]) {
      socket.send(message(say))
      assert.deepEqual(await heard(socket), { heard: say })
    }
    assert.equal(sockets.count, 1)
    socket.close(1000)
    assert.equal(await closed(socket), 1000)
  })

  it('answers once or not at all, as the conversation says, and ends with 1008', async () => {
    const { port } = await listen()
    const socket = await open(`ws://127.0.0.1:${port}/connect`)
    socket.send(message('nothing'))
    socket.send(message('end'))
    const answers: unknown[] = []
    socket.addEventListener('message', ({ data }) => answers.push(JSON.parse(String(data))))
    assert.equal(await closed(socket), 1008)
    assert.deepEqual(answers, [{ heard: 'end' }])
  })

  it('accepts the handshake of the standard', async () => {
    const { port } = await listen()
    const answer = await raw(port, handshake(), frame({ opcode: 8 }))
    assert.match(
      answer.toString('latin1'),
      /^HTTP\/1\.1 101 .*\r\n(?:.*\r\n)*Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/,
    )
  })

  it('closes with 1011 when the fault is ours, and goes on serving others', async () => {
    const { port } = await listen()
    const socket = await open(`ws://127.0.0.1:${port}/connect`)
    socket.send(message('fail'))
    assert.equal(await closed(socket), 1011)
    assert.equal((faults.splice(0)[0] as Error).message, 'broken')
    const next = await open(`ws://127.0.0.1:${port}/connect`)
    next.send(message('hello'))
    assert.deepEqual(await heard(next), { heard: 'hello' })
  })

  const text = (payload: string): Buffer => frame({ opcode: 1, payload })
  const wrongFrames: readonly (readonly [title: string, code: number, frames: readonly Buffer[]])[] = [
    ['no JSON', 1008, [text('hello')]],
    ['JSON with a field twice', 1008, [text('{"say":1,"say":2}')]],
    ['an empty message', 1008, [text('')]],
    ['text that is no UTF-8', 1008, [frame({ opcode: 1, payload: Buffer.from([0x22, 0xff, 0x22]) })]],
    ['binary', 1003, [frame({ opcode: 2, payload: message('x') })]],
    ['a frame without a mask', 1002, [frame({ opcode: 1, payload: message('x'), isMasked: false })]],
    ['reserved bits, such as compression', 1002, [frame({ opcode: 1, payload: message('x'), reserved: 4 })]],
    ['an unknown opcode', 1002, [frame({ opcode: 3, payload: message('x') })]],
    ['a continuation of nothing', 1002, [frame({ opcode: 0, payload: message('x') })]],
    [
      'a message inside another one',
      1002,
      [frame({ opcode: 1, payload: '{', isFinal: false }), frame({ opcode: 1, payload: message('x') })],
    ],
    ['a ping in parts', 1002, [frame({ opcode: 9, isFinal: false })]],
    ['a long ping', 1002, [frame({ opcode: 9, payload: 'x'.repeat(126) })]],
    ['one byte too many', 1009, [text(message('x'.repeat(64 * 1024)))]],
    ['a length of 2^63', 1009, [Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])]],
    [
      'parts that together are too long',
      1009,
      [
        frame({ opcode: 1, payload: 'x'.repeat(40_000), isFinal: false }),
        frame({ opcode: 0, payload: 'x'.repeat(40_000) }),
      ],
    ],
    ['a code that does not exist', 1002, [frame({ opcode: 8, payload: Buffer.from([3, 237]) })]],
    ['half a code', 1002, [frame({ opcode: 8, payload: Buffer.from([3]) })]],
  ]
  for (const [title, code, frames] of wrongFrames) {
    it(`is closed with ${code} after ${title}`, async () => {
      const { port } = await listen()
      assert.equal(await codeFor(port, ...frames), code)
    })
  }

  it('takes a message of exactly 64 KiB, in parts and byte by byte', async () => {
    const { port } = await listen({ messageBytes: 64 })
    const long = message('x'.repeat(64 - message('').length))
    assert.equal(long.length, 64)
    const whole = frame({ opcode: 1, payload: long })
    const inParts = [
      frame({ opcode: 1, payload: long.slice(0, 10), isFinal: false }),
      frame({ opcode: 9, payload: 'still there?' }),
      frame({ opcode: 0, payload: long.slice(10, 20), isFinal: false }),
      frame({ opcode: 0, payload: long.slice(20) }),
    ]
    const bytes = [...frame({ opcode: 1, payload: long })].map((byte) => Buffer.from([byte]))
    const answer = await raw(port, handshake(), whole, ...inParts, ...bytes, frame({ opcode: 8 }))
    assert.equal(answer.toString('latin1').split('"heard"').length - 1, 3)
    assert.ok(answer.includes(Buffer.concat([Buffer.from([0x8a, 12]), Buffer.from('still there?')])), 'no pong')
  })

  it('is closed when no message comes, when it takes too long, and after too many frames', async () => {
    const silent = await listen({ firstMessageMilliseconds: 5 })
    assert.equal(await codeFor(silent.port), 1008)
    const slow = await listen({ conversationMilliseconds: 50 })
    assert.equal(await codeFor(slow.port, text(message('hello'))), 1008)
    const { port } = await listen({ frames: 3 })
    const ping = frame({ opcode: 9 })
    assert.equal(await codeFor(port, ping, ping, ping, ping), 1008)
    assert.equal(await codeFor(port, ping, ping, frame({ opcode: 8, payload: Buffer.from([3, 232]) })), 1000)
  })

  it('is closed after too many parts of a message or too many pieces of a frame', async () => {
    const { port, server } = await listen({ frames: 3, pieces: 8 })
    const part = (opcode: number): Buffer => frame({ opcode, payload: ' ', isFinal: false })
    assert.equal(await codeFor(port, part(1), part(0), part(0), part(0)), 1008)
    const bytes = [...text(message('x'.repeat(20)))].map((byte) => Buffer.from([byte]))
    assert.equal(codeIn(await inPieces(server, [handshake(), ...bytes])), 1008)
    const few = text(message('hello'))
    const whole = await inPieces(server, [handshake(), few.subarray(0, 1), few.subarray(1, 9), few.subarray(9)])
    assert.match(whole.toString('latin1'), /"heard":"hello"/)
  })

  it('hears nothing that comes after its end', async () => {
    const { port } = await listen()
    const answer = await raw(port, handshake(), Buffer.concat([text(message('end')), text(message('more'))]))
    assert.match(answer.toString('latin1'), /"heard":"end"/)
    assert.doesNotMatch(answer.toString('latin1'), /"heard":"more"/)
  })

  it('is cut off when the client does not close in turn', async () => {
    const { port, sockets } = await listen({ closeMilliseconds: 5 })
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.resume()
    socket.write(handshake())
    socket.write(text(message('end')))
    await once(socket, 'end')
    while (sockets.count > 0) await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
  })

  /** Sends without end, as fast as it is taken; resolves with what the gateway had read when it cut the connection. */
  async function flood(server: Server, port: number, ...first: readonly (string | Buffer)[]): Promise<number> {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const garbage = Buffer.alloc(16 * 1024, 0x81)
    // A reset is how such a connection ends.
    socket.on('error', () => {})
    socket.resume()
    for (const part of first) socket.write(part)
    const more = (): void => {
      while (!socket.destroyed && socket.write(garbage));
    }
    socket.on('drain', more)
    const [side] = await accepted
    more()
    await once(side, 'close')
    socket.destroy()
    return side.bytesRead
  }

  const floods: readonly (readonly [title: string, first: readonly (string | Buffer)[]])[] = [
    ['a frame that breaks the protocol', [handshake(), Buffer.from([0x81, 0x00])]],
    ['the end of the conversation', [handshake(), text(message('end'))]],
    ['a handshake that is refused', [handshake({ Origin: 'https://evil.example' })]],
    ['a handshake without a key', [handshake({ 'Sec-WebSocket-Key': '' })]],
  ]
  for (const [title, first] of floods) {
    it(`H1: takes no more than a message after ${title}`, async () => {
      const { server, port } = await listen({ closeMilliseconds: 30_000 })
      // Node reads in pieces of 64 KiB: the one with the cause, those that are still allowed, and the one too many.
      assert.ok((await flood(server, port, ...first)) <= 4 * 64 * 1024)
    })
  }

  it('H1: a refused handshake is cut off when the client does not close in turn', async () => {
    const { server, port } = await listen({ closeMilliseconds: 5 })
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.resume()
    socket.write(handshake({ Origin: 'https://evil.example' }))
    const [side] = await accepted
    await once(side, 'close')
    socket.destroy()
  })

  it('answers any bytes with a close code or not at all', async () => {
    const { server, sockets } = await listen({ messageBytes: 16 })
    const random = createRandom(11)
    for (let round = 0; round < 1_000; round++) {
      const bytes = Buffer.from(Array.from({ length: 1 + random(40) }, () => random(256)))
      // Half of them begin like a frame, so that more than the first byte is looked at.
      if (random(2) === 0) bytes[0] = 0x81
      if (random(2) === 0 && bytes.length > 1) bytes[1] = 0x80 | random(128)
      const answer = await inPieces(server, [handshake(), bytes])
      const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4)
      if (body[0] === 0x88 && body[1] !== 0) assert.match(String(codeIn(answer)), /^(?:1\d{3}|[34]\d{3})$/)
    }
    while (sockets.count > 0) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(faults, [])
  })

  it('negotiates neither compression nor a subprotocol', async () => {
    const { port } = await listen()
    const offer = { 'Sec-WebSocket-Extensions': 'permessage-deflate', 'Sec-WebSocket-Protocol': 'chat' }
    const answer = (await raw(port, handshake(offer), frame({ opcode: 8 }))).toString('latin1')
    assert.match(answer, /^HTTP\/1\.1 101 /)
    assert.doesNotMatch(answer, /Sec-WebSocket-(?:Extensions|Protocol)/i)
  })

  it('is refused beyond the number one address may hold, and let in when one has gone', async () => {
    const { port, sockets } = await listen({ perAddress: 2 })
    const url = `ws://127.0.0.1:${port}/connect`
    const [first] = [await open(url), await open(url)]
    assert.match((await raw(port, handshake())).toString(), /^HTTP\/1\.1 429 /)
    first.close()
    await closed(first)
    while (sockets.count > 1) await new Promise((resolve) => setImmediate(resolve))
    await open(url)
  })

  const wrongHandshakes: readonly (readonly [title: string, headers: Record<string, string>, status: number])[] = [
    ['from a browser', { Origin: 'https://evil.example' }, 403],
    ['of another version', { 'Sec-WebSocket-Version': '8' }, 400],
    ['without a key', { 'Sec-WebSocket-Key': '' }, 400],
    ['with a short key', { 'Sec-WebSocket-Key': 'abc' }, 400],
    ['with a list of protocols that is not one', { 'Sec-WebSocket-Protocol': 'a,,b' }, 400],
  ]
  for (const [title, headers, status] of wrongHandshakes) {
    it(`is refused ${title}`, async () => {
      const { port } = await listen()
      const answer = (await raw(port, handshake(headers))).toString()
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.match(answer, /x-content-type-options: nosniff/)
    })
  }

  it('leaves other paths and other protocols to the listener', async () => {
    const { port } = await listen()
    const close = { Connection: 'Upgrade, close' }
    const elsewhere = handshake(close).replace('/connect', '/other')
    assert.match((await raw(port, elsewhere)).toString(), /ordinary$/)
    assert.match((await raw(port, handshake({ ...close, Upgrade: 'h2c' }))).toString(), /ordinary$/)
    const plain = await new Promise<IncomingMessage>((resolve) => httpGet({ port, path: '/connect' }, resolve))
    assert.equal(plain.statusCode, 200)
    plain.resume()
  })

  it('is ended when the service stops', async () => {
    const { port, sockets, server } = await listen()
    const socket = await open(`ws://127.0.0.1:${port}/connect`)
    sockets.close()
    assert.equal(await closed(socket), 1006)
    server.close()
    await once(server, 'close')
  })
})

describe('the listener for agents', () => {
  const known = getCACertificates('default')
  let port = 0
  let stop = (): void => {}
  let root = ''
  before(async () => {
    const certificate = await makeCertificate(['localhost', '127.0.0.1'], new Date())
    root = certificate.chain.slice(certificate.chain.lastIndexOf('-----BEGIN'))
    setDefaultCACertificates([...known, root])
    const server = createSocketListener(certificate, '/connect')
    const sockets = serveSockets(server, { path: '/connect', converse: () => echo, onFault: (e) => faults.push(e) })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
    stop = () => {
      sockets.close()
      server.closeAllConnections()
      server.close()
    }
  })
  after(() => {
    setDefaultCACertificates(known)
    stop()
  })

  it('speaks with agents over TLS', async () => {
    const socket = await open(`wss://localhost:${port}/connect`)
    socket.send(message('hello'))
    assert.deepEqual(await heard(socket), { heard: 'hello' })
    socket.close()
    await closed(socket)
  })

  it('answers the probe and everything else without a redirect', async () => {
    for (const [path, status] of [
      ['/connect', 426],
      ['/', 404],
      ['/web/whoami', 404],
    ] as const) {
      const answer = await new Promise<IncomingMessage>((resolve, reject) =>
        httpsGet({ port, path, host: 'localhost', ca: root, agent: false }, resolve).on('error', reject),
      )
      assert.equal(answer.statusCode, status)
      assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000')
      answer.resume()
    }
  })
})
