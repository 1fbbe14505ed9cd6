// Web sites of the lab's internet that keep every byte they get, in plain text and inside of TLS. Each request is answered; after
// one with `Connection: close` the connection ends. A control port tells what came. Arguments: a JSON file with the certificates,
// and the addresses.

import { readFileSync } from 'node:fs'
import { createServer as createControl } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { createServer as createSecure, type TLSSocket } from 'node:tls'
import { readRequests } from './raw-requests.ts'

export interface RawConnection {
  readonly isTls: boolean
  /** The server name of the hello. */
  readonly name: string
  /** One character a byte. */
  bytes: string
}

const [file = '', ...addresses] = process.argv.slice(2)
const { key, chain } = (JSON.parse(readFileSync(file, 'utf8')) as Record<string, { key: string; chain: string }>)[
  '*'
] ?? { key: '', chain: '' }
let connections: RawConnection[] = []

function serve(socket: Socket, isTls: boolean, name: string): void {
  const seen: RawConnection = { isTls, name, bytes: '' }
  connections.push(seen)
  let answered = 0
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    seen.bytes += chunk.toString('latin1')
    const { requests } = readRequests(seen.bytes)
    for (const { method, head } of requests.slice(answered)) {
      const isLast = /^connection: *close/im.test(head)
      const protocol = /^upgrade: *(websocket)/im.exec(head)?.[1]
      if (protocol)
        socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${protocol}\r\nConnection: Upgrade\r\n\r\n`)
      else {
        const body = method === 'HEAD' ? '' : 'ok'
        const end = isLast ? 'Connection: close\r\n' : ''
        socket.write(`HTTP/1.1 200 OK\r\nX-Origin: yes\r\n${end}Content-Length: 2\r\n\r\n${body}`)
      }
      if (isLast) socket.end()
    }
    answered = requests.length
  })
}

for (const address of addresses) {
  createServer((socket) => serve(socket, false, '')).listen(80, address)
  createSecure({ key, cert: chain }, (socket: TLSSocket) => serve(socket, true, String(socket.servername || '')))
    .on('tlsClientError', () => {})
    .listen(443, address)
}
createControl((request, response) => {
  if (request.url === '/forget') connections = []
  response.end(JSON.stringify({ connections }))
}).listen(9000, addresses[0])
