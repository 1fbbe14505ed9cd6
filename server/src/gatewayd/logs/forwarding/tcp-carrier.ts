// Carries lines over TCP or TLS. Lines count as delivered when the kernel of the collector has acknowledged all bytes, which our
// kernel knows; what only waits in our own send buffer would be lost with the connection.

import { connect, type Socket } from 'node:net'
import { setTimeout as passes } from 'node:timers/promises'
import { getCACertificates, connect as secure } from 'node:tls'
import { type SaidText, say, verbatim } from '../../../shared/said.ts'
import { Broken, type Carrier, sentenceOf } from './carrier.ts'
import { readSendQueue, type SendQueue, type TcpEnds } from './send-queue.ts'

export interface TcpTarget {
  readonly host: string
  readonly port: number
  readonly tls: TlsTarget | null
}

export interface TlsTarget {
  /** PEM; null: the authorities that this machine trusts. */
  readonly caCertificate: string | null
  /** The name that the certificate must be for; null: the address. */
  readonly serverName: string | null
}

const connectMilliseconds = 10_000
const keepAliveMilliseconds = 30_000
/** Repeats double their distance: this many take about half a minute. */
const maxUnanswered = 7
const shortestLook = 1
const longestLook = 250
/** A table with many connections takes long to read: looking at it takes at most this part of the time. */
const lookShare = 20

/** What sending is made of; tests have their own. */
export interface TcpParts {
  readonly readQueue: (ends: TcpEnds) => Promise<SendQueue | null>
  /** Resolves after this time, or at once when the signal is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

const systemParts: TcpParts = {
  readQueue: readSendQueue,
  pause: (milliseconds, signal) => passes(milliseconds, undefined, { signal }).catch(() => {}),
}

export async function openTcp(
  { host, port, tls }: TcpTarget,
  signal: AbortSignal,
  parts: TcpParts = systemParts,
): Promise<Carrier> {
  const collector = `${host}:${port}`
  const raw = connect({
    host,
    port,
    family: 4,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveMilliseconds,
  })
  const timer = setTimeout(
    () => raw.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })),
    connectMilliseconds,
  )
  const abort = (): void => void raw.destroy(new Error('stopped'))
  signal.addEventListener('abort', abort)
  // One that comes while no one waits for it, such as between two steps, is found by the next step.
  raw.on('error', () => {})
  try {
    await settled(raw, 'connect')
    // Known only now; of a socket that has ended it is no longer known.
    const ends = { ...localEndOf(raw), host, port }
    const socket = tls ? await secured(raw, host, tls) : raw
    return carrierOf(raw, socket, ends, collector, parts)
  } catch (error) {
    raw.destroy()
    throw new Broken(sentenceOf(error, collector))
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

async function secured(raw: Socket, host: string, { caCertificate, serverName }: TlsTarget): Promise<Socket> {
  const ca = caCertificate ?? [...getCACertificates('system'), ...getCACertificates('bundled')]
  const name = serverName === null ? {} : { servername: serverName }
  const socket = secure({ socket: raw, host: serverName ?? host, ...name, ca, minVersion: 'TLSv1.2' })
  // A handshake that the other side leaves ends the connection below, without a word to the one above.
  const leave = (): void => void socket.destroy(new Error('the connection ended during the TLS handshake'))
  raw.once('close', leave)
  await settled(socket, 'secureConnect')
  raw.off('close', leave)
  return socket
}

function localEndOf({ localAddress, localPort }: Socket): Pick<TcpEnds, 'localAddress' | 'localPort'> {
  if (!localAddress || !localPort) throw new Error('the connection has ended')
  return { localAddress, localPort }
}

function settled(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const close = (): void => reject(new Error('the connection was closed'))
    socket.once('error', reject)
    socket.once('close', close)
    socket.once(event, () => {
      socket.off('error', reject)
      socket.off('close', close)
      resolve()
    })
  })
}

function carrierOf(raw: Socket, socket: Socket, ends: TcpEnds, collector: string, parts: TcpParts): Carrier {
  let end: Broken | null = null
  let hindrance: SaidText | null = null
  const over = new AbortController()
  const { promise: broken, resolve } = Promise.withResolvers<Broken>()
  const finish = (reason: Broken): void => {
    if (end) return
    end = reason
    resolve(reason)
    over.abort()
    socket.destroy()
    raw.destroy()
  }
  socket.on('end', () => finish(new Broken(say`The collector ${collector} closed the connection.`, true)))
  socket.on('error', (error) => finish(new Broken(sentenceOf(error, collector))))
  socket.on('close', () => finish(new Broken(say`The connection to the collector ${collector} ended.`)))
  raw.on('error', (error) => finish(new Broken(sentenceOf(error, collector))))
  // Collectors have nothing to say. What is not read would make our kernel reset the connection when it is closed.
  socket.resume()

  const look = async (): Promise<SendQueue> => {
    const queue = await parts.readQueue(ends)
    if (end) throw end
    if (queue && queue.unanswered < maxUnanswered) return queue
    const code = queue ? 'ETIMEDOUT' : 'ECONNRESET'
    finish(new Broken(sentenceOf({ code }, collector)))
    throw end ?? new Error('the connection has ended')
  }

  return {
    broken,
    get hindrance() {
      return hindrance
    },
    async send(lines) {
      if (end) throw end
      let isHanded = false
      socket.write(Buffer.concat(lines), () => {
        isHanded = true
      })
      let left = -1
      let stalls = 0
      for (let wait = shortestLook; ; ) {
        const startedAt = performance.now()
        const { bytes } = await look()
        if (isHanded && bytes === 0) break
        stalls = bytes === left ? stalls + (wait === longestLook ? 1 : 0) : 0
        hindrance = stalls >= stallsUntilHung ? say`The collector ${collector} does not read what it is sent.` : null
        left = bytes
        const spent = performance.now() - startedAt
        await parts.pause(Math.max(wait, spent * lookShare), over.signal)
        wait = Math.min(wait * 2, longestLook)
      }
      hindrance = null
    },
    close() {
      if (end) return
      end = new Broken(verbatim('closed'))
      over.abort()
      socket.end()
      // A collector that does not read must not keep the connection for ever.
      setTimeout(() => raw.destroy(), closeMilliseconds).unref()
    },
  }
}
const closeMilliseconds = 5_000
/** Looks at the longest distance: five seconds. */
const stallsUntilHung = 20
