// The socket of the portal: frames in, verbs out, replies back in the order of completion. A peer that breaks the framing
// loses its connection, an invalid request gets an error, and neither affects others. Peers, requests and replies are bounded.

import { chmodSync, existsSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Log } from '../../../core/log.ts'
import { maxPortalFrameBytes, type PortalVerb, type PortalVerbs } from '../../../engines/portal/protocol.ts'
import { createFrameReader, encodeFrame } from '../../../shared/frames.ts'
import { Allowance } from './allowance.ts'
import { PortalRefusal, parseKeys, portalParsers } from './requests.ts'

export type PortalActions = {
  readonly [V in PortalVerb]: (args: PortalVerbs[V]['args']) => Promise<PortalVerbs[V]['result']>
}

/** The portal has one connection; a new one of it may come before the old one was noticed to have gone. */
const connectionLimit = 8
/** The portal holds 2,000 clients, each with one request. */
const requestLimit = 4_096
const maxUnread = 4 * 1024 * 1024
/** Requests in a second, and at once. The portal asks less; one that was taken over must leave gatewayd time for others. */
const requestsPerSecond = 1_000
const requestsAtOnce = 2_000
const overMilliseconds = 100
/** What is read before others get a turn: some ten requests. */
const sliceBytes = 1024
const retryMilliseconds = 1_000

export interface PortalSocketParts {
  readonly path: string
  readonly actions: PortalActions
  readonly log: Log
}

/** Answers the verbs of one peer after the other; `close` waits for nothing, because the peer asks again. */
export function createPortalServer({ actions, log }: Omit<PortalSocketParts, 'path'>) {
  const sockets = new Set<Socket>()
  const warnings = new Allowance(() => performance.now() / 1000, 3, 1 / 60)
  const requests = new Allowance(() => performance.now() / 1000, requestsAtOnce, requestsPerSecond)
  let waiting = 0

  const call = <V extends PortalVerb>(verb: V, args: unknown): Promise<PortalVerbs[V]['result']> =>
    actions[verb](portalParsers[verb](args))

  async function perform(id: number, message: unknown): Promise<object> {
    try {
      if (waiting > requestLimit) throw new PortalRefusal('Too many requests are waiting.')
      const { verb, args } = parseKeys(message, ['id', 'verb', 'args'])
      if (typeof verb !== 'string' || !Object.hasOwn(portalParsers, verb)) throw new PortalRefusal('Unknown verb.')
      return { id, ok: true, result: await call(verb as PortalVerb, args) }
    } catch (fault) {
      if (fault instanceof PortalRefusal) return { id, ok: false, message: fault.message }
      if (warnings.take()) log('error', 'a request of the portal failed', { error: fault })
      return { id, ok: false, message: 'The request failed.' }
    }
  }

  const server: Server = createServer((socket) => {
    let isOver = false
    const read = createFrameReader((message) => {
      // Without an id there is nothing to answer: this throws, and the connection is closed.
      const id = idOf(message)
      if (!requests.take()) isOver = true
      waiting += 1
      void perform(id, message).then((reply) => {
        waiting -= 1
        if (!socket.destroyed) socket.write(encodeFrame(reply))
        // A peer that sends requests and never reads must not fill the memory.
        if (socket.writableLength > maxUnread) socket.destroy()
      })
    }, maxPortalFrameBytes)
    sockets.add(socket)
    socket.on('data', (chunk: Buffer) => {
      socket.pause()
      void readInTurns(chunk).finally(() => socket.resume())
    })
    const readInTurns = async (chunk: Buffer): Promise<void> => {
      // What came after a broken frame is not read.
      for (let at = 0; at < chunk.length && !socket.destroyed; at += sliceBytes) {
        try {
          read(chunk.subarray(at, at + sliceBytes))
        } catch {
          if (warnings.take()) log('warning', 'the portal broke the framing and was disconnected')
          socket.destroy()
        }
        const isLate = isOver
        isOver = false
        await new Promise((resolve) => {
          if (isLate) setTimeout(resolve, overMilliseconds)
          else setImmediate(resolve)
        })
      }
    }
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  server.maxConnections = connectionLimit

  function close(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  return { server, close }
}

function idOf(message: unknown): number {
  const id = (message as { readonly id?: unknown } | null)?.id
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return id
  throw new PortalRefusal('The id is not a valid number.')
}

/**
 * Listens at the path, in a folder that applyd makes: tried again until it is there. The folder lets in the account of the
 * portal alone, and gives the socket its group.
 */
export function servePortal({ path, ...parts }: PortalSocketParts): { close(): Promise<void> } {
  const { server, close } = createPortalServer(parts)
  let timer: NodeJS.Timeout | null = null
  let reported = ''
  const later = (): void => {
    timer = setTimeout(listen, retryMilliseconds).unref()
  }
  const fail = (error: NodeJS.ErrnoException): void => {
    if (error.code !== reported) parts.log('warning', 'the portal cannot connect', { error })
    reported = error.code ?? ''
    later()
  }
  function listen(): void {
    if (!existsSync(dirname(path))) {
      later()
      return
    }
    try {
      // What an earlier process left there.
      rmSync(path, { force: true })
      server.listen(path)
    } catch (error) {
      fail(error as NodeJS.ErrnoException)
    }
  }
  server.on('listening', () => chmodSync(path, 0o660))
  server.on('error', fail)
  listen()
  return {
    close: async () => {
      if (timer) clearTimeout(timer)
      await (server.listening ? close() : Promise.resolve())
    },
  }
}
