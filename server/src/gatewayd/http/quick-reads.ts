// Reads that show a part of the configuration and nothing else: answered right where they arrive, with bytes that are kept.
// The framework, its hooks and the context of a handler cost more than everything else in such an answer. Only what is plain is
// answered here. Whatever is refused, waits or is special in any way is left to the usual way, which checks it all again.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Route } from '../../core/area/handle.ts'
import { jsonType } from '../../core/area/raw-reply.ts'
import { LongReply, longestWhole, type Parts } from '../../core/area/segments.ts'
import type { ConfigEngine } from '../../core/config/engine.ts'
import type { Endpoint } from '../../core/contract/endpoint.ts'
import type { Authority } from './authority.ts'
import { acceptedBy, shortestCompressed } from './encoding.ts'
import type { fixedHeaders } from './headers.ts'
import { etagOf, etagWith, hasPlainFraming } from './request.ts'
import { keptReplyOf } from './serialise.ts'
import type { Turns } from './turns.ts'

export interface QuickParts {
  readonly routes: readonly Route[]
  readonly engine: ConfigEngine
  readonly authority: Authority
  readonly turns: Turns
  readonly headers: typeof fixedHeaders
  /** Paths are served below these; the empty one is among them. */
  readonly prefixes: readonly string[]
  readonly checkReply: (endpoint: Endpoint, value: unknown) => void
}

interface QuickRoute {
  readonly endpoint: Endpoint
  readonly reply: NonNullable<Endpoint['reply']>
  readonly view: NonNullable<Route['view']>
  readonly slot: Route['slot']
  /** The last short text that was sent, with its headers. A few kilobytes at most; what is long is kept with its value. */
  last: ShortReply | null
}

interface ShortReply {
  readonly text: string
  readonly tag: string | null
  readonly head: readonly string[]
  /** The same bytes as UTF-8 where the text is ASCII, and made faster. */
  readonly encoding: 'latin1' | 'utf8'
}

export class QuickReads {
  readonly #parts: QuickParts
  readonly #routes = new Map<string, QuickRoute>()
  readonly #fixed: readonly string[]
  #isOver = false

  constructor(parts: QuickParts) {
    this.#parts = parts
    this.#fixed = Object.entries(parts.headers).flat()
    for (const { endpoint, slot, view } of parts.routes) {
      const { reply } = endpoint
      if (!view || !reply || !canBeQuick(endpoint)) continue
      const route: QuickRoute = { endpoint, reply, view, slot, last: null }
      for (const prefix of parts.prefixes) this.#routes.set(`${prefix}${endpoint.path}`, route)
    }
  }

  /** The gateway ends: everything goes the usual way, where that is known. */
  end(): void {
    this.#isOver = true
  }

  /** False when the request has to go the usual way; nothing was sent then. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const route = this.#routes.get(request.url ?? '')
    if (!route || this.#isOver || request.method !== 'GET' || !isPlain(request)) return false
    const { authority, turns, engine } = this.#parts
    if (!turns.isFree() || !authority.admitsRead(request, route.endpoint)) return false
    const content = this.#contentOf(route)
    if (content === null) return false
    const tag = route.slot ? etagOf(route.slot, engine.slotRevision(route.slot.key)) : null
    const accepted = request.headers['accept-encoding']
    if (content instanceof LongReply) return this.#sendLong(response, content, tag, accepted)
    const { coding, refusesPlain } = acceptedBy(accepted)
    if (refusesPlain || (coding !== null && content.length >= shortestCompressed)) return false
    this.#sendShort(response, route, content, tag)
    return true
  }

  /** Null when it cannot be made: the usual way meets the same fault, and reports it. */
  #contentOf({ endpoint, reply, view }: QuickRoute): ReturnType<typeof keptReplyOf> | null {
    try {
      const value = view(this.#parts.engine.config)
      this.#parts.checkReply(endpoint, value)
      return keptReplyOf(reply, value)
    } catch {
      return null
    }
  }

  #sendShort(response: ServerResponse, route: QuickRoute, text: string, tag: string | null): void {
    if (route.last?.text !== text || route.last.tag !== tag) route.last = this.#prepare(text, tag)
    const { head, encoding } = route.last
    // Cast: Node copies what it sends of these headers and leaves the array as it is.
    response.writeHead(200, head as string[])
    response.end(text, encoding)
  }

  #prepare(text: string, tag: string | null): ShortReply {
    const length = Buffer.byteLength(text)
    return { text, tag, head: this.#headOf(length, tag), encoding: length === text.length ? 'latin1' : 'utf8' }
  }

  #sendLong(response: ServerResponse, content: LongReply, tag: string | null, accepted: string | undefined): boolean {
    const { keptCoding, refusesPlain } = acceptedBy(accepted)
    if (keptCoding !== null ? keptCoding !== 'gzip' : refusesPlain) return false
    const parts = keptCoding === null ? content.whole : content.wholeGzip
    if (!parts || parts.length > longestWhole) return false
    const head =
      keptCoding === null
        ? this.#headOf(parts.length, tag)
        : [...this.#headOf(parts.length, tag && etagWith(tag, keptCoding)), 'content-encoding', keptCoding]
    response.writeHead(200, head)
    sendParts(response, parts)
    return true
  }

  #headOf(length: number, tag: string | null): string[] {
    const own = ['content-type', jsonType, 'content-length', String(length)]
    return tag === null ? [...this.#fixed, ...own] : [...this.#fixed, 'etag', tag, ...own]
  }
}

/** Without a variable in its path, for those with a session, and with no check of its own. */
const canBeQuick = ({ method, effect, path, access, needsFreshSignIn, rawBodyType }: Endpoint): boolean =>
  method === 'GET' &&
  effect === 'read' &&
  access !== 'public' &&
  !path.includes(':') &&
  !needsFreshSignIn &&
  rawBodyType === null

/** No body, nothing that a client has already, and one host. */
function isPlain(request: IncomingMessage): boolean {
  const { headers } = request
  return (
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers['if-none-match'] === undefined &&
    hasPlainFraming(request)
  )
}

/** The head leaves by itself: sent together, the bytes of the body would be copied into a new buffer beside it. */
function sendParts(response: ServerResponse, { buffers }: Parts): void {
  response.flushHeaders()
  for (const buffer of buffers) response.write(buffer)
  response.end()
}
