// Run in a namespace of the lab: a small Zabbix server for active checks. It gives every host that asks one item to send, and
// ends with the first values it gets, which it writes as JSON. Arguments: address, port and key of the item.

import { createServer } from 'node:net'
import { frameOf, readFrame } from './zabbix-frames.ts'

const [host = '', port = '', key = ''] = process.argv.slice(2)

const server = createServer((socket) => {
  let data = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (piece: Buffer) => {
    data = Buffer.concat([data, piece])
    const text = readFrame(data)
    if (text === null) return
    const message = JSON.parse(text) as { readonly request: string; readonly host?: string; readonly data?: unknown }
    if (message.request === 'active checks') {
      const item = { key, itemid: 1, delay: '1s', lastlogsize: 0, mtime: 0 }
      socket.end(frameOf(JSON.stringify({ response: 'success', data: [item] })))
      return
    }
    if (message.request !== 'agent data') return void socket.end(frameOf(JSON.stringify({ response: 'success' })))
    socket.end(frameOf(JSON.stringify({ response: 'success', info: 'processed: 1; failed: 0; total: 1' })))
    process.stdout.write(`${JSON.stringify(message)}\n`)
    server.close()
  })
})
server.listen(Number(port), host)
