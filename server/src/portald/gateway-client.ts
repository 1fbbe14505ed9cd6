// Asks gatewayd, over one connection that is made again when it is lost. What waits is bounded, in all and for each client, so
// that no client holds up others, and every question has a deadline.

import { connect, type Socket } from 'node:net'
import { maxPortalFrameBytes, type PortalVerb, type PortalVerbs } from '../engines/portal/protocol.ts'
import { createFrameReader, encodeFrame } from './frames.ts'

/** gatewayd does not answer, or not what it should. */
export class GatewayAway extends Error {}
/** Too many questions wait. */
export class GatewayBusy extends Error {}

export interface Gateway {
  call<V extends PortalVerb>(verb: V, args: PortalVerbs[V]['args']): Promise<PortalVerbs[V]['result']>
}

interface Question {
  readonly id: number
  readonly frame: Buffer
  readonly source: string
  /** Asked again when the connection is lost: asking twice does no harm. */
  readonly isHarmless: boolean
  attempts: number
  readonly resolve: (result: unknown) => void
  readonly reject: (fault: Error) => void
  readonly timer: NodeJS.Timeout
}

const harmless: ReadonlySet<PortalVerb> = new Set<PortalVerb>(['host', 'personal'])
const maxAttempts = 2

export interface GatewayLimits {
  /** Asked and not answered yet. */
  readonly asked: number
  /** These and those that wait to be asked. */
  readonly all: number
  readonly ofSource: number
  readonly deadlineMs: number
}

const usual: GatewayLimits = { asked: 32, all: 256, ofSource: 8, deadlineMs: 15_000 }

export class GatewayClient implements Gateway {
  readonly #path: string
  readonly #limits: GatewayLimits
  readonly #waiting: Question[] = []
  readonly #asked = new Map<number, Question>()
  readonly #ofSource = new Map<string, number>()
  #socket: Socket | null = null
  #isConnected = false
  #lastId = 0

  constructor(path: string, limits: Partial<GatewayLimits> = {}) {
    this.#path = path
    this.#limits = { ...usual, ...limits }
  }

  call<V extends PortalVerb>(verb: V, args: PortalVerbs[V]['args']): Promise<PortalVerbs[V]['result']> {
    const { all, ofSource, deadlineMs } = this.#limits
    const source = args.address
    const own = this.#ofSource.get(source) ?? 0
    if (own >= ofSource || this.#waiting.length + this.#asked.size >= all)
      return Promise.reject(new GatewayBusy('Too many questions wait for gatewayd.'))
    const id = ++this.#lastId
    const frame = encodeFrame({ id, verb, args }, maxPortalFrameBytes)
    if (frame === null) return Promise.reject(new GatewayAway('The question cannot be asked.'))
    this.#ofSource.set(source, own + 1)
    const answer = new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(id, 'gatewayd does not answer.'), deadlineMs)
      const isHarmless = harmless.has(verb)
      this.#waiting.push({ id, frame, source, isHarmless, attempts: 0, resolve, reject, timer })
    }).finally(() => this.#forget(source))
    this.#ask()
    return answer as Promise<PortalVerbs[V]['result']>
  }

  #forget(source: string): void {
    const left = (this.#ofSource.get(source) ?? 1) - 1
    if (left === 0) this.#ofSource.delete(source)
    else this.#ofSource.set(source, left)
  }

  #ask(): void {
    if (this.#waiting.length === 0) return
    if (!this.#isConnected) {
      if (this.#socket === null) this.#connect()
      return
    }
    while (this.#asked.size < this.#limits.asked) {
      const question = this.#waiting.shift()
      if (!question) return
      question.attempts += 1
      this.#asked.set(question.id, question)
      this.#socket?.write(question.frame)
    }
  }

  #connect(): void {
    const socket = connect(this.#path)
    this.#socket = socket
    const read = createFrameReader((message) => this.#take(message))
    socket.once('connect', () => {
      this.#isConnected = true
      this.#ask()
    })
    socket.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch {
        socket.destroy()
      }
    })
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#lost())
  }

  /** Those that were never asked have no other chance than a later request of their client. */
  #lost(): void {
    const wasConnected = this.#isConnected
    this.#socket = null
    this.#isConnected = false
    const asked = [...this.#asked.values()]
    for (const question of asked) {
      const mayAgain = question.isHarmless && question.attempts < maxAttempts
      if (!mayAgain) this.#fail(question.id, 'The connection to gatewayd was lost.')
      else if (this.#asked.delete(question.id)) this.#waiting.unshift(question)
    }
    if (!wasConnected) for (const { id } of [...this.#waiting]) this.#fail(id, 'gatewayd is not there.')
    this.#ask()
  }

  #take(message: unknown): void {
    const { id, ok, result } = message as { readonly id?: unknown; readonly ok?: unknown; readonly result?: unknown }
    const question = typeof id === 'number' ? this.#asked.get(id) : undefined
    // The answer to a question whose deadline is over.
    if (!question) return
    if (ok !== true || result === undefined) this.#fail(question.id, 'gatewayd could not answer.')
    else {
      this.#asked.delete(question.id)
      clearTimeout(question.timer)
      question.resolve(result)
    }
    this.#ask()
  }

  #fail(id: number, reason: string): void {
    const at = this.#waiting.findIndex((one) => one.id === id)
    const question = this.#asked.get(id) ?? this.#waiting[at]
    if (!question) return
    this.#asked.delete(id)
    if (at >= 0) this.#waiting.splice(at, 1)
    clearTimeout(question.timer)
    question.reject(new GatewayAway(reason))
    this.#ask()
  }
}
