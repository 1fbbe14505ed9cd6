// The socket: frames in, verbs out, replies back in the order of completion. A peer that breaks the framing loses its
// connection; an invalid request gets an error; neither affects other peers.

import { createServer, type Socket } from 'node:net'
import type { Verb, VerbTable } from '../core/plan/verbs.ts'
import { type Log, wordsOf } from '../engines/kit/text.ts'
import { parseCount, parseKeys, Refusal, UnknownPiece } from '../engines/kit/values.ts'
import { createFrameReader, encodeFrame, maxFrameBytes } from '../shared/frames.ts'
import { type Sentence, sentencesIn } from '../shared/said.ts'
import type { ArgumentParsers } from './requests.ts'
import { readPartsAhead } from './wire/plan.ts'
import { checkShape } from './wire/shape.ts'

/** `connection` identifies who asks; null inside this process. */
export type Verbs = {
  readonly [V in Verb]: (args: VerbTable[V]['args'], connection?: object | null) => Promise<VerbTable[V]['result']>
}

const planVerbs: ReadonlySet<string> = new Set<Verb>(['check', 'apply', 'attempt'])

interface Peer {
  readonly isBusy: () => boolean
  readonly readAhead: (args: unknown) => Promise<void>
}

const connectionLimit = 8
const requestLimit = 64
/** Of all that waits, on all connections: plans wait for their turn with all that they contain. */
const mostWaitingBytes = 2 * maxFrameBytes

interface ServerParts {
  /** Each connection has separate parsers: they remember what it sent. */
  readonly createParsers: () => ArgumentParsers
  readonly onDisconnected: (connection: object) => void
  readonly log: Log
  readonly waitingBytesLimit?: number
}

export function createVerbServer(verbs: Verbs, parts: ServerParts) {
  const { createParsers, onDisconnected, log, waitingBytesLimit = mostWaitingBytes } = parts
  const sockets = new Set<Socket>()
  const running = new Set<Promise<void>>()
  let waitingBytes = 0
  let warnedAt = Number.NEGATIVE_INFINITY
  const call = <V extends Verb>(verb: V, args: unknown, parsers: ArgumentParsers): Promise<unknown> =>
    verbs[verb](parsers[verb](args), parsers)

  /** The parsers are those of one connection, and stand for it. */
  const perform = async (id: number, message: unknown, parsers: ArgumentParsers, peer: Peer): Promise<Buffer> => {
    try {
      if (peer.isBusy()) throw new Refusal('Too many requests are waiting.')
      const { verb, args } = parseKeys(message, ['id', 'verb', 'args'])
      if (typeof verb !== 'string' || !Object.hasOwn(verbs, verb)) throw new Refusal('Unknown verb.')
      if (planVerbs.has(verb)) await peer.readAhead(args)
      const result = await call(verb as Verb, args, parsers)
      return encodeFrame({ id, ok: true, result, ...spokenIn(messagesIn(result)) })
    } catch (fault) {
      if (!(fault instanceof Refusal)) log('error', 'A verb failed', { fault })
      const said = wordsOf(fault)
      const refusal = { id, ok: false, message: said, ...spokenIn([said]) } as const
      return encodeFrame(fault instanceof UnknownPiece ? { ...refusal, isPieceUnknown: true } : refusal)
    }
  }

  const server = createServer((socket) => {
    const parsers = createParsers()
    let waiting = 0
    let ahead = Promise.resolve()
    /** Plans of a connection refer to each other, so they are read in their order. */
    const readAhead = async (args: unknown): Promise<void> => {
      ahead = ahead.then(() => readPartsAhead(args))
      await ahead
      // What was left to be undone at its end is undone already.
      if (socket.destroyed) throw new Refusal('The connection has ended.')
    }
    const peer = { isBusy: () => waiting > requestLimit || waitingBytes > waitingBytesLimit, readAhead }
    const read = createFrameReader(
      (message, bytes) => {
        // Without an id there is nothing to answer: this throws, and the connection is closed.
        const id = parseCount((message as { id?: unknown } | null)?.id, 'id')
        waiting += 1
        waitingBytes += bytes
        const work = perform(id, message, parsers, peer).then((reply) => {
          waiting -= 1
          waitingBytes -= bytes
          running.delete(work)
          if (!socket.destroyed) socket.write(reply)
          // A peer that sends requests and never reads must not fill the memory.
          if (socket.writableLength > 2 * maxFrameBytes) socket.destroy()
        })
        running.add(work)
      },
      maxFrameBytes,
      checkShape,
    )
    sockets.add(socket)
    socket.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch (fault) {
        // One that breaks it again and again does not push everything else out of the log.
        if (performance.now() - warnedAt > 1_000) {
          log('warning', 'A connection broke the framing and was closed', { reason: wordsOf(fault) })
          warnedAt = performance.now()
        }
        socket.destroy()
      }
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      onDisconnected(parsers)
    })
  })
  server.maxConnections = connectionLimit

  /** Accepts nothing new, waits until running requests are answered, then closes every connection. */
  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.pause()
    while (running.size > 0) await Promise.all(running)
    for (const socket of sockets) socket.destroySoon()
    await closed
  }
  return { server, close }
}

/** What the messages consist of, for gatewayd. */
function spokenIn(messages: readonly string[]): { readonly sentences?: readonly Sentence[] } {
  const sentences = sentencesIn(messages)
  return sentences.length > 0 ? { sentences } : {}
}

/** Messages of a result, and of the entries of its lists. */
function messagesIn(result: unknown): string[] {
  const lists = typeof result === 'object' && result !== null ? Object.values(result).filter(Array.isArray) : []
  return [result, ...lists.flat()]
    .map((one) => (one as { readonly message?: unknown } | null)?.message)
    .filter((message) => typeof message === 'string' && message !== '') as string[]
}
