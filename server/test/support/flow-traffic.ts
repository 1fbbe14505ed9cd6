// Sends counted datagrams to an address that answers each of them with as many bytes; the next one goes when the answer has come.
// Without a destination it is the one that answers. Arguments: own address, own port, [destination, port, datagrams, bytes,
// how many connections, each from the next port].

import { createSocket } from 'node:dgram'
import { once } from 'node:events'

const [own = '', ownPort = '', destination, port = '', datagrams = '', bytes = '', connections = '1'] =
  process.argv.slice(2)

for (let number = 0; number < Number(connections); number++) {
  const socket = createSocket('udp4').bind(Number(ownPort) + number, own)
  await once(socket, 'listening')
  if (destination === undefined) {
    socket.on('message', (message, { address, port: from }) => socket.send(message, from, address))
    continue
  }
  for (let left = Number(datagrams); left > 0; left--) {
    socket.send(Buffer.alloc(Number(bytes)), Number(port), destination)
    await once(socket, 'message')
  }
  socket.close()
}
