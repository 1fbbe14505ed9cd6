// WebSockets of agents: takes over the upgrade of one path of a listener, carries JSON text both ways and holds the limits
// of security requirement 18. What is said is the business of the conversation.

import { createHash } from 'node:crypto'
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { GatewayError } from '../contract/error.ts'
import { guardConnections } from './connections.ts'
import { answerFor, asGatewayError } from './errors.ts'
import { tlsHeaders } from './headers.ts'
import { checkFraming, plainAddress } from './request.ts'
import { parseJsonBytes } from './strict-json.ts'
import { createTlsServer, type ServerCertificate } from './tls.ts'
import {
  closeCodes,
  type Frame,
  FrameReader,
  opcodes,
  readClose,
  SocketFault,
  writeClose,
  writeFrame,
} from './websocket-frames.ts'

/** Called with each message in turn: what to answer, and whether that was the end. */
export type Conversation = (message: unknown) => { readonly reply: object | null; readonly isOver: boolean }

export interface SocketParts {
  readonly path: string
  readonly converse: () => Conversation
  /** Said to a message that is no JSON, before the socket closes. */
  readonly unreadable?: object
  /** A conversation failed through a fault of ours. */
  readonly onFault: (error: unknown) => void
  readonly limits?: Partial<SocketLimits>
}

export interface SocketLimits {
  readonly messageBytes: number
  readonly firstMessageMilliseconds: number
  /** Nobody is authorized in this release, so this is how long a conversation may take. */
  readonly conversationMilliseconds: number
  /** Frames of any kind within one conversation. */
  readonly frames: number
  /** Sockets at once from one address. */
  readonly perAddress: number
}

export const defaultLimits: SocketLimits = {
  messageBytes: 64 * 1024,
  firstMessageMilliseconds: 10_000,
  conversationMilliseconds: 30_000,
  frames: 100,
  perAddress: 32,
}

export interface Sockets {
  /** How many are open. */
  readonly count: number
  /** Ends them all; a server with upgraded connections would never finish closing. */
  close(): void
}

const closeMilliseconds = 2_000

export function serveSockets(server: HttpServer | Server, parts: SocketParts): Sockets {
  const { path } = parts
  const limits = { ...defaultLimits, ...parts.limits }
  const open = new Set<Socket>()
  const perAddress = new Map<string, number>()
  // Other paths and other protocols stay ordinary requests.
  Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => isFor(request, path) })
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const address = plainAddress(socket.remoteAddress)
    const count = perAddress.get(address) ?? 0
    try {
      if (count >= limits.perAddress) {
        throw new GatewayError('too_many_requests', 'Too many agents of this address wait to be authorized.', {
          retryAfterSeconds: 30,
        })
      }
      socket.write(handshake(request))
    } catch (error) {
      refuse(socket, error)
      return
    }
    perAddress.set(address, count + 1)
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
    carry(socket, head, parts, limits)
  })
  return {
    get count() {
      return open.size
    },
    close: () => {
      for (const socket of open) socket.destroy()
    },
  }
}

const pathOf = (url = ''): string => url.split('?')[0] ?? ''

const isFor = ({ url, headers }: IncomingMessage, path: string): boolean =>
  pathOf(url) === path && headers.upgrade?.toLowerCase() === 'websocket'

/** RFC 6455, 1.3 */
const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

function handshake(request: IncomingMessage): string {
  const { method, headers } = request
  checkFraming(request)
  // An agent is a program; a page that connects here is somebody else's.
  if (headers.origin !== undefined) throw new GatewayError('forbidden', 'Browsers cannot connect here.')
  const key = headers['sec-websocket-key'] ?? ''
  const isWellFormed =
    method === 'GET' && headers['sec-websocket-version'] === '13' && /^[A-Za-z0-9+/]{22}==$/.test(key)
  if (!isWellFormed) throw new GatewayError('malformed', 'This is not a WebSocket handshake of version 13.')
  const accept = createHash('sha1').update(`${key}${acceptSuffix}`).digest('base64')
  return [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    '\r\n',
  ].join('\r\n')
}

function refuse(socket: Socket, error: unknown): void {
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
}

function carry(socket: Socket, head: Buffer, parts: SocketParts, limits: SocketLimits): void {
  const { converse, unreadable, onFault } = parts
  const conversation = converse()
  const frames = new FrameReader(limits.messageBytes)
  const messages = new MessageReader(limits.messageBytes)
  let frameCount = 0
  let isClosing = false
  const firstMessage = setTimeout(() => end(closeCodes.policy, 'No message came.'), limits.firstMessageMilliseconds)
  const authorized = setTimeout(() => end(closeCodes.policy, 'Not authorized.'), limits.conversationMilliseconds)
  socket.once('close', () => {
    clearTimeout(firstMessage)
    clearTimeout(authorized)
  })
  socket.setTimeout(0)
  socket.setNoDelay(true)
  socket.on('data', receive)
  socket.on('end', () => socket.end())
  if (head.length > 0) receive(head)

  function receive(chunk: Buffer): void {
    try {
      for (const frame of frames.read(chunk)) {
        if (isClosing) return
        answer(frame)
      }
    } catch (error) {
      if (error instanceof SocketFault) end(error.code, error.message)
      else {
        end(closeCodes.ourFault)
        onFault(error)
      }
    }
  }

  function answer(frame: Frame): void {
    if (++frameCount > limits.frames) throw new SocketFault(closeCodes.policy, 'Too many messages.')
    if (frame.opcode === opcodes.ping) socket.write(writeFrame(opcodes.pong, frame.payload))
    if (frame.opcode === opcodes.close) end(readClose(frame.payload))
    if (frame.opcode >= opcodes.close) return
    const text = messages.read(frame)
    if (text === null) return
    clearTimeout(firstMessage)
    const message = parse(text)
    if (message === notJson) {
      if (unreadable) say(unreadable)
      throw new SocketFault(closeCodes.policy, 'This is not JSON.')
    }
    const { reply, isOver } = conversation(message)
    if (reply) say(reply)
    if (isOver) end(closeCodes.policy)
  }

  function say(reply: object): void {
    socket.write(writeFrame(opcodes.text, Buffer.from(JSON.stringify(reply))))
  }

  function end(code: number, reason = ''): void {
    if (isClosing) return
    isClosing = true
    socket.end(writeClose(code, reason))
    // Whoever does not close in turn is not waited for.
    const impatience = setTimeout(() => socket.destroy(), closeMilliseconds)
    socket.once('close', () => clearTimeout(impatience))
  }
}

/** Puts the parts of a message together. */
class MessageReader {
  readonly #maxBytes: number
  #parts: Buffer[] | null = null
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The whole message, or null while parts are missing. */
  read({ opcode, isFinal, payload }: Frame): Buffer | null {
    if (opcode === opcodes.binary) throw new SocketFault(closeCodes.unsupported, 'Messages are text.')
    if ((opcode === opcodes.continuation) !== (this.#parts !== null)) {
      throw new SocketFault(closeCodes.protocolError, 'Parts of messages are out of order.')
    }
    this.#parts ??= []
    this.#parts.push(payload)
    this.#size += payload.length
    if (this.#size > this.#maxBytes) throw new SocketFault(closeCodes.tooBig, 'The message is too long.')
    if (!isFinal) return null
    const whole = Buffer.concat(this.#parts)
    this.#parts = null
    this.#size = 0
    return whole
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

/** A listener for agents alone: whatever is no WebSocket on its path hears so and nothing else. */
export const createSocketListener = (certificate: ServerCertificate, path: string): Server =>
  guardConnections(createTlsServer(certificate, (request, response) => answerOrdinary(request, response, path)))

function answerOrdinary(request: IncomingMessage, response: ServerResponse, path: string): void {
  const isPath = pathOf(request.url) === path
  const body = JSON.stringify({
    code: 'not_found',
    message: isPath ? 'Agents connect here by WebSocket.' : 'There is nothing at this path.',
    request_id: '',
  })
  // Any answer but a redirect tells an agent that asks first to connect here (client-agent.md, "Redirect").
  response.writeHead(isPath ? 426 : 404, {
    ...tlsHeaders,
    ...(isPath ? { upgrade: 'websocket' } : {}),
    'content-type': 'application/json; charset=utf-8',
    connection: isPath ? 'close, upgrade' : 'close',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
