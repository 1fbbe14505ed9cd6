// Opens TCP connections and holds them. Arguments: source address, destination address, port, how many. Without a number it is
// the other end, which accepts and holds them. Prints
// how many are open once each was tried; ends, with a reset on each, when its input ends.

import { connect, createServer, type Socket } from 'node:net'

const [source = '', destination = '', port = '', count = '0'] = process.argv.slice(2)
const held = new Set<Socket>()
/** More at once would only wait for each other. */
const atOnce = 100
let left = Number(count)
let pending = 0

function open(): void {
  while (left > 0 && pending < atOnce) {
    left -= 1
    pending += 1
    const socket = connect({ host: destination, port: Number(port), localAddress: source })
    const settle = (isOpen: boolean) => {
      clearTimeout(timer)
      socket.removeAllListeners()
      socket.on('error', () => held.delete(socket)).on('close', () => held.delete(socket))
      if (isOpen) held.add(socket)
      else socket.destroy()
      pending -= 1
      if (left === 0 && pending === 0) process.stdout.write(`${held.size}\n`)
      open()
    }
    // Refused ones are not answered at all.
    const timer = setTimeout(() => settle(false), 3_000)
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  }
}

if (left === 0)
  createServer((socket) => {
    held.add(socket.on('error', () => held.delete(socket)))
  }).listen({ port: Number(port), host: destination, backlog: 4096 })
else open()
process.stdin.on('end', () => {
  for (const socket of held) socket.resetAndDestroy()
  setTimeout(() => process.exit(0), 500)
})
process.stdin.resume()
