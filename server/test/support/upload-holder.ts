// Sends uploads without an end to a server that does not read them, from a namespace of the lab: on every other connection a body, on
// the others bytes in place of the next request. Arguments: a file whose presence ends it, how many, the host, and its address.

import { existsSync } from 'node:fs'
import { connect } from 'node:net'

const [stop = '', count = '0', host = '', address = ''] = process.argv.slice(2)
const piece = Buffer.alloc(64 * 1024, 'x')

for (let at = 0; at < Number(count); at++) {
  const socket = connect({ port: 80, host: address })
  const start = at % 2 === 0 ? ['POST', 'Content-Length: 40000000\r\n'] : ['GET', '']
  const send = (): void => {
    while (socket.write(piece)) if (socket.destroyed) return
  }
  socket.on('connect', () => {
    socket.write(`${start[0]} /unread HTTP/1.1\r\nHost: ${host}\r\n${start[1]}\r\n`)
    send()
  })
  socket
    .on('drain', send)
    .on('error', () => {})
    .on('data', () => {})
}
setInterval(() => {
  if (existsSync(stop)) process.exit(0)
}, 50)
