// Runs in the internet beside a machine: sends a datagram in every millisecond until its input ends, then prints how many.

import { createSocket } from 'node:dgram'

const [source, destination = ''] = process.argv.slice(2)
const discardPort = 9
const socket = createSocket('udp4')
let sent = 0

socket.bind({ address: source, port: 40_000, exclusive: true }, () => {
  process.stdout.write('sending\n')
  const timer = setInterval(() => {
    // While the machine has no card there is no way to send.
    socket.send('flood', discardPort, destination, (error) => {
      if (error === null) sent += 1
    })
  }, 1)
  process.stdin.resume().once('end', () => {
    clearInterval(timer)
    process.stdout.write(`${sent}\n`)
    socket.close()
  })
})
