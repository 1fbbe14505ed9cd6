// Web sites of the lab's internet for tests of the content filter: every name on two addresses, over HTTP and over HTTPS with
// HTTP/2 and WebSocket, with good and with faulty certificates. A control port tells what reached them and releases replies that
// wait. Arguments: a JSON file with the certificates, and the addresses.

import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest } from 'node:http2'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { createSecureContext, type SecureContext } from 'node:tls'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { WebSocketServer } from 'ws'

type Request = IncomingMessage | Http2ServerRequest
/** Those of both versions are the same as far as they are used here. */
type Response = ServerResponse

/** One request as an origin saw it. */
interface SeenRequest {
  readonly host: string
  readonly method: string
  readonly path: string
  readonly version: string
  readonly tls: boolean
  readonly client: string
  readonly headers: Readonly<Record<string, unknown>>
  bytes: number
}

interface Pair {
  readonly key: string
  readonly chain: string
}

const [file = '', ...addresses] = process.argv.slice(2)
/** By server name; `*` for all others. */
const pairs = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Pair>>
const contexts = new Map<string, SecureContext>(
  Object.entries(pairs).map(([name, { key, chain }]) => [name, createSecureContext({ key, cert: chain })]),
)

let requests: SeenRequest[] = []
let names: string[] = []
const waiting: (() => void)[] = []

async function answer(request: Request, response: Response): Promise<void> {
  const host = String(request.headers[':authority'] ?? request.headers.host ?? '')
  const seen: SeenRequest = {
    host,
    method: request.method ?? '',
    path: request.url ?? '',
    version: request.httpVersion,
    tls: 'encrypted' in request.socket,
    client: request.socket.remoteAddress ?? '',
    headers: { ...request.headers },
    bytes: 0,
  }
  requests.push(seen)
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://x')
  if (pathname === '/unread') await new Promise<void>((resolve) => waiting.push(resolve))
  for await (const chunk of request) {
    seen.bytes += (chunk as Buffer).length
    // A server that takes less than clients send: about 3 MB in a second.
    if (pathname === '/slow') await setTimeout(20)
  }
  const write = (chunk: Buffer) => new Promise<void>((resolve) => response.write(chunk, () => resolve()))
  const type = query.get('type') ?? 'text/html; charset=utf-8'
  if (pathname === '/bytes' || pathname === '/held') {
    const size = Number(query.get('n') ?? '0')
    response.writeHead(200, { 'content-type': query.get('type') ?? 'application/octet-stream', 'content-length': size })
    const piece = Buffer.alloc(64 * 1024, 'x')
    for (let left = size; left > 0; left -= piece.length) {
      await write(piece.subarray(0, Math.min(left, piece.length)))
      if (pathname === '/held' && left === size) await new Promise<void>((resolve) => waiting.push(resolve))
    }
    response.end()
    return
  }
  if (pathname === '/go') {
    response.writeHead(302, { location: query.get('to') ?? '/' }).end()
    return
  }
  const text = query.get('text') ?? `<!DOCTYPE html><title>${host}</title><p>hello from ${host}</p>`
  const plain = query.has('base64') ? Buffer.from(query.get('base64') ?? '', 'base64') : Buffer.from(text)
  const coding = query.get('coding')
  const body = coding === 'gzip' ? gzipSync(plain) : coding === 'br' ? brotliCompressSync(plain) : plain
  response.writeHead(Number(query.get('status') ?? '200'), {
    'content-type': type,
    ...(coding === null ? {} : { 'content-encoding': coding }),
    'x-bytes-of-request': String(seen.bytes),
  })
  response.end(body)
}

const sockets = new WebSocketServer({ noServer: true })
sockets.on('connection', (socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })))
const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) =>
  sockets.handleUpgrade(request, socket, head, (open) => sockets.emit('connection', open, request))

const listener = (request: Request, response: Response): void => {
  answer(request, response).catch(() => request.socket.destroy())
}

function serve(address: string): Promise<unknown> {
  const plain = createServer(listener).on('upgrade', upgrade)
  const general = pairs['*']
  const secure = createSecureServer(
    {
      allowHTTP1: true,
      key: general?.key,
      cert: general?.chain,
      SNICallback: (name, done) => {
        names.push(name)
        done(null, contexts.get(name) ?? contexts.get('*'))
      },
    },
    (request, response) => listener(request, response as unknown as Response),
  )
  secure.on('upgrade', upgrade)
  secure.on('sessionError', () => {})
  secure.on('tlsClientError', () => {})
  const started = [
    new Promise((resolve) => plain.listen(80, address, () => resolve(null))),
    new Promise((resolve) => secure.listen(443, address, () => resolve(null))),
  ]
  return Promise.all(started)
}

await Promise.all(addresses.map(serve))
createServer((request, response) => {
  if (request.url === '/forget') {
    requests = []
    names = []
  }
  if (request.url === '/release') for (const go of waiting.splice(0)) go()
  response.end(JSON.stringify({ requests, names, waiting: waiting.length }))
}).listen(9000, addresses[0])
