// The connection to gatewayd: it brings sessions of users and word of a new index, and takes reports. Made again when it is
// lost; until then the last table of sessions stays.

import { connect, type Socket } from 'node:net'
import type { ToFilterd, WebFilterReport } from '../domain/web-filter/protocol.ts'
import { createFrameReader, encodeFrame } from '../shared/frames.ts'

export interface GatewayLinkParts {
  readonly path: string
  readonly take: (message: ToFilterd) => void
  readonly report: () => WebFilterReport
  /** Milliseconds between reports. */
  readonly everyMs?: number
}

const retryMs = 500
const usualMs = 2_000

export class GatewayLink {
  readonly #parts: GatewayLinkParts
  readonly #timer: NodeJS.Timeout
  #socket: Socket | null = null
  #isConnected = false
  #isClosed = false
  #isReporting = false

  constructor(parts: GatewayLinkParts) {
    this.#parts = parts
    this.#timer = setInterval(() => this.#send(), parts.everyMs ?? usualMs)
    this.#connect()
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /** Something that a report shows has changed. */
  reportSoon(): void {
    if (this.#isReporting) return
    this.#isReporting = true
    setImmediate(() => {
      this.#isReporting = false
      this.#send()
    })
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#socket?.destroy()
  }

  #send(): void {
    // A gatewayd that does not read gets the next one.
    if (this.#isConnected && this.#socket?.writableLength === 0) this.#socket.write(encodeFrame(this.#parts.report()))
  }

  #connect(): void {
    if (this.#isClosed) return
    const socket = connect(this.#parts.path)
    this.#socket = socket
    const read = createFrameReader((message) => this.#parts.take(message as ToFilterd))
    socket.once('connect', () => {
      this.#isConnected = true
      this.#send()
    })
    socket.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch {
        socket.destroy()
      }
    })
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      this.#isConnected = false
      setTimeout(() => this.#connect(), retryMs).unref()
    })
  }
}
