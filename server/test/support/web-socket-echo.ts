// Opens a WebSocket, sends a text and prints what comes back. Arguments: the URL, a file with the authorities that it trusts, the
// text.

import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'

const [url = '', authorities = '', text = ''] = process.argv.slice(2)
const socket = new WebSocket(url, { ca: readFileSync(authorities), handshakeTimeout: 60_000 })
socket.on('open', () => socket.send(text))
socket.on('message', (data) => {
  process.stdout.write(String(data))
  socket.close()
})
socket.on('error', (error) => {
  process.stderr.write(error.message)
  process.exit(1)
})
