// WebSockets of agents: takes over the upgrade of one path of a listener, carries JSON text both ways and holds the limits
// of docs/behaviour/security.md 18. The content of messages is up to the conversation.

import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ServerOptions, WebSocket, WebSocketServer } from 'ws'
import { GatewayError } from '../../core/contract/error.ts'
import { parseJsonBytes } from '../../core/validation/strict-json.ts'
import { createTlsServer, type ServerCertificate } from '../../shared/certificates/tls.ts'
import { type Source, sourceOf } from '../../shared/net/source.ts'
import { say } from '../../shared/said.ts'
import { guardConnections } from './connections.ts'
import { answerFor, asGatewayError } from './errors.ts'
import { tlsHeaders } from './headers.ts'
import { checkFraming } from './request.ts'

/** Called with each message in order; returns the answer, and whether the conversation ends. */
export type Conversation = (message: unknown) => { readonly reply: object | null; readonly isOver: boolean }

export interface SocketParts {
  readonly path: string
  readonly converse: () => Conversation
  /** Sent in reply to a message that is not JSON, before the socket closes. */
  readonly unreadable?: object
  /** A conversation failed through an error of the gateway. */
  readonly onFault: (error: unknown) => void
  readonly limits?: Partial<SocketLimits>
}

export interface SocketLimits {
  readonly messageBytes: number
  readonly firstMessageMilliseconds: number
  /** No agent is authorized in this release, so this limits the length of a conversation. */
  readonly conversationMilliseconds: number
  /** Messages, pings and pongs within one conversation, and parts of one message. */
  readonly frames: number
  /** Pieces in which one frame may arrive. One of full size needs about fifty; many more are made to cost memory. */
  readonly pieces: number
  /** A client that does not answer a close is disconnected after this. */
  readonly closeMilliseconds: number
  /** What may still arrive after the end, such as the answer to the close; a client that sends more is disconnected. */
  readonly closingBytes: number
  /** Sockets at once from one source. */
  readonly perAddress: number
}

export const defaultLimits: SocketLimits = {
  messageBytes: 64 * 1024,
  firstMessageMilliseconds: 10_000,
  conversationMilliseconds: 30_000,
  frames: 100,
  pieces: 1_024,
  closeMilliseconds: 2_000,
  closingBytes: 64 * 1024,
  perAddress: 32,
}

export interface Sockets {
  /** How many are open. */
  readonly count: number
  /** Ends them all; a server with upgraded connections would never finish closing. */
  close(): void
}

/** RFC 6455, 7.4.1 */
const closeCodes = { unsupported: 1003, policy: 1008, ourFault: 1011 } as const

export function serveSockets(server: HttpServer | Server, parts: SocketParts): Sockets {
  const { path } = parts
  const limits = { ...defaultLimits, ...parts.limits }
  const perSource = new Map<Source, number>()
  const sockets = new WebSocketServer(optionsFor(limits))
  sockets.on('wsClientError', (_error, socket) => refuse(socket, malformed(), limits))
  // Other paths and other protocols stay ordinary requests.
  Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => isFor(request, path) })
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const source = sourceOf(socket.remoteAddress)
    const count = perSource.get(source) ?? 0
    try {
      if (count >= limits.perAddress) {
        throw new GatewayError(
          'too_many_requests',
          say`Too many agents from this address are waiting to be authorized. Try again later.`,
          {
            retryAfterSeconds: 30,
          },
        )
      }
      checkHandshake(request)
    } catch (error) {
      refuse(socket, error, limits)
      return
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      perSource.set(source, count + 1)
      socket.once('close', () => {
        const left = (perSource.get(source) ?? 1) - 1
        if (left === 0) perSource.delete(source)
        else perSource.set(source, left)
      })
      carry(webSocket, socket, parts, limits)
    })
  })
  return {
    get count() {
      return sockets.clients.size
    },
    close: () => {
      for (const webSocket of sockets.clients) webSocket.terminate()
    },
  }
}

/** The published types do not know `closeTimeout` yet: a literal in place would be refused. */
function optionsFor({ messageBytes, frames, pieces, closeMilliseconds }: SocketLimits): ServerOptions {
  const options = {
    noServer: true,
    maxPayload: messageBytes,
    maxFragments: frames,
    maxBufferedChunks: pieces,
    closeTimeout: closeMilliseconds,
    perMessageDeflate: false,
    // The JSON parser refuses what is not UTF-8, and the conversation says so.
    skipUTF8Validation: true,
    handleProtocols: () => false as const,
  }
  return options
}

const pathOf = (url = ''): string => url.split('?')[0] ?? ''

const isFor = ({ url, headers }: IncomingMessage, path: string): boolean =>
  pathOf(url) === path && headers.upgrade?.toLowerCase() === 'websocket'

const malformed = (): GatewayError => new GatewayError('malformed', say`This is not a WebSocket version 13 handshake.`)

/** What `ws` leaves open: it also accepts the draft version 8, and any origin. */
function checkHandshake(request: IncomingMessage): void {
  const { headers } = request
  checkFraming(request)
  // An agent is a program; a page that connects here belongs to another site.
  if (headers.origin !== undefined) throw new GatewayError('forbidden', say`Browsers cannot connect here.`)
  if (headers['sec-websocket-version'] !== '13') throw malformed()
}

/** Nothing that comes later is kept or looked at, and the connection does not outlive its answer for long. */
function boundClosing(socket: Duplex, isClosing: () => boolean, { closingBytes }: SocketLimits): void {
  let left = closingBytes
  // Before `ws` reads it: the bytes that cause the end are not among those after it.
  socket.prependListener('data', (bytes: Buffer) => {
    if (!isClosing()) return
    left -= bytes.length
    if (left < 0) socket.destroy()
  })
}

function refuse(socket: Duplex, error: unknown, limits: SocketLimits): void {
  const answer = answerFor(asGatewayError(error), '')
  const body = JSON.stringify(answer.body)
  const headers = {
    ...tlsHeaders,
    ...answer.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${answer.status} Refused`, ...lines, '', body].join('\r\n'))
  boundClosing(socket, () => true, limits)
  socket.resume()
  const cutOff = setTimeout(() => socket.destroy(), limits.closeMilliseconds)
  socket.once('close', () => clearTimeout(cutOff))
}

function carry(webSocket: WebSocket, socket: Socket, parts: SocketParts, limits: SocketLimits): void {
  const { converse, unreadable, onFault } = parts
  const conversation = converse()
  let frameCount = 0
  boundClosing(socket, () => webSocket.readyState !== WebSocket.OPEN, limits)
  const firstMessage = setTimeout(
    () => end(closeCodes.policy, 'Timed out waiting for a message.'),
    limits.firstMessageMilliseconds,
  )
  const authorized = setTimeout(() => end(closeCodes.policy, 'Not authorized.'), limits.conversationMilliseconds)
  webSocket.once('close', () => {
    clearTimeout(firstMessage)
    clearTimeout(authorized)
  })
  // What breaks the protocol: `ws` closes with the code that fits.
  webSocket.on('error', () => {})
  webSocket.on('ping', isWithinLimit)
  webSocket.on('pong', isWithinLimit)
  webSocket.on('message', (data: Buffer, isBinary) => {
    if (!isWithinLimit()) return
    try {
      if (isBinary) end(closeCodes.unsupported, 'Messages are text.')
      else answer(data)
    } catch (error) {
      end(closeCodes.ourFault)
      onFault(error)
    }
  })

  /** False for everything that comes after the end. */
  function isWithinLimit(): boolean {
    if (webSocket.readyState !== WebSocket.OPEN) return false
    if (++frameCount <= limits.frames) return true
    end(closeCodes.policy, 'Too many messages.')
    return false
  }

  function answer(text: Buffer): void {
    clearTimeout(firstMessage)
    const message = parse(text)
    if (message === notJson) {
      if (unreadable) send(unreadable)
      end(closeCodes.policy, 'This is not JSON.')
      return
    }
    const { reply, isOver } = conversation(message)
    if (reply) send(reply)
    if (isOver) end(closeCodes.policy)
  }

  function send(reply: object): void {
    webSocket.send(JSON.stringify(reply))
  }

  function end(code: number, reason = ''): void {
    if (webSocket.readyState !== WebSocket.OPEN) return
    webSocket.close(code, reason)
    socket.end()
  }
}

const notJson = Symbol('no JSON')

function parse(text: Buffer): unknown {
  try {
    return parseJsonBytes(text)
  } catch {
    return notJson
  }
}

/** A listener for agents alone: any request that is not a WebSocket on its path gets a short refusal. */
export const createSocketListener = (certificate: ServerCertificate, path: string): Server =>
  guardConnections(createTlsServer(certificate, (request, response) => answerOrdinary(request, response, path)))

function answerOrdinary(request: IncomingMessage, response: ServerResponse, path: string): void {
  const isPath = pathOf(request.url) === path
  const body = JSON.stringify({
    code: 'not_found',
    message: isPath ? 'Agents connect here by WebSocket.' : 'There is no endpoint at this path.',
    request_id: '',
  })
  // An agent that asks first connects here unless the answer is a redirect (docs/behaviour/agent-listener.md 1).
  response.writeHead(isPath ? 426 : 404, {
    ...tlsHeaders,
    ...(isPath ? { upgrade: 'websocket' } : {}),
    'content-type': 'application/json; charset=utf-8',
    connection: isPath ? 'close, upgrade' : 'close',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
