// The outer edge of the listener: how many connections one source may hold before it has shown a session, and what a
// client is answered whose request cannot be parsed.

import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { type Source, sourceOf } from '../runtime/source.ts'
import { takeInTurn } from './pipelining.ts'

/** Above this, connections that showed no session for a while make room for new ones. */
const softLimit = 64
const graceMilliseconds = 2_000
const hardLimit = 1_024

/** A client that takes less than this of its answers in this time is disconnected; Node does not do that. */
const takeMilliseconds = 30_000
const takeBytes = 64 * 1024
const lookEveryMilliseconds = 1_000

const known = new WeakSet<Socket>()
/** How to take a connection off the count. By peer, the only thing a TLS socket and the one below it share. */
const admit = new Map<string, () => void>()

const peerOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`

/** Called when a request on this connection had a valid session. */
export function markSignedIn(socket: Socket): void {
  if (known.has(socket)) return
  known.add(socket)
  admit.get(peerOf(socket))?.()
}

export function guardConnections(server: Server): Server {
  const unauthenticated = new Map<Source, Map<Socket, number>>()
  server.on('connection', (socket: Socket) => {
    const source = sourceOf(socket.remoteAddress)
    const own = unauthenticated.get(source) ?? new Map<Socket, number>()
    unauthenticated.set(source, own)
    makeRoom(own)
    own.set(socket, performance.now())
    const peer = peerOf(socket)
    const forget = (): void => {
      own.delete(socket)
      if (admit.get(peer) === forget) admit.delete(peer)
      if (own.size === 0 && unauthenticated.get(source) === own) unauthenticated.delete(source)
    }
    admit.set(peer, forget)
    socket.once('close', forget)
    if (own.size > hardLimit) socket.destroy()
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
  takeInTurn(server)
  readThroughStreams(server)
  dropUntaken(server)
  return server
}

/**
 * Node lets its parser take bytes straight from TLS, and stops it while an earlier answer has not left. What TLS had decrypted
 * by then still comes to the stopped parser, which takes it for a fault and cuts the connection: a client that sends a
 * long body right after a long answer. Anybody who wants the bytes of a connection ends the short cut, and a stream can wait.
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

function makeRoom(own: Map<Socket, number>): void {
  if (own.size < softLimit) return
  const oldest = performance.now() - graceMilliseconds
  for (const [socket, since] of own) {
    if (since < oldest) socket.destroy()
  }
}

const rawAnswers: Readonly<Record<string, readonly [string, string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'malformed', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'malformed', 'The request took too long to arrive.'],
}

function rawAnswer(code: string | undefined): string {
  const [status, name, message] = rawAnswers[code ?? ''] ?? [
    '400 Bad Request',
    'malformed',
    'The request cannot be parsed.',
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
