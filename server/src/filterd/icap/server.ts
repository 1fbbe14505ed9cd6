// An ICAP server (RFC 3507) for one RESPMOD service. Connections stay open and requests on one are answered in order;
// input that is not ICAP is refused and its connection closed. Connections and heads are limited.

import { createServer, type Server, type Socket } from 'node:net'
import { ByteReader, IcapFault } from './byte-reader.ts'
import { Exchange } from './exchange.ts'
import { parseHead } from './http-head.ts'

export interface IcapService {
  /** The path of its address. */
  readonly path: string
  /** Identifies what it decides with: at most 32 characters, in quotation marks. */
  readonly tag: () => string
  readonly respond: (exchange: Exchange) => Promise<void>
}

export interface IcapServer {
  readonly listen: (port: number, host?: string) => Promise<number>
  readonly connections: () => number
  readonly close: () => Promise<void>
}

export const previewBytes = 4096
/** Told to the proxy, which lets further bodies wait; a connection that is refused would be a service that fails. */
export const maxConnections = 4_000
/** Some that the proxy has given up may not have ended yet. */
const spareConnections = 96
const maxHead = 16 * 1024
const idleMs = 10 * 60_000
const closingMs = 5_000

const reasons = {
  400: 'Bad Request',
  404: 'Service Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Request Too Large',
}

/** Until the connection has no more use. */
async function serve(service: IcapService, socket: Socket, reader: ByteReader): Promise<void> {
  while (await reader.waits(idleMs)) {
    const head = parseHead(await reader.until('\r\n\r\n', maxHead, idleMs))
    const [, method, target = ''] = /^([A-Z]{1,20}) (\S{1,2048}) ICAP\/1\.0$/.exec(head?.start ?? '') ?? []
    if (head === null || method === undefined) throw new IcapFault('The request is not ICAP.', 400)
    const path = target.replace(/^icap:\/\/[^/]*/, '').split('?', 1)[0]
    if (path !== `/${service.path}`) throw new IcapFault('There is no such service.', 404)
    if (method === 'OPTIONS') {
      const lines = ['ICAP/1.0 200 OK', 'Methods: RESPMOD', `Service: ${service.path}`, `ISTag: ${service.tag()}`]
      const more = [
        `Preview: ${previewBytes}`,
        'Transfer-Preview: *',
        'Allow: 204',
        'Options-TTL: 3600',
        `Max-Connections: ${maxConnections}`,
      ]
      socket.write(`${[...lines, ...more, 'Encapsulated: null-body=0'].join('\r\n')}\r\n\r\n`)
      continue
    }
    if (method !== 'RESPMOD') throw new IcapFault('The service only modifies responses.', 405)
    const exchange = await Exchange.open(head, { reader, socket, tag: service.tag() })
    await service.respond(exchange)
    // The rest of the body is of no use: what was answered is sent, then the connection ends.
    if (!exchange.canContinue) return
  }
}

/** Sends what is waiting and closes; the other side has a moment to read it. */
function finish(socket: Socket, reader: ByteReader, last = ''): void {
  if (socket.destroyed) return
  socket.end(last)
  reader.discard()
  socket.setTimeout(closingMs, () => socket.destroy())
}

export function createIcapServer(service: IcapService, onFault: (error: unknown) => void): IcapServer {
  const sockets = new Set<Socket>()
  const server: Server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    const reader = new ByteReader(socket)
    serve(service, socket, reader).then(
      () => finish(socket, reader),
      (error: unknown) => {
        if (!(error instanceof IcapFault)) onFault(error)
        if (!(error instanceof IcapFault) || error.status === null) socket.destroy()
        else
          finish(
            socket,
            reader,
            `ICAP/1.0 ${error.status} ${reasons[error.status]}\r\nEncapsulated: null-body=0\r\n\r\n`,
          )
      },
    )
  })
  server.maxConnections = maxConnections + spareConnections
  return {
    listen: (port, host = '127.0.0.1') =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          const address = server.address()
          resolve(typeof address === 'object' && address !== null ? address.port : port)
        })
      }),
    connections: () => sockets.size,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
