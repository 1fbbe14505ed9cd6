// Work that is done in turns: some at once, in the order in which they came, for only so many callers. A caller that comes back for
// each of its turns shares the lane with others.

import { GatewayError } from '../../../core/contract/error.ts'
import { say } from '../../../shared/said.ts'

export interface LaneOptions {
  readonly atOnce: number
  /** Requests that may wait beside those that run. */
  readonly maxWaiting: number
}

export interface TurnOptions {
  readonly signal?: AbortSignal
  /** No one waits for it: it is never refused. */
  readonly isBackground?: boolean
}

export class Lane {
  readonly #options: LaneOptions
  readonly #waiting: (() => Promise<void>)[] = []
  #asked = 0
  #running = 0

  constructor(options: LaneOptions) {
    this.#options = options
  }

  /** Takes a place for a caller, which has one turn or several; the reply gives it back. Throws when there are too many. */
  join({ isBackground = false }: TurnOptions): () => void {
    if (isBackground) return () => {}
    const { atOnce, maxWaiting } = this.#options
    if (this.#asked >= atOnce + maxWaiting) throw tooMany()
    this.#asked++
    return () => {
      this.#asked--
    }
  }

  /** Rejects when the signal comes while it waits; a turn that has begun has to listen by itself. */
  turn<T>(work: () => Promise<T>, { signal }: TurnOptions): Promise<T> {
    if (signal?.aborted) return Promise.reject(gone())
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const abort = (): void => {
      const at = this.#waiting.indexOf(run)
      if (at < 0) return
      this.#waiting.splice(at, 1)
      reject(gone())
    }
    const run = (): Promise<void> => work().then(resolve, reject)
    signal?.addEventListener('abort', abort, { once: true })
    this.#waiting.push(run)
    this.#begin()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  #begin(): void {
    while (this.#running < this.#options.atOnce) {
      const run = this.#waiting.shift()
      if (!run) return
      this.#running++
      void run().finally(() => {
        this.#running--
        this.#begin()
      })
    }
  }
}

const tooMany = (): GatewayError =>
  new GatewayError('too_many_requests', say`Too many signatures are being checked. Try again in a moment.`, {
    retryAfterSeconds: 5,
  })

const gone = (): GatewayError => new GatewayError('unavailable', say`The client has gone.`)
