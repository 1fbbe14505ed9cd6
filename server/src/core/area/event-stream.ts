// Server-sent events: replies that stay open and carry short texts as they come. A client that does not read holds a bounded
// number of bytes and is cut; the end of its session ends its connection (session-connections.ts), and so this too.

import { Readable } from 'node:stream'
import { say } from '../../shared/said.ts'
import { eventStreamType } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/error.ts'
import { type RawReply, rawReply } from './raw-reply.ts'

export interface StreamLimits {
  /** Streams at once of one administrator, and of all. */
  readonly perOwner: number
  readonly total: number
  /** What may wait for a client beyond what its connection holds. */
  readonly waitingBytes: number
  /** How often a quiet stream shows that it is alive; a client that took nothing in the meantime, twice, is cut. */
  readonly keepAliveMilliseconds: number
  /** After this a stream ends by itself; a browser connects again. */
  readonly lifeMilliseconds: number
}

export const defaultStreamLimits: StreamLimits = {
  perOwner: 8,
  total: 64,
  waitingBytes: 256 * 1024,
  keepAliveMilliseconds: 15_000,
  lifeMilliseconds: 3_600_000,
}

export interface StreamEvent {
  /** Its name; `message` for clients when absent. */
  readonly event?: string
  /** Where a client goes on from when it connects again: it sends the last one as `Last-Event-ID`. */
  readonly id?: string
  /** Most often JSON; lines are kept. */
  readonly data: string
}

/** One client that listens. */
export interface EventStream {
  /** Aborted when the stream is over, whatever ended it. */
  readonly signal: AbortSignal
  /** Hands an event on. False when the stream is over, also because this event would have been more than may wait. */
  send(event: StreamEvent): boolean
  /** Resolves when the client has taken what was sent, or the stream is over: who sends much waits for it. */
  room(): Promise<void>
  end(): void
}

/** Milliseconds that a browser waits before it connects again. */
const retryMilliseconds = 3_000
const keepAlive = ':\n\n'

interface Asking {
  /** Whose stream it is: see Context. */
  readonly owner: string
  readonly signal: AbortSignal
}

export class EventStreams {
  readonly #limits: StreamLimits
  readonly #byOwner = new Map<string, Set<Stream>>()
  #isClosed = false

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { ...defaultStreamLimits, ...limits }
  }

  /** How many are open. */
  get count(): number {
    return [...this.#byOwner.values()].reduce((sum, { size }) => sum + size, 0)
  }

  /** The reply that stays open. `begin` is called once it has its place; what it starts ends with `stream.signal`. */
  open({ owner, signal }: Asking, begin: (stream: EventStream) => void): RawReply {
    const own = this.#byOwner.get(owner) ?? new Set()
    const { perOwner, total } = this.#limits
    if (this.#isClosed || this.count >= total || own.size >= perOwner) {
      throw new GatewayError('too_many_requests', say`Too many event streams are open. Close one and try again.`, {
        retryAfterSeconds: 30,
      })
    }
    const stream = new Stream(this.#limits)
    own.add(stream)
    this.#byOwner.set(owner, own)
    stream.signal.addEventListener('abort', () => {
      own.delete(stream)
      if (own.size === 0 && this.#byOwner.get(owner) === own) this.#byOwner.delete(owner)
    })
    if (signal.aborted) stream.end()
    else signal.addEventListener('abort', () => stream.end(), { once: true })
    begin(stream)
    return rawReply(`${eventStreamType}; charset=utf-8`, stream.bytes)
  }

  /** Ends them all, and opens no more: a server with replies under way would never finish closing. */
  close(): void {
    this.#isClosed = true
    for (const own of this.#byOwner.values()) for (const stream of own) stream.end()
  }
}

class Stream implements EventStream {
  readonly bytes: Readable
  readonly #limits: StreamLimits
  readonly #over = new AbortController()
  readonly #timers: readonly NodeJS.Timeout[]
  /** The client took everything that was sent and wants more. */
  #wantsMore = false
  #waiting: (() => void)[] = []
  /** Nothing was taken since the last sign of life. */
  #isStuck = false

  constructor(limits: StreamLimits) {
    this.#limits = limits
    this.bytes = new Readable({ read: () => this.#taken() })
    this.bytes.once('close', () => this.#finish())
    // Only ever the end of the connection, which is not a fault of the gateway.
    this.bytes.on('error', () => {})
    this.#timers = [
      setInterval(() => this.#showLife(), limits.keepAliveMilliseconds).unref(),
      setTimeout(() => this.end(), limits.lifeMilliseconds).unref(),
    ]
    this.#push(`retry: ${retryMilliseconds}\n\n`)
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  send(event: StreamEvent): boolean {
    if (this.signal.aborted) return false
    const text = textOf(event)
    if (this.bytes.readableLength + Buffer.byteLength(text) > this.#limits.waitingBytes) {
      this.#cut()
      return false
    }
    this.#push(text)
    return true
  }

  async room(): Promise<void> {
    if (this.#wantsMore || this.signal.aborted) return
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** What was sent still arrives. */
  end(): void {
    if (this.signal.aborted) return
    this.bytes.push(null)
    this.#finish()
  }

  #push(text: string): void {
    this.#wantsMore = false
    this.bytes.push(text)
  }

  #taken(): void {
    this.#isStuck = false
    this.#wantsMore = true
    this.#wakeAll()
  }

  #wakeAll(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  #showLife(): void {
    if (this.#wantsMore) this.#push(keepAlive)
    else if (this.#isStuck) this.#cut()
    else this.#isStuck = true
  }

  #cut(): void {
    this.#finish()
    this.bytes.destroy(new Error('the client does not read its event stream'))
  }

  #finish(): void {
    if (this.signal.aborted) return
    for (const timer of this.#timers) clearTimeout(timer)
    this.#over.abort()
    this.#wakeAll()
  }
}

const oneLine = /^[^\r\n\0]*$/

/** As in the HTML standard, 9.2.6. */
export function textOf({ event, id, data }: StreamEvent): string {
  for (const name of [event, id]) {
    if (name !== undefined && !oneLine.test(name)) throw new Error('a name or id of an event has more than one line')
  }
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}${lines.join('')}\n`
}
