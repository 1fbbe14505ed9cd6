// Holds as many idle connections as it gets, from a namespace of the lab: half a request or half a TLS hello on each, another one
// for each that ends. Arguments: a file whose presence ends it, how many, its own addresses (`-` for any) and places
// (`address:port`).

import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

const [stop = '', count = '0', own = '-', ...places] = process.argv.slice(2)
const sources = own === '-' ? [] : own.split(',')
/** There is an end of attempts, however fast they are refused. */
const mostAttempts = 120_000
const half = 'GET / HTTP/1.1\r\nHost: www.exa'
const hello = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1])
const open = new Set<Socket>()
let attempts = 0

function hold(): void {
  attempts++
  if (attempts > mostAttempts) return
  const [address = '', port = ''] = (places[attempts % places.length] ?? '').split(':')
  const localAddress = sources[attempts % sources.length]
  const socket = connect({ port: Number(port), host: address, ...(localAddress === undefined ? {} : { localAddress }) })
  open.add(socket)
  socket.on('connect', () => socket.write(port === '443' ? hello : half))
  socket.on('error', () => {})
  socket.on('data', () => {})
  socket.on('close', () => {
    open.delete(socket)
    setTimeout(hold, 200)
  })
}

for (let at = 0; at < Number(count); at++) hold()
setInterval(() => {
  if (existsSync(stop)) process.exit(0)
}, 50)
