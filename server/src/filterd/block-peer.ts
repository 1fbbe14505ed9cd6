// What denied TLS connections are connected to instead of their server: it takes CONNECT, speaks TLS with a certificate for
// exactly the name that the client asked for, and says nothing more. The proxy shows that name to the client under the
// authority of the gateway and answers with the page; the real server never hears of it.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { splitUrl } from './judge.ts'
import { certifiedName, type NameCertificates } from './name-certificates.ts'

/** A connection lives as long as that of the client to the proxy. */
const connectionLimit = 4_096
const handshakeMs = 10_000
const idleMs = 5 * 60_000

const refusal =
  'HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 8\r\nConnection: close\r\n\r\nBlocked.'

/** Listen on loopback: anyone who reaches it gets a certificate that no one trusts, and nothing else. */
export function createBlockPeer(certificates: NameCertificates, mostConnections = connectionLimit): Server {
  const server = createServer({ maxHeaderSize: 32 * 1024, headersTimeout: handshakeMs }, (request, response) => {
    request.resume()
    response.writeHead(403, { 'Content-Type': 'text/plain', Connection: 'close' }).end('Blocked.')
  })
  server.maxConnections = mostConnections
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    if (!(socket instanceof Socket)) return socket.destroy()
    const target = certifiedName(splitUrl(request.url ?? '').host)
    if (target === null) return socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    // Made before the answer, so that the hello need not wait.
    certificates.contextFor(target).then(
      (context) => {
        if (socket.destroyed) return
        if (head.length > 0) socket.unshift(head)
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        const secure = new TLSSocket(socket, {
          isServer: true,
          secureContext: context,
          ALPNProtocols: ['http/1.1'],
          SNICallback: (name, done) => {
            const own = certifiedName(name)
            if (own === null || own === target) return done(null, context)
            certificates.contextFor(own).then((other) => done(null, other), done)
          },
        })
        secure.setTimeout(handshakeMs, () => secure.destroy())
        secure.once('secure', () => secure.setTimeout(idleMs))
        secure.on('error', () => secure.destroy())
        secure.once('data', () => secure.end(refusal))
      },
      () => socket.destroy(),
    )
  })
  server.on('clientError', (_, socket) => socket.destroy())
  return server
}
