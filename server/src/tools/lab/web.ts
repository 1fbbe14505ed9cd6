// The web server of the lab's internet: answers with what it saw of the caller, which is how NAT,
// routing and filtering are observed. Run as a process; arguments are the addresses to listen on.

import { writeSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { flushCompileCache } from 'node:module'

/** An echo body beyond this is counted no further, so that a test cannot keep the server busy for ever. */
const maxBodyBytes = 64 * 1024 * 1024

async function countBody(request: IncomingMessage): Promise<number> {
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > maxBodyBytes) break
  }
  return bytes
}

function reply(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(body)}\n`)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const seen = {
    client: request.socket.remoteAddress ?? '',
    port: request.socket.remotePort ?? 0,
    server: request.socket.localAddress ?? '',
    host: request.headers.host ?? '',
    path: request.url ?? '',
  }
  reply(response, request.url === '/echo' ? { ...seen, bytes: await countBody(request) } : seen)
}

function listen(address: string): Promise<void> {
  const colon = address.lastIndexOf(':')
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(address.slice(colon + 1)), address.slice(0, colon), resolve)
  })
}

await Promise.all(process.argv.slice(2).map(listen))
writeSync(Number(process.env.PORTCULLIS_NOTIFY_FD ?? 1), '{"event":"ready"}\n')
// Kept now, because this process is ended by a signal: the next start then needs no compiler in memory.
flushCompileCache()
