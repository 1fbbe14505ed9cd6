// The outer edge of the listener: which connections are held and when their handshake begins, clients that do not take their
// answers, and what a client is answered whose request cannot be parsed.

import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { sourceOf } from '../../shared/net/source.ts'
import { say } from '../../shared/said.ts'
import { ConnectionShares, type ShareLimits } from './connection-shares.ts'
import { HandshakeTurns } from './handshake-turns.ts'
import { takeInTurn } from './pipelining.ts'

/** A client that takes less than this of its answers in this time is disconnected; Node does not do that. */
const takeMilliseconds = 30_000
const takeBytes = 64 * 1024
const lookEveryMilliseconds = 1_000

/** A connection that finds no place in the kernel is tried again by its client after seconds only. The kernel may allow less. */
const backlog = 1_024

/** Connections on which a session was shown. */
const known = new WeakSet<Socket>()
/** What to do when one is shown. By both ends, the only thing a TLS socket and the one below it share. */
const signIns = new Map<string, (owner: string) => void>()

const endsOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort} ${socket.localPort}`

/** Called when a request on this connection had a valid session, or began one. */
export function markSignedIn(socket: Socket, owner: string): void {
  if (known.has(socket)) return
  known.add(socket)
  signIns.get(endsOf(socket))?.(owner)
}

export function guardConnections(server: Server, limits: Partial<ShareLimits> = {}): Server {
  const shares = new ConnectionShares(limits)
  const turns = new HandshakeTurns((source) => shares.isFamiliar(source))
  // Before TLS begins: what is refused costs nothing but its acceptance.
  const handlers = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const source = sourceOf(socket.remoteAddress)
    // One that is reset while it waits is not a fault of the gateway.
    socket.on('error', () => {})
    if (!shares.admit(socket, source, performance.now())) {
      socket.destroy()
      return
    }
    const ends = endsOf(socket)
    const signIn = (owner: string): void => {
      signIns.delete(ends)
      shares.signIn(socket, source, owner)
    }
    signIns.set(ends, signIn)
    socket.once('close', () => {
      shares.forget(socket)
      if (signIns.get(ends) === signIn) signIns.delete(ends)
    })
    turns.take(socket, source, () => {
      for (const handler of handlers) handler.call(server, socket)
    })
  })
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    // Before TLS is there, no one reads an answer and nothing ends the connection.
    const isReadable = error.code?.startsWith('HPE_') || error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (isReadable && socket.writable && !socket.destroyed) socket.end(rawAnswer(error.code))
    else socket.destroy()
  })
  // An unknown expectation is ignored; Node's own refusal would lack our headers.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.maxHeadersCount = 0
  queueMany(server)
  takeInTurn(server)
  readThroughStreams(server)
  dropUntaken(server)
  return server
}

/** Beside an open socket Node reads the backlog from the arguments alone, which Fastify does not give. */
function queueMany(server: Server): void {
  const listen = server.listen.bind(server) as (...given: unknown[]) => Server
  const listenLong = (...given: unknown[]): Server =>
    given.length === 1 && typeof given[0] === 'object' ? listen(given[0], backlog) : listen(...given)
  Object.assign(server, { listen: listenLong })
}

/**
 * Node lets its parser take bytes straight from TLS, and stops it while an earlier answer has not left. What TLS had decrypted
 * by then still comes to the stopped parser, which takes it for a fault and cuts the connection: a client that sends a
 * long body right after a long answer. Anyone who wants the bytes of a connection ends the short cut, and a stream can wait.
 */
function readThroughStreams(server: Server): void {
  const ignore = (): void => {}
  server.on('secureConnection', (socket: Socket) => socket.on('data', ignore).off('data', ignore))
}

type Sending = Pick<Socket, 'writableLength' | 'bytesWritten'>

/** Judges one connection, look by look: true when its client takes too little of what waits for it. */
export function createTakeWatch(socket: Sending): (now: number) => boolean {
  /** Since when something waits, and what had been taken by then; a long answer always has something that waits. */
  let since: { readonly now: number; readonly taken: number } | null = null
  return (now) => {
    const taken = socket.bytesWritten - socket.writableLength
    if (socket.writableLength === 0) since = null
    else if (since === null || taken - since.taken >= takeBytes) since = { now, taken }
    return since !== null && now - since.now > takeMilliseconds
  }
}

function dropUntaken(server: Server): void {
  const watches = new Map<Socket, (now: number) => boolean>()
  server.on('secureConnection', (socket: Socket) => {
    watches.set(socket, createTakeWatch(socket))
    socket.once('close', () => watches.delete(socket))
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [socket, isStuck] of watches) if (isStuck(now)) socket.destroy()
  }, lookEveryMilliseconds)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

const rawAnswers: Readonly<Record<string, readonly [string, string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'malformed', say`The headers are too large.`],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'malformed', say`The request took too long to arrive.`],
}

function rawAnswer(code: string | undefined): string {
  const [status, name, message] = rawAnswers[code ?? ''] ?? [
    '400 Bad Request',
    'malformed',
    say`The request cannot be parsed.`,
  ]
  const body = JSON.stringify({ code: name, message, request_id: '' })
  return [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Referrer-Policy: no-referrer',
    'Cross-Origin-Opener-Policy: same-origin',
    'Cross-Origin-Resource-Policy: same-origin',
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
    'Strict-Transport-Security: max-age=31536000',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
