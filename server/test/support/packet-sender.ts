// Sends first packets of connections from the addresses and ports in its input, and does not wait for an answer. Runs as
// a program in the client's namespace: packets as JSON on stdin.

import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { SentPacket } from './packet-probe.ts'

const packets = (await json(process.stdin)) as readonly SentPacket[]
const pings = packets.filter(({ protocol }) => protocol === 'icmp')
const pingsAtOnce = 16

for (const packet of packets) {
  if (packet.protocol === 'udp') await sendDatagram(packet)
  if (packet.protocol === 'tcp') await sendSyn(packet)
}
for (let at = 0; at < pings.length; at += pingsAtOnce) await Promise.all(pings.slice(at, at + pingsAtOnce).map(ping))

async function sendDatagram({ source, source_port, destination, destination_port }: SentPacket): Promise<void> {
  const socket = createSocket('udp4')
  socket.bind({ address: source, port: source_port, exclusive: true })
  await once(socket, 'listening')
  // A datagram that is refused on the way does not arrive; that is not an error here.
  await new Promise((sent) => socket.send('probe', destination_port, destination, sent))
  socket.close()
}

/** The SYN is sent in the next turn of the event loop; closing then prevents retransmission. */
async function sendSyn({ source, source_port, destination, destination_port }: SentPacket): Promise<void> {
  const socket = connect({ host: destination, port: destination_port, localAddress: source, localPort: source_port })
  socket.on('error', () => {})
  await setImmediate()
  socket.destroy()
}

async function ping({ source, source_port, destination }: SentPacket): Promise<void> {
  const options = ['-n', '-q', '-c', '1', '-W', '0.05', '-e', `${source_port}`, '-I', source]
  await once(spawn('/usr/bin/ping', [...options, destination], { stdio: 'ignore' }), 'close')
}
