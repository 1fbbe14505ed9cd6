// Sends queries over UDP as fast as the kernel takes them, from a namespace of the lab, each for another name below a zone, and
// reads no answer. Arguments: how many, the server and the zones, which take turns.

import { createSocket } from 'node:dgram'

const [count = '0', server = '', ...zones] = process.argv.slice(2)
const together = 64
const socket = createSocket('udp4')
const labels = (name: string): Buffer =>
  Buffer.concat(name.split('.').flatMap((label) => [Buffer.of(label.length), Buffer.from(label)]))
const head = Buffer.of(0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0)
const tails = zones.map((zone) => Buffer.concat([labels(zone), Buffer.of(0, 0, 1, 0, 1)]))
let sent = 0

function step(): void {
  if (sent >= Number(count)) {
    socket.close()
    return
  }
  let open = together
  const done = (): void => {
    open--
    if (open === 0) setImmediate(step)
  }
  for (let at = 0; at < together; at++, sent++)
    socket.send(
      Buffer.concat([head, labels(`r${process.pid}x${sent}`), tails[sent % tails.length] ?? head]),
      53,
      server,
      done,
    )
}
step()
