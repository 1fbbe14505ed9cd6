// Traffic for the bench of inspection, run as a process. `serve PEM` answers on three ports: plain and TLS connections are filled
// with bytes as fast as they are taken, the third port closes at once. `take FROM ADDRESS PORT FLOWS MILLISECONDS` prints the
// megabytes a second that arrived, `connect FROM ADDRESS PORT MILLISECONDS` the connections a second.

import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, connect as openTls } from 'node:tls'

export const ports = { plain: 9000, tls: 443, short: 9001 } as const
const piece = Buffer.alloc(256 * 1024, 'portcullis ')
const atOnce = 16

const [mode = '', ...args] = process.argv.slice(2)
const quiet = (socket: Socket): Socket => socket.on('error', () => {})

function serve(pem: string): void {
  const fill = (socket: Socket): void => {
    const write = (): void => {
      while (!socket.destroyed && socket.write(piece)) {
        // Until the other side is slower.
      }
    }
    quiet(socket).on('drain', write)
    socket.once('data', write)
  }
  const secret = readFileSync(pem, 'utf8')
  createServer(fill).listen(ports.plain)
  createTlsServer({ cert: secret, key: secret }, fill).listen(ports.tls)
  createServer((socket) => void quiet(socket).end('x')).listen(ports.short, () => console.log('ready'))
}

function open(from: string, address: string, port: number): Socket {
  const ends = { host: address, port, localAddress: from }
  return port === ports.tls
    ? openTls({ ...ends, rejectUnauthorized: false, servername: 'bench.example' })
    : connect(ends)
}

async function take(from: string, address: string, port: number, flows: number, milliseconds: number): Promise<void> {
  let bytes = 0
  const sockets = Array.from({ length: flows }, () => {
    const socket = quiet(open(from, address, port))
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    socket.write('go\n')
    return socket
  })
  // Handshakes and the first look at the connection are not what is measured.
  await new Promise((resolve) => setTimeout(resolve, 300))
  const begun = performance.now()
  bytes = 0
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  console.log(bytes / 1000 / (performance.now() - begun))
  for (const socket of sockets) socket.destroy()
}

async function connectMany(from: string, address: string, port: number, milliseconds: number): Promise<void> {
  const begun = performance.now()
  let count = 0
  const openOne = (): Promise<void> =>
    new Promise((resolve) => {
      quiet(open(from, address, port))
        .on('data', () => count++)
        .once('close', () => resolve())
    })
  const openAll = async (): Promise<void> => {
    while (performance.now() - begun < milliseconds) await openOne()
  }
  await Promise.all(Array.from({ length: atOnce }, openAll))
  console.log((count * 1000) / (performance.now() - begun))
}

const [from = '', address = '', ...numbers] = args
const [port = 0, first = 0, second = 0] = numbers.map(Number)
if (mode === 'serve') serve(from)
if (mode === 'take') await take(from, address, port, first, second)
if (mode === 'connect') await connectMany(from, address, port, first)
