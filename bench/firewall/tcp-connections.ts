// Real TCP connections, run as a process: `serve <port>` takes them, `connect <address> <port> <milliseconds>` opens and
// resets one after the other, sixteen at a time, and prints how many there were a second.

import { connect, createServer } from 'node:net'

const atOnce = 16
const [mode, ...args] = process.argv.slice(2)

if (mode === 'serve') {
  const server = createServer((socket) => socket.on('error', () => {}))
  server.listen(Number(args[0]), '0.0.0.0', () => console.log('ready'))
} else {
  const [address = '', port, milliseconds] = args
  const begun = performance.now()
  let count = 0
  const openOne = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), address, () => {
        count++
        socket.once('close', () => resolve())
        socket.resetAndDestroy()
      })
      socket.on('error', reject)
    })
  const openMany = async (): Promise<void> => {
    while (performance.now() - begun < Number(milliseconds)) await openOne()
  }
  await Promise.all(Array.from({ length: atOnce }, openMany))
  console.log((count * 1000) / (performance.now() - begun))
}
