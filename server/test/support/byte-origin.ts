// A server that says nothing and keeps what its kernel gives it: the bytes of each TCP connection and each datagram, by the port of the
// client. Each line of its standard input is answered with all of it. Arguments: ports.

import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

/** One character a byte, by `tcp 12345` or `udp 12345`. */
export type Received = Readonly<Record<string, string>>

const received: Record<string, string> = {}
const keep = (key: string, data: Buffer): void => {
  received[key] = (received[key] ?? '') + data.toString('latin1')
}
const ports = process.argv.slice(2).map(Number)

await Promise.all(
  ports.map(
    (port) =>
      new Promise<void>((resolve) => {
        createServer((socket) => {
          const key = `tcp ${socket.remotePort}`
          keep(key, Buffer.alloc(0))
          socket.on('error', () => {})
          socket.on('data', (data: Buffer) => keep(key, data))
        }).listen({ host: '::', port, backlog: 4_000 }, resolve)
        createSocket('udp6')
          .on('message', (data, { port: from }) => keep(`udp ${from}`, data))
          .bind(port, '::')
      }),
  ),
)
process.stdout.write('ready\n')
createInterface({ input: process.stdin })
  .on('line', () => process.stdout.write(`${JSON.stringify(received)}\n`))
  .on('close', () => process.exit(0))
