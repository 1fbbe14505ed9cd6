// The test of a channel: two datagrams over loopback, which the kernel sends through the engine as a connection of that channel. The
// plain one must arrive, and the one with the text of the generation must not. Only then are the rules of this generation in force.

import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { patient } from '../../../shared/pace.ts'

export interface CanaryResult {
  /**
   * `inspected`: with the rules of the generation. `passed`: both came, so other rules or none are in force. `silent`: the
   * plain one did not come either. `failed`: the test could not be made.
   */
  readonly found: 'inspected' | 'passed' | 'silent' | 'failed'
  /** Why it failed; empty otherwise. */
  readonly fault: string
}

export interface CanaryOptions {
  readonly port: number
  /** What the engine drops. */
  readonly text: string
  /** For the plain datagram to arrive, on a machine that is not very slow. */
  readonly patienceMs?: number
  /** For the other one not to arrive, at least; longer where the plain one took long. */
  readonly quietMs?: number
  /** To the port of `port` unless the test of this file says otherwise. */
  readonly sendTo?: number
}

const host = '127.0.0.1'
/** Of the time that the plain datagram took: one behind it in the same queue has come by then. */
const slowness = 4

/** Never rejects. Each test has its own source port, so the engine takes it for a connection of its own. */
export async function testChannel(options: CanaryOptions): Promise<CanaryResult> {
  const { port, text, quietMs = 250 } = options
  const patienceMs = patient(options.patienceMs ?? 2_000)
  const receiver = createSocket('udp4')
  const sender = createSocket('udp4')
  try {
    await bind(receiver, port)
    await bind(sender, 0)
    const nonce = randomBytes(8).toString('hex')
    const target = options.sendTo ?? port
    const begun = performance.now()
    const arrivals = arrivalsAt(receiver)
    await send(sender, `portcullis-plain ${nonce}`, target)
    if (!(await arrivals.within(`portcullis-plain ${nonce}`, patienceMs))) return { found: 'silent', fault: '' }
    const quiet = Math.max(quietMs, slowness * (performance.now() - begun))
    await send(sender, `${text} ${nonce}`, target)
    const isPassed = await arrivals.within(`${text} ${nonce}`, Math.min(quiet, patienceMs))
    return { found: isPassed ? 'passed' : 'inspected', fault: '' }
  } catch (error) {
    return { found: 'failed', fault: (error as Error).message }
  } finally {
    receiver.close()
    sender.close()
  }
}

async function bind(socket: Socket, port: number): Promise<void> {
  socket.bind({ port, address: host, exclusive: true })
  // Rejects with the error of the socket.
  await once(socket, 'listening')
  // A datagram that is refused on its way says so here; the test sees it by itself.
  socket.on('error', () => {})
}

const send = (socket: Socket, text: string, port: number): Promise<void> =>
  new Promise((resolve) => socket.send(text, port, host, () => resolve()))

function arrivalsAt(socket: Socket) {
  const arrived = new Set<string>()
  let onArrival = (): void => {}
  socket.on('message', (bytes) => {
    // Anyone who floods the port does not fill the memory.
    if (arrived.size < 100) arrived.add(bytes.toString('latin1'))
    onArrival()
  })
  return {
    within: (text: string, ms: number): Promise<boolean> => {
      if (arrived.has(text)) return Promise.resolve(true)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(resolve, ms, false)
      onArrival = () => {
        if (!arrived.has(text)) return
        clearTimeout(timer)
        resolve(true)
      }
      return promise
    },
  }
}
