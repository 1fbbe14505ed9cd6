// The two listeners of the portal. Plain HTTP only leads to the other one; everything else is HTTPS.

import { createServer, type IncomingMessage, type Server as PlainServer, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer, type ServerOptions } from 'node:https'
import { isIPv4, type Socket } from 'node:net'
import type { PortalFile } from '../engines/portal/settings-file.ts'
import { type Form, type FormFault, readForm } from './forms.ts'
import { type Gateway, GatewayAway, GatewayBusy } from './gateway-client.ts'
import { withWanted } from './layout.ts'
import { type ConnectionLimits, ConnectionTable, RequestBudget, type RequestLimits } from './limits.ts'
import { faultPage } from './pages.ts'
import { pageReply, type Reply, redirect, send, textReply } from './replies.ts'
import { isOwnForm, type Request, readRequest } from './requests.ts'
import { captivePath, routes } from './routes.ts'
import { type StyleSheet, styleSheet } from './style.ts'
import type { PortalFault } from './texts.ts'
import { wantedOf } from './wanted.ts'

interface PortalLimits {
  readonly secure: ConnectionLimits
  readonly plain: ConnectionLimits
  readonly requests: RequestLimits
  /** For the headers of a request, for its body, and for a client to take its answer. */
  readonly slowMs: number
  readonly keepAliveMs: number
}

/** 2,000 clients with two connections each; a browser opens up to six. */
const limits: PortalLimits = {
  secure: { all: 4_096, ofSource: 24 },
  plain: { all: 1_024, ofSource: 16 },
  requests: { burst: 60, perSecond: 10, sources: 16_384 },
  slowMs: 10_000,
  keepAliveMs: 300_000,
}

export interface PortalParts {
  readonly file: PortalFile
  readonly gateway: Gateway
  readonly tls: ServerOptions
  /** The port in addresses that clients are sent to. */
  readonly securePort: number
  readonly log: (message: string) => void
}

const lookMs = 1_000
/** What a browser waits before it asks again while gatewayd is away. */
const retrySeconds = 5
const maxHeaderBytes = 8 * 1024

export class Portal {
  readonly plain: PlainServer
  readonly secure: SecureServer
  readonly #parts: PortalParts
  readonly #budget: RequestBudget
  #file: PortalFile
  #style: StyleSheet
  #addresses: ReadonlySet<string>

  constructor(parts: PortalParts) {
    this.#parts = parts
    this.#file = parts.file
    this.#style = styleSheet(parts.file.accent)
    this.#addresses = new Set(parts.file.addresses)
    this.#budget = new RequestBudget(limits.requests)
    const { slowMs, keepAliveMs } = limits
    const options = {
      maxHeaderSize: maxHeaderBytes,
      requireHostHeader: true,
      insecureHTTPParser: false,
      headersTimeout: slowMs,
      requestTimeout: 2 * slowMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: lookMs,
    }
    const [plain, secure] = [new ConnectionTable(limits.plain), new ConnectionTable(limits.secure)]
    this.plain = createServer(options, (request, response) => {
      request.resume()
      send(response, this.#lead(request), request.method === 'HEAD')
    })
    this.secure = createSecureServer(
      { ...parts.tls, ...options, handshakeTimeout: slowMs },
      (request, response) => void this.#serve(request, response, secure),
    )
    this.#guard(this.plain, plain)
    this.#guard(this.secure, secure)
    this.secure.on('secureConnection', (socket: Socket) => secure.secure(socket))
    setInterval(() => {
      for (const table of [plain, secure]) table.dropUntaken(performance.now(), slowMs)
    }, lookMs).unref()
  }

  /** New texts and addresses; connections stay. */
  apply(file: PortalFile): void {
    this.#file = file
    this.#style = styleSheet(file.accent)
    this.#addresses = new Set(file.addresses)
  }

  #guard(server: PlainServer | SecureServer, table: ConnectionTable): void {
    server.on('connection', (socket: Socket) => {
      const source = addressOf(socket.remoteAddress)
      const own = addressOf(socket.localAddress)
      // The firewall lets only local networks in; a rule of an administrator may open the port to others.
      if (source === null || own === null || !this.#isOwn(own)) socket.destroy()
      else table.admit(socket, source)
    })
    server.on('clientError', (fault: Error & { readonly code?: string }, socket: Socket) => {
      const answer = rawAnswer(fault.code ?? '')
      if (answer === null || !socket.writable) socket.destroy()
      else socket.end(answer, () => socket.destroy())
    })
    server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    for (const event of ['upgrade', 'connect']) server.on(event, (_, socket: Socket) => socket.destroy())
    server.maxHeadersCount = 64
  }

  #isOwn(address: string): boolean {
    return this.#addresses.has(address) || (isIPv4(address) && address.startsWith('127.'))
  }

  /** Where the clients of this connection find the portal. */
  #authorityOf(socket: Socket): string {
    return `${this.#file.host || addressOf(socket.localAddress)}:${this.#parts.securePort}`
  }

  /** The browser of a host without access was redirected here from any address. */
  #lead({ method, socket, headers: { host }, url }: IncomingMessage): Reply {
    // The browser takes this connection for one to the site that it asked for, so it must not use it again.
    const close = { Connection: 'close' }
    if (!this.#budget.take(addressOf(socket.remoteAddress) ?? '', performance.now()))
      return textReply(429, 'text/plain', 'Too many requests.\n', { ...close, 'Retry-After': '5' })
    if (method !== 'GET' && method !== 'HEAD')
      return textReply(403, 'text/plain', 'Sign in with a browser first.\n', close)
    const wanted = host !== undefined && this.#isOurName(host) ? null : wantedOf(host, url ?? '/')
    return redirect(302, withWanted(`https://${this.#authorityOf(socket)}/`, wanted), close)
  }

  /** Of a Host header. */
  #isOurName(host: string): boolean {
    const name = host.replace(/:\d+$/, '').toLowerCase()
    return name === this.#file.host.toLowerCase() || name === 'localhost' || this.#isOwn(name)
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse, table: ConnectionTable): Promise<void> {
    table.touch(incoming.socket)
    try {
      send(response, await this.#answer(incoming), incoming.method === 'HEAD')
    } catch (fault) {
      this.#parts.log(`A request failed: ${wordsOf(fault)}`)
      response.destroy()
    }
    // What is left of a body that was not wanted is not read either.
    if (!incoming.complete) incoming.socket.destroySoon()
  }

  async #answer(incoming: IncomingMessage): Promise<Reply> {
    const { socket, headers } = incoming
    const address = addressOf(socket.remoteAddress) ?? ''
    const authority = this.#authorityOf(socket)
    const method = methodOf(incoming.method)
    const url = urlOf(incoming.url ?? '/', authority)
    const route = url && routes.get(url.pathname)
    const handler = route && method && route[method]
    const make = (form: Form): Request => {
      const parts = { headers, address, authority, file: this.#file, stylePath: this.#style.path }
      return readRequest({ ...parts, url: url ?? new URL(`https://${authority}/`), form })
    }
    /** Where a page without a form leads on to. */
    const path = url && route?.GET && url.pathname !== captivePath ? url.pathname : '/'
    const fail = (status: number, fault: PortalFault, more: Reply['headers'] = {}): Reply => {
      // A form is not sent again by itself.
      const again = status === 503 && method === 'GET' ? retrySeconds : undefined
      return pageReply(status, faultPage(make(noForm).view, fault, path, again), more)
    }
    if (!this.#budget.take(address, performance.now())) return fail(429, 'tooMany', { 'Retry-After': '5' })
    // A name that is not ours may be a trick to read pages of the portal from another site.
    if (!this.#isOurName(headers.host ?? ''))
      return method === 'GET' ? redirect(302, `https://${authority}/`) : fail(421, 'method')
    if (url?.pathname === this.#style.path && method === 'GET') return this.#styleReply()
    if (!route) return fail(404, 'notFound')
    if (!handler)
      return fail(405, 'method', { Allow: route.POST ? (route.GET ? 'GET, HEAD, POST' : 'POST') : 'GET, HEAD' })
    const form = method === 'POST' ? await readForm(incoming, limits.slowMs) : noForm
    if (typeof form === 'string') return fail(formStatuses[form], 'malformed', { Connection: 'close' })
    const request = make(form)
    if (method === 'POST' && !isOwnForm(headers, form)) return fail(403, 'oldForm')
    try {
      return withCookies(await handler(request, this.#parts.gateway), request.cookies)
    } catch (fault) {
      const retry = { 'Retry-After': String(retrySeconds) }
      if (fault instanceof GatewayBusy) return fail(503, 'busy', retry)
      if (fault instanceof GatewayAway) return fail(503, 'away', retry)
      this.#parts.log(`A page failed: ${wordsOf(fault)}`)
      return fail(500, 'internal')
    }
  }

  #styleReply(): Reply {
    return textReply(200, 'text/css; charset=utf-8', this.#style.text, {
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
  }
}

const formStatuses: Readonly<Record<FormFault, number>> = {
  too_large: 413,
  unsupported: 415,
  malformed: 400,
  slow: 408,
}

const noForm: Form = new Map()

const wordsOf = (fault: unknown): string => (fault instanceof Error ? (fault.stack ?? fault.message) : String(fault))

const methodOf = (method: string | undefined): 'GET' | 'POST' | null =>
  method === 'POST' ? 'POST' : method === 'GET' || method === 'HEAD' ? 'GET' : null

/** Null for anything that is not a plain path on this host. */
function urlOf(target: string, authority: string): URL | null {
  if (!target.startsWith('/') || target.startsWith('//') || !URL.canParse(`https://${authority}${target}`)) return null
  return new URL(`https://${authority}${target}`)
}

function withCookies(reply: Reply, cookies: readonly string[]): Reply {
  if (cookies.length === 0) return reply
  const own = reply.headers['Set-Cookie'] ?? []
  return {
    ...reply,
    headers: { ...reply.headers, 'Set-Cookie': [...(typeof own === 'string' ? [own] : own), ...cookies] },
  }
}

/** IPv4 only, in its own form; null for others. */
function addressOf(address: string | undefined): string | null {
  const plain = (address ?? '').replace(/^::ffff:/, '')
  return isIPv4(plain) ? plain : null
}

/** To what cannot be parsed or took too long. Null for a fault of TLS: what is written then would wait for ever. */
function rawAnswer(code: string): string | null {
  const status = code.startsWith('HPE_') ? (rawStatuses[code] ?? '400 Bad Request') : rawStatuses[code]
  if (status === undefined) return null
  return `HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\nCache-Control: no-store\r\n\r\n`
}

const rawStatuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}
