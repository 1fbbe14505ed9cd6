// How long a handler may take, and the signal that ends what it does: when its time is over, or when the client has gone.

import type { ServerResponse } from 'node:http'
import type { Endpoint } from '../../core/contract/endpoint.ts'
import { GatewayError } from '../../core/contract/error.ts'
import { say } from '../../shared/said.ts'

export const handlerMilliseconds = 30_000

/** Made with every request, so that it costs nothing before a handler asks for the signal or takes its time. */
export class Deadline {
  readonly #response: ServerResponse
  #controller: AbortController | null = null

  constructor(response: ServerResponse) {
    this.#response = response
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal
    const controller = new AbortController()
    this.#controller = controller
    // Also emitted after a complete answer, when nothing listens any more. One who left while waiting for a turn is gone already.
    if (this.#response.closed) controller.abort()
    else this.#response.once('close', () => controller.abort())
    return controller.signal
  }

  /** The result, or a refusal once the time is over. A change is not given up half-way: applyd has its own limits. */
  limit<T>(endpoint: Endpoint, work: Promise<T>, milliseconds: number): Promise<T> {
    if (endpoint.effect === 'configuration') return work
    // A body that is taken as it comes may need as long to arrive.
    const limit = endpoint.streamsBody ? 2 * milliseconds : milliseconds
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(tookTooLong(limit))
        this.#controller?.abort()
      }, limit)
      timer.unref()
      work.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
}

const tookTooLong = (milliseconds: number): GatewayError =>
  new GatewayError('unavailable', say`There was no result within ${milliseconds / 1000} s. Ask for less at once.`, {
    retryAfterSeconds: 5,
  })
