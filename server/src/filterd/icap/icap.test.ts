// The ICAP services as the proxy meets them: previews, persistent and pipelined requests, bodies that are kept back, and
// input that is not ICAP. The antivirus program is the real one where it is installed.
// Requirement 69.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, mock } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { unlessComplete } from '../../../test/support/requires.ts'
import { until } from '../../../test/support/until.ts'
import { parseEncapsulated } from './exchange.ts'
import { HeldBody, HoldRoom } from './held-body.ts'
import { createScanService, maxScanBytes, type ScanNote } from './scan-service.ts'
import { maxConnections } from './server.ts'
import { Turns } from './turns.ts'
import { type LateRefusal, WordsService } from './words-service.ts'

const dictionaries = [{ id: 'd.1', title: 'Игры & "co"', threshold: 100, words: [{ value: 'казино', weight: 20 }] }]
const bad = 'казино '.repeat(5)

interface Reply {
  readonly fields?: readonly string[]
  readonly status?: number
  readonly preview?: number | null
  readonly path?: string
}

const requestHead = 'GET http://site.test/page HTTP/1.1\r\nHost: site.test\r\nAccept-Language: ru,en\r\n\r\n'
const responseHead = (fields: readonly string[], status: number) =>
  ['HTTP/1.1 ', status, ' OK\r\n', ...fields.map((field) => `${field}\r\n`), '\r\n'].join('')

/** What Squid sends first: heads and the preview. */
function opening(
  body: Buffer,
  { fields = ['Content-Type: text/html'], status = 200, preview = 4096, path = 'words' }: Reply,
) {
  const head = responseHead(fields, status)
  const icap = [
    `RESPMOD icap://127.0.0.1/${path} ICAP/1.0`,
    'Host: 127.0.0.1',
    'X-Client-IP: 192.0.2.7',
    'Allow: 204',
    `Encapsulated: req-hdr=0, res-hdr=${requestHead.length}, res-body=${requestHead.length + head.length}`,
    ...(preview === null ? [] : [`Preview: ${preview}`]),
  ]
  const first = preview === null ? body : body.subarray(0, preview)
  const end = preview !== null && body.length <= preview ? '0; ieof\r\n\r\n' : '0\r\n\r\n'
  const heads = Buffer.from(`${icap.join('\r\n')}\r\n\r\n${requestHead}${head}`)
  return Buffer.concat([heads, chunk(first), Buffer.from(end)])
}

const chunk = (bytes: Buffer) =>
  bytes.length === 0
    ? bytes
    : Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

class Client {
  readonly #socket: Socket
  received = Buffer.alloc(0)
  isClosed = false

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.on('data', (piece: Buffer) => {
      this.received = Buffer.concat([this.received, piece])
    })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => {
      this.isClosed = true
    })
  }

  write(data: string | Buffer): void {
    this.#socket.write(data)
  }

  /** Waits for the text and forgets everything up to its end. */
  async take(text: string): Promise<string> {
    await until(`the answer has ${JSON.stringify(text)}`, () => this.received.includes(text) || this.isClosed)
    const at = this.received.indexOf(text)
    assert.notEqual(at, -1, this.received.toString('latin1').slice(0, 500))
    const taken = this.received.subarray(0, at + text.length).toString('latin1')
    this.received = this.received.subarray(at + text.length)
    return taken
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** The body of an answer that came whole. */
function dechunk(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 4 + size
  }
}

describe('the service of words', () => {
  const late: LateRefusal[] = []
  const faults: unknown[] = []
  const service = new WordsService({ onLate: (one) => late.push(one), onFault: (one) => faults.push(one) })
  let port = 0
  const clients: Client[] = []
  const client = () => {
    const one = new Client(port)
    clients.push(one)
    return one
  }
  before(async () => {
    await service.update(dictionaries)
    port = await service.listen(0)
  })
  after(async () => {
    for (const one of clients) one.close()
    await service.close()
    assert.deepEqual(faults, [])
    assert.equal(service.counts().heldBytes, 0)
  })

  it('tells what it can', async () => {
    const one = client()
    one.write('OPTIONS icap://127.0.0.1:3132/words ICAP/1.0\r\nHost: x\r\n\r\n')
    const answer = await one.take('Encapsulated: null-body=0\r\n\r\n')
    assert.match(answer, /^ICAP\/1\.0 200 OK\r\nMethods: RESPMOD\r\n/)
    assert.match(answer, /\r\nPreview: 4096\r\n/)
    // What is more waits at the proxy: a connection that is refused would count as a service that fails, which may pass.
    assert.match(answer, new RegExp(`\\r\\nMax-Connections: ${maxConnections}\\r\\n`))
  })

  it('answers several requests of one connection in order, also when they come together', async () => {
    const one = client()
    const good = opening(Buffer.from('<p>good'), {})
    one.write(Buffer.concat([good, opening(Buffer.from(bad), {}), good]))
    await one.take('null-body=0\r\n\r\n')
    const refused = await one.take('0\r\n\r\n')
    assert.match(refused, /\r\nX-Filter-Words: d\.1\r\n/)
    assert.match(refused, /HTTP\/1\.1 403 Forbidden/)
    // The title of the dictionary is text, in the language of the client.
    assert.match(refused, /&#1044;&#1086;&#1089;&#1090;&#1091;&#1087;/)
    assert.doesNotMatch(refused, /& "co"/)
    await one.take('ICAP/1.0 204 No Content')
  })

  it('passes by what is not a page, too long or cannot be read, in the preview', async () => {
    const body = Buffer.alloc(10_000, bad)
    const others = [
      ['Content-Type: image/png'],
      ['Content-Type: text/html', 'Content-Length: 3000000'],
      ['Content-Type: text/html', 'Content-Encoding: unheard'],
    ]
    const one = client()
    for (const fields of others) {
      one.write(opening(body, { fields }))
      assert.doesNotMatch(await one.take('null-body=0\r\n\r\n'), /100 Continue/)
    }
  })

  it('asks for the rest of a page, and sends its head before Squid stops', async () => {
    const one = client()
    const page = Buffer.from(`<p>${'просто текст '.repeat(8_000)}`)
    one.write(opening(page, { fields: ['Content-Type: text/html', 'ETag: "x"', `Content-Length: ${page.length}`] }))
    await one.take('100 Continue\r\n\r\n')
    one.write(chunk(page.subarray(4096, 50_000)))
    const head = await one.take('Cache-Control: no-cache\r\n\r\n')
    assert.match(head, /HTTP\/1\.1 200 OK/)
    assert.doesNotMatch(head, /ETag|Content-Length/)
    assert.equal(one.received.length, 0)
    one.write(Buffer.concat([chunk(page.subarray(50_000)), Buffer.from('0\r\n\r\n')]))
    await until('the page came', () => one.received.includes('\r\n0\r\n\r\n'))
    assert.deepEqual(dechunk(one.received), page)
  })

  it('takes a turn of the client for each piece of a page', async () => {
    const take = mock.method(Turns.prototype, 'take')
    try {
      const one = client()
      one.write(opening(Buffer.from('<p>good '.repeat(8 * 1024)), { preview: null }))
      await one.take('\r\n0\r\n\r\n')
      const clients = take.mock.calls.map(({ arguments: [address] }) => address)
      assert.ok(clients.length >= 4, `${clients.length} turns for 64 KB`)
      assert.deepEqual([...new Set(clients)], ['192.0.2.7'])
    } finally {
      take.mock.restore()
    }
  })

  it('replaces a page whose head was sent, in its encoding', async () => {
    const one = client()
    // Random text, which cannot be packed.
    const noise = Array.from({ length: 4_000 }, (_, at) => createHash('sha256').update(String(at)).digest('hex')).join(
      ' ',
    )
    const packed = gzipSync(`<p>${noise} ${bad}`)
    assert.ok(packed.length > 100_000)
    one.write(opening(packed, { fields: ['Content-Type: text/html', 'Content-Encoding: gzip'] }))
    await one.take('100 Continue\r\n\r\n')
    one.write(Buffer.concat([chunk(packed.subarray(4096)), Buffer.from('0\r\n\r\n')]))
    assert.match(await one.take('no-cache\r\n\r\n'), /Content-Encoding: gzip/)
    await until('the page came', () => one.received.includes('\r\n0\r\n\r\n'))
    assert.match(gunzipSync(dechunk(one.received)).toString(), /<h1>&#1044;/)
    assert.deepEqual(late.at(-1), {
      dictionary: 'd.1',
      client: '192.0.2.7',
      url: 'http://site.test/page',
      isCut: false,
    })
  })

  it('cuts a part of a page, which it cannot replace', async () => {
    const one = client()
    const page = Buffer.from(`<p>${'просто текст '.repeat(8_000)}${bad}`)
    one.write(opening(page, { status: 206 }))
    await one.take('100 Continue\r\n\r\n')
    one.write(Buffer.concat([chunk(page.subarray(4096)), Buffer.from('0\r\n\r\n')]))
    await until('the connection is closed', () => one.isClosed)
    assert.equal(late.at(-1)?.isCut, true)
  })

  it('judges with new dictionaries from the next page on, and with none nothing', async () => {
    await service.update([])
    const one = client()
    one.write(opening(Buffer.from(bad), {}))
    await one.take('204 No Content')
    await service.update(dictionaries)
    one.write(opening(Buffer.from(bad), {}))
    await one.take('403 Forbidden')
  })

  it('refuses what is not ICAP and goes on', async () => {
    const hostile: readonly (readonly [string, RegExp])[] = [
      ['GET / HTTP/1.1\r\n\r\n', /400/],
      ['RESPMOD icap://x/words ICAP/1.0\r\n\r\n', /400/],
      ['RESPMOD icap://x/other ICAP/1.0\r\n\r\n', /404/],
      ['REQMOD icap://x/words ICAP/1.0\r\n\r\n', /405/],
      [`RESPMOD icap://x/words ICAP/1.0\r\nX: ${'a'.repeat(20_000)}`, /413/],
      ['RESPMOD icap://x/words ICAP/1.0\r\nEncapsulated: res-hdr=0, res-body=9999999\r\n\r\n', /400/],
      ['RESPMOD icap://x/words ICAP/1.0\r\nEncapsulated: res-hdr=0, res-body=2\r\n\r\nxxzz\r\n', /204|400/],
      ['\0\xff\r\n\r\n', /400/],
    ]
    for (const [text, status] of hostile) {
      const one = client()
      one.write(Buffer.from(text, 'latin1'))
      await until(`an answer to ${JSON.stringify(text.slice(0, 40))}`, () => one.received.length > 0 || one.isClosed)
      assert.match(one.received.toString('latin1').slice(0, 20), status)
    }
    const gone = client()
    gone.write(opening(Buffer.alloc(9_000, 'x'), {}))
    await gone.take('100 Continue')
    gone.close()
    const last = client()
    last.write(opening(Buffer.from('<p>good'), {}))
    await last.take('204 No Content')
  })

  it('knows where the parts of a request are', () => {
    assert.equal(parseEncapsulated('res-hdr=5, res-body=2'), null)
    assert.equal(parseEncapsulated('req-hdr=0, req-body=2'), null)
    assert.deepEqual(parseEncapsulated('req-hdr=0, res-hdr=10, null-body=20'), {
      requestAt: 0,
      responseAt: 10,
      hasBody: false,
      length: 20,
    })
  })
})

const program = '/usr/sbin/clamd'
const skip = existsSync(program) ? false : unlessComplete('clamd is not installed')
/** The test file of all antivirus programs, not written as one string. */
const eicar = Buffer.from(['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE', '!$H+H*'].join(''))

describe('the service of the antivirus', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-clamd-'))
  const socket = join(folder, 'clamd.sock')
  const notes: ScanNote[] = []
  const faults: unknown[] = []
  const service = createScanService({ socket, onNote: (one) => notes.push(one), onFault: (one) => faults.push(one) })
  let clamd: ChildProcess
  let port = 0
  const clients: Client[] = []
  const ask = async (body: Buffer, end: string, fields: readonly string[] = []) => {
    const one = new Client(port)
    clients.push(one)
    one.write(opening(body, { fields: ['Content-Type: application/octet-stream', ...fields], path: 'antivirus' }))
    return one.take(end)
  }
  before(async () => {
    const md5 = createHash('md5').update(eicar).digest('hex')
    writeFileSync(join(folder, 'test.hdb'), `${md5}:${eicar.length}:Eicar-Test\n`)
    writeFileSync(
      join(folder, 'clamd.conf'),
      `DatabaseDirectory ${folder}\nLocalSocket ${socket}\nForeground yes\nStreamMaxLength 20971520\n`,
    )
    clamd = spawn(program, ['--foreground', `--config-file=${join(folder, 'clamd.conf')}`], { stdio: 'ignore' })
    await until('clamd listens', () => existsSync(socket))
    port = await service.listen(0)
  })
  after(async () => {
    for (const one of clients) one.close()
    clamd.kill('SIGKILL')
    await service.close()
    rmSync(folder, { recursive: true })
    assert.deepEqual(faults, [])
  })

  it('refuses a file with a virus and names it, and lets others pass', async () => {
    const refused = await ask(eicar, '0\r\n\r\n')
    assert.match(refused, /X-Infection-Found: Eicar-Test\.UNOFFICIAL\r\n/)
    assert.match(refused, /403 Forbidden/)
    assert.match(refused, /Eicar-Test\.UNOFFICIAL<\/b>/)
    await ask(Buffer.from('clean'), '204 No Content')
  })

  it('finds it in every form that a server can choose: encodings, types, heads', async () => {
    const packed: readonly (readonly [coding: string | null, body: Buffer])[] = [
      [null, eicar],
      ['gzip', gzipSync(eicar)],
      ['x-gzip', gzipSync(eicar)],
      ['deflate', deflateSync(eicar)],
      ['deflate', deflateRawSync(eicar)],
      ['br', brotliCompressSync(eicar)],
      ['zstd', zstdCompressSync(eicar)],
      ['br, gzip', gzipSync(brotliCompressSync(eicar))],
      ['identity, deflate', deflateSync(eicar)],
      ['unheard', eicar],
      // More than any server uses, and what is not what it says: neither can be checked.
      ['deflate, br, deflate', deflateSync(brotliCompressSync(deflateSync(eicar)))],
      ['deflate, gzip', gzipSync(deflateRawSync(eicar))],
      ['br', Buffer.from('not packed at all')],
    ]
    const types = ['application/octet-stream', 'video/mp4', 'audio/mpeg', 'text/event-stream', '']
    const manyLines = Array.from({ length: 2_000 }, (_, at) => `X-${at}: y`)
    const heads: readonly Reply[] = [
      {},
      { fields: ['Content-Disposition: attachment; filename=a.bin'] },
      { fields: manyLines },
      { status: 150 },
      { status: 404 },
      { preview: null },
    ]
    for (const [coding, body] of packed)
      for (const type of types)
        for (const head of heads) {
          const isPlayed = /^(?:audio|video|text)/.test(type) && !head.fields?.[0]?.startsWith('Content-Disp')
          // The first bytes of what is packed say nothing about what is inside; a player gets them, and no one saves them as a file.
          if (isPlayed && body !== eicar) continue
          const fields = [
            ...(type === '' ? [] : [`Content-Type: ${type}`]),
            ...(coding === null ? [] : [`Content-Encoding: ${coding}`]),
            ...(head.fields ?? []),
          ]
          const one = new Client(port)
          clients.push(one)
          one.write(opening(body, { ...head, fields, path: 'antivirus' }))
          const form = JSON.stringify([coding, type, head.status, head.fields?.[0], head.preview])
          const answer = await one.take('\r\n0\r\n\r\n').catch((error: unknown) => assert.fail(`${form}: ${error}`))
          assert.match(answer, /X-Infection-Found: (?:Eicar-Test|unchecked)/, form)
          one.close()
        }
    assert.ok(notes.some(({ reason }) => reason === 'Its content encoding cannot be read.'))
    notes.length = 0
  })

  it('passes packed files that are clean, however they arrive', async () => {
    const text = Buffer.from('clean '.repeat(20))
    for (const [coding, body] of [
      ['gzip', gzipSync(text)],
      ['deflate', deflateRawSync(text)],
      ['gzip', gzipSync(text).subarray(0, -4)],
      ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024)))],
    ] as const) {
      const one = new Client(port)
      clients.push(one)
      const whole = opening(body, { fields: [`Content-Encoding: ${coding}`], path: 'antivirus' })
      for (let at = 0; at < whole.length; at += 7) one.write(whole.subarray(at, at + 7))
      await one.take('204 No Content')
    }
    assert.deepEqual(notes, [])
  })

  it('lets what is played pass with its first bytes', async () => {
    for (const type of ['video/mp4', 'audio/mpeg', 'text/event-stream']) {
      const one = new Client(port)
      clients.push(one)
      one.write(opening(Buffer.alloc(5_000, 'data: x\n'), { fields: [`Content-Type: ${type}`], path: 'antivirus' }))
      await one.take('204 No Content')
    }
  })

  it('keeps back a long file until it is checked', async () => {
    const one = new Client(port)
    clients.push(one)
    const file = Buffer.alloc(1_000_000, 'clean text ')
    one.write(
      opening(file, { fields: ['Content-Type: application/zip', 'Content-Length: 1000000'], path: 'antivirus' }),
    )
    await one.take('100 Continue\r\n\r\n')
    one.write(chunk(file.subarray(4096)))
    await one.take('Content-Length: 1000000\r\n\r\n')
    assert.equal(one.received.length, 0)
    one.write('0\r\n\r\n')
    await until('the file came', () => one.received.toString('latin1', one.received.length - 5) === '0\r\n\r\n')
    assert.deepEqual(dechunk(one.received), file)
  })

  it('passes by files that are too long, and streams', async () => {
    await ask(Buffer.alloc(5_000, 'x'), '204 No Content', [`Content-Length: ${maxScanBytes + 1}`])
  })

  it('without the antivirus program refuses or passes, as configured', async () => {
    clamd.kill('SIGKILL')
    await once(clamd, 'exit')
    assert.match(
      await ask(Buffer.from('clean'), '0\r\n\r\n'),
      /X-Infection-Found: unchecked[\s\S]*503 Service Unavailable/,
    )
    service.update('pass')
    await ask(Buffer.from('clean'), '204 No Content')
    assert.deepEqual(
      notes.map(({ what }) => what),
      ['unchecked', 'unchecked'],
    )
  })
})

describe('an antivirus program that has too much to do', () => {
  it('has files refused, whatever is configured for one that is away', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-busy-'))
    const socket = join(folder, 'busy.sock')
    const silent = createServer((one) => one.on('error', () => {}).resume()).listen(socket)
    await once(silent, 'listening')
    const service = createScanService({ socket, onNote: () => {}, onFault: () => {}, answerMs: 50 })
    const client = new Client(await service.listen(0))
    try {
      service.update('pass')
      client.write(opening(Buffer.from('clean'), { path: 'antivirus' }))
      assert.match(await client.take('0\r\n\r\n'), /X-Infection-Found: unchecked/)
    } finally {
      client.close()
      await service.close()
      silent.close()
      rmSync(folder, { recursive: true })
    }
  })
})

describe('an antivirus program with few threads', () => {
  const threads = 10

  /** Takes so many files at once, as clamd does; the others wait until one of those has ended. */
  async function listenWithThreads(path: string) {
    const waiting: Socket[] = []
    const working = new Set<Socket>()
    const work = (): void => {
      const socket = working.size < threads ? waiting.shift() : undefined
      if (!socket) return
      working.add(socket)
      let last = Buffer.alloc(0)
      socket.on('data', (piece: Buffer) => {
        last = Buffer.concat([last, piece]).subarray(-4)
        if (last.equals(Buffer.alloc(4))) socket.end('stream: OK\0')
      })
      work()
    }
    const server = createServer((socket) => {
      waiting.push(socket.on('error', () => {}))
      socket.on('close', () => {
        working.delete(socket)
        work()
      })
      work()
    }).listen(path)
    await once(server, 'listening')
    return { server, working }
  }

  it('is not kept busy by files that arrive slowly, and no client takes all of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-threads-'))
    const { server, working } = await listenWithThreads(join(folder, 'clamd.sock'))
    const service = createScanService({ socket: join(folder, 'clamd.sock'), onNote: () => {}, onFault: () => {} })
    const port = await service.listen(0)
    const clients: Client[] = []
    const send = (body: Buffer, address: string, length: number): Client => {
      const one = new Client(port)
      clients.push(one)
      const fields = ['Content-Type: application/zip', `Content-Length: ${length}`]
      const text = opening(body, { fields, path: 'antivirus' }).toString('latin1')
      one.write(Buffer.from(text.replace('192.0.2.7', address), 'latin1'))
      return one
    }
    try {
      // Twenty files whose rest never comes, and five that are longer than what is kept back of one client.
      for (let count = 0; count < 20; count++) {
        const slow = send(Buffer.from('PK'.padEnd(5000, 'x')), '192.0.2.7', 100_000)
        await slow.take('100 Continue')
        slow.write(chunk(Buffer.alloc(50_000, 'x')))
        await slow.take('HTTP/1.1 200')
      }
      for (let count = 0; count < 6; count++) {
        const large = send(Buffer.from('PK'.padEnd(5000, 'x')), '192.0.2.7', maxScanBytes)
        await large.take('100 Continue')
        for (let piece = 0; piece < 15; piece++) large.write(chunk(Buffer.alloc(1024 * 1024, 'x')))
        await large.take('HTTP/1.1 200')
      }
      await until('what does not fit goes on while it is judged', () => working.size > 0)
      const other = send(Buffer.from('PK'), '192.0.2.8', 2)
      await other.take('204 No Content')
      assert.ok(working.size <= 4, `${working.size} threads are taken`)
    } finally {
      for (const one of clients) one.close()
      await service.close()
      server.close()
      rmSync(folder, { recursive: true })
    }
  })
})

describe('bodies that are kept back', () => {
  it('fill the share of their client, and no other', () => {
    const room = new HoldRoom({ oneBytes: 100, clientBytes: 150, allBytes: 1_000 })
    const mine = [new HeldBody(room, '10.0.0.7'), new HeldBody(room, '10.0.0.7')]
    const other = new HeldBody(room, '10.0.0.8')
    for (const body of mine) body.add(Buffer.alloc(80))
    other.add(Buffer.alloc(80))
    assert.deepEqual(
      [...mine, other].map(({ isFull }) => isFull),
      [true, true, false],
    )
    mine[0]?.release()
    assert.equal(mine[1]?.isFull, false)
    for (const body of [...mine, other]) body.release()
    assert.deepEqual([room.bytes, room.of('10.0.0.7'), room.of('10.0.0.8')], [0, 0, 0])
  })
})
