// The far end of wire tests: answers every TCP connection and UDP packet on the given addresses and ports with what it saw
// of the caller, which is how filtering and translation are observed. Arguments: addresses, ports, each with commas.

import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

const [addresses = '', ports = ''] = process.argv.slice(2)

for (const address of addresses.split(',')) {
  for (const port of ports.split(',').map(Number)) {
    createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.end(JSON.stringify({ client: socket.remoteAddress, server: address, port }))
    }).listen(port, address)
    const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    udp.on('message', (_message, { address: client, port: clientPort }) => {
      udp.send(JSON.stringify({ client, server: address, port }), clientPort, client)
    })
    udp.bind(port, address)
  }
}
