// Keeps every datagram that comes to some ports of an address, in a file: a line with the port and the bytes. Arguments: address,
// ports, file.

import { createSocket } from 'node:dgram'
import { appendFileSync } from 'node:fs'

const [address = '', ports = '', file = ''] = process.argv.slice(2)

for (const port of ports.split(','))
  createSocket('udp4')
    .on('message', (message) => appendFileSync(file, `${port} ${message.toString('base64')}\n`))
    .bind(Number(port), address)
