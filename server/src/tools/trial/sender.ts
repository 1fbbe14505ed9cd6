// Runs in the namespace of the peers and sends what it is given, one JSON list a line: the first packet of a TCP
// connection or one UDP datagram each. The namespace's own rules turn them into the packets of the trial. Ends with its
// standard input, and the namespace with it.

import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

export interface Sending {
  readonly protocol: 'tcp' | 'udp'
  readonly address: string
  readonly port: number
}

const datagrams = createSocket('udp4')
datagrams.on('error', () => {})

function send({ protocol, address, port }: Sending): void {
  // A device that is down refuses to send: then nothing arrives, which is the answer.
  if (protocol === 'udp') {
    datagrams.send('?', port, address, () => {})
    return
  }
  const socket = connect(port, address)
  socket.on('error', () => {})
  // One SYN is enough: a socket that is closed in time does not repeat it.
  setImmediate(() => socket.destroy())
}

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) for (const one of JSON.parse(line)) send(one)
process.exit(0)
