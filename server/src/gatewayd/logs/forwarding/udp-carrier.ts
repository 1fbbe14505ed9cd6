// Carries lines over UDP: one datagram each, sent and forgotten. What the own machine cannot send is not forgotten: it is tried
// again later.

import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { Broken, type Carrier, sentenceOf } from './carrier.ts'

/** Sent together; after them others have their turn, and so have answers that refuse. */
const together = 64
const refusedMilliseconds = 30_000

export async function openUdp({ host, port }: { readonly host: string; readonly port: number }): Promise<Carrier> {
  const collector = `${host}:${port}`
  const socket = createSocket('udp4')
  let refused = Number.NEGATIVE_INFINITY
  const { promise: broken } = Promise.withResolvers<Broken>()
  /** Refusals come late and not for every datagram, so one counts for a while. */
  const note = (error: Error | null): void => {
    if (error && isRefusal(error)) refused = performance.now()
  }
  try {
    socket.connect(port, host)
    await once(socket, 'connect')
  } catch (error) {
    socket.close()
    throw new Broken(sentenceOf(error, collector))
  }
  socket.on('error', note)
  socket.on('message', () => {})
  return {
    broken,
    get hindrance() {
      return performance.now() - refused < refusedMilliseconds ? sentenceOf({ code: 'ECONNREFUSED' }, collector) : null
    },
    async send(lines) {
      for (let at = 0; at < lines.length; at += together) {
        const sent = await Promise.all(lines.slice(at, at + together).map((line) => sendOne(socket, line)))
        const fault = sent.find((one) => one !== null && !isRefusal(one))
        if (fault) throw new Broken(sentenceOf(fault, collector))
        for (const one of sent) note(one)
      }
    },
    close: () => socket.close(),
  }
}

/** The answer to an earlier datagram comes as the fault of the next one, which was not sent; it is sent again, once. */
async function sendOne(socket: Socket, line: Buffer): Promise<Error | null> {
  const fault = await attempt(socket, line)
  if (fault === null || !isRefusal(fault)) return fault
  return (await attempt(socket, line)) ?? fault
}

const isRefusal = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'

const attempt = (socket: Socket, line: Buffer): Promise<Error | null> =>
  new Promise((resolve) => socket.send(line, (error) => resolve(error)))
