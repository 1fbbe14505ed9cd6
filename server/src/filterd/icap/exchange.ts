// One RESPMOD request and its answer (RFC 3507): the encapsulated heads, the body as it comes, with or without a preview,
// and what a service may answer. The connection is in server.ts, what is decided in the services.

import type { Socket } from 'node:net'
import { type ByteReader, IcapFault } from './byte-reader.ts'
import { fieldOf, type HttpHead, parseHead, printHead } from './http-head.ts'

/** The proxy takes 64 KB of the client and of the server each, and adds to both. A longer one would be a service that fails, which may pass. */
const maxHeadBytes = 256 * 1024
const maxChunkLine = 256
const maxTrailer = 16 * 1024
/** While a request is being sent; Squid gives up by itself long before. */
const stallMs = 15 * 60_000

const encapsulated = /^(?:req-hdr=(\d{1,7}), ?)?(?:res-hdr=(\d{1,7}), ?)?(res-body|null-body|req-body)=(\d{1,7})$/

export interface Encapsulated {
  readonly requestAt: number | null
  readonly responseAt: number | null
  readonly hasBody: boolean
  readonly length: number
}

/** Where the parts are; null when it is not a response in order. */
export function parseEncapsulated(value: string): Encapsulated | null {
  const [, request, response, kind, end] = encapsulated.exec(value.trim().toLowerCase()) ?? []
  if (end === undefined || kind === 'req-body') return null
  const requestAt = request === undefined ? null : Number(request)
  const responseAt = response === undefined ? null : Number(response)
  const length = Number(end)
  const isOrdered = (requestAt ?? 0) <= (responseAt ?? length) && (responseAt ?? 0) <= length
  const isFromStart = (requestAt ?? responseAt ?? length) === 0
  return isOrdered && isFromStart && length <= maxHeadBytes
    ? { requestAt, responseAt, hasBody: kind === 'res-body', length }
    : null
}

const emptyHead: HttpHead = { start: '', lines: [] }

export class Exchange {
  readonly request: HttpHead
  readonly response: HttpHead
  readonly hasBody: boolean
  /** Of the client of the proxy, for the log; empty when the proxy does not say. */
  readonly client: string
  readonly #reader: ByteReader
  readonly #socket: Socket
  readonly #tag: string
  readonly #mayLeave: boolean
  #isPreview: boolean
  #isPreviewRead = false
  #left = 0
  #isRead = false
  #isAnswered = false
  #isOpen = true

  private constructor(
    head: HttpHead,
    parts: Encapsulated,
    heads: Buffer,
    { reader, socket, tag }: { readonly reader: ByteReader; readonly socket: Socket; readonly tag: string },
  ) {
    const between = (from: number | null, to: number) =>
      from === null ? emptyHead : (parseHead(heads.toString('latin1', from, to)) ?? emptyHead)
    this.request = between(parts.requestAt, parts.responseAt ?? parts.length)
    this.response = between(parts.responseAt, parts.length)
    this.hasBody = parts.hasBody
    this.client = fieldOf(head, 'x-client-ip') ?? ''
    this.#isPreview = fieldOf(head, 'preview') !== null
    this.#mayLeave = (fieldOf(head, 'allow') ?? '').split(',').some((one) => one.trim() === '204')
    this.#isRead = !parts.hasBody
    this.#reader = reader
    this.#socket = socket
    this.#tag = tag
  }

  static async open(
    head: HttpHead,
    connection: { readonly reader: ByteReader; readonly socket: Socket; readonly tag: string },
  ): Promise<Exchange> {
    const parts = parseEncapsulated(fieldOf(head, 'encapsulated') ?? '')
    if (parts === null) throw new IcapFault('The parts of the request are not in order.', 400)
    const heads = await connection.reader.exactly(parts.length, stallMs)
    return new Exchange(head, parts, heads, connection)
  }

  /** Whether the whole body was read, and the answer was given: the connection can take the next request. */
  get canContinue(): boolean {
    return this.#isRead && this.#isAnswered && !this.#isOpen
  }

  /** The rest must be asked for before anything else is answered than "as it is" or a reply of ours. */
  get isPreview(): boolean {
    return this.#isPreview
  }

  /** In the preview, and later when the proxy allows it, the answer can be "as it is". */
  get canLeave(): boolean {
    return !this.hasBody || this.#isPreview || (this.#mayLeave && !this.#isAnswered)
  }

  /**
   * A piece of the body. `pause`: the preview ends here and there is more, which is asked for by the next call. `late`:
   * nothing came in that time.
   */
  async next(timeoutMs = stallMs): Promise<Buffer | 'pause' | 'late' | 'end'> {
    if (this.#isRead) return 'end'
    if (this.#left === 0) {
      const opened = await this.#openChunk(timeoutMs)
      if (opened !== 'chunk') return opened
    }
    const piece = await this.#reader.some(this.#left, timeoutMs)
    if (piece === null) return 'late'
    this.#left -= piece.length
    if (this.#left === 0 && (await this.#reader.exactly(2, stallMs)).toString('latin1') !== '\r\n')
      throw new IcapFault('A chunk has no end.', 400)
    return piece
  }

  async #openChunk(timeoutMs: number): Promise<'chunk' | 'pause' | 'late' | 'end'> {
    if (timeoutMs < stallMs && !(await this.#reader.waits(timeoutMs))) return 'late'
    const line = await this.#reader.until('\r\n', maxChunkLine, stallMs)
    const [, size, extension = ''] = /^([0-9A-Fa-f]{1,8})[ \t]*(;.*)?$/.exec(line) ?? []
    if (size === undefined) throw new IcapFault('A chunk has no length.', 400)
    this.#left = Number.parseInt(size, 16)
    if (this.#left > 0) return 'chunk'
    for (let read = 0; ; ) {
      const trailer = await this.#reader.until('\r\n', maxTrailer, stallMs)
      if (trailer === '') break
      read += trailer.length
      if (read > maxTrailer) throw new IcapFault('The trailer is too long.', 413)
    }
    if (this.#isPreview && !/;\s*ieof\s*$/i.test(extension)) {
      this.#isPreviewRead = true
      return 'pause'
    }
    this.#isRead = true
    return 'end'
  }

  /** After `pause`: the proxy is asked for the rest. */
  async continue(): Promise<void> {
    this.#isPreview = false
    await this.#write('ICAP/1.0 100 Continue\r\n\r\n')
  }

  /** The reply passes as it is. */
  async leave(): Promise<void> {
    // After a whole preview the rest is not sent any more.
    if (this.#isPreviewRead) this.#isRead = true
    this.#isAnswered = true
    this.#isOpen = false
    await this.#write(`ICAP/1.0 204 No Content\r\nISTag: ${this.#tag}\r\nEncapsulated: null-body=0\r\n\r\n`)
  }

  /** `fields` are fields of ICAP, which no origin can forge. */
  async answer(head: HttpHead, fields: readonly string[] = []): Promise<void> {
    const printed = printHead(head)
    this.#isAnswered = true
    const icap = ['ICAP/1.0 200 OK', `ISTag: ${this.#tag}`, ...fields]
    await this.#write(`${[...icap, `Encapsulated: res-hdr=0, res-body=${printed.length}`].join('\r\n')}\r\n\r\n`)
    await this.#write(printed)
  }

  async send(piece: Uint8Array): Promise<void> {
    if (piece.length === 0) return
    await this.#write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]))
  }

  async end(): Promise<void> {
    this.#isOpen = false
    await this.#write('0\r\n\r\n')
  }

  /** The client gets no end of the body, so it knows that it has not all of it. */
  cut(): void {
    this.#socket.destroy()
  }

  async #write(data: string | Uint8Array): Promise<void> {
    if (this.#socket.destroyed) throw new IcapFault('The connection was closed.', null)
    const bytes = typeof data === 'string' ? Buffer.from(data, 'latin1') : data
    if (this.#socket.write(bytes)) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#socket.off('drain', done)
        this.#socket.off('close', done)
        resolve()
      }
      this.#socket.on('drain', done)
      this.#socket.on('close', done)
    })
  }
}
