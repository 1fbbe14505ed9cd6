// One TCP connection that stays open. Arguments: source address and port, destination address and port. Each line of standard input
// is a number of bytes to send; it is answered with how many of them the other end has by then, at the latest after the
// seconds of the last argument. Without a source it is the other end, which says what it has. Ends with its input.

import { connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

const [source = '', sourcePort = '', destination = '', port = '', seconds = '20'] = process.argv.slice(2)

function answer(socket: Socket): void {
  let received = 0
  socket.on('data', (chunk) => {
    received += chunk.length
    socket.write(`${received}\n`)
  })
  socket.on('error', () => {})
}

async function talk(): Promise<void> {
  const socket = connect({ host: destination, port: Number(port), localAddress: source, localPort: Number(sourcePort) })
  let acknowledged = 0
  let [sent, wake] = [0, () => {}]
  socket.on('error', () => {})
  createInterface(socket).on('line', (line) => {
    acknowledged = Number(line)
    if (acknowledged >= sent) wake()
  })
  for await (const line of createInterface(process.stdin)) {
    const before = acknowledged
    sent += Number(line)
    socket.write(Buffer.alloc(Number(line)))
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Number(seconds) * 1000)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    process.stdout.write(`${acknowledged - before}\n`)
  }
  socket.resetAndDestroy()
}

if (source === '') {
  createServer(answer).listen(Number(port), destination)
  process.stdin.on('end', () => process.exit(0)).resume()
} else await talk()
