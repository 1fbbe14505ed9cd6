// One run for all who ask the same at the same time, and its result for those who ask later. A run is ended when all who wait
// for it have gone.

import { GatewayError } from '../contract/error.ts'

interface Run<T> {
  readonly result: Promise<T>
  readonly end: AbortController
  waiting: number
}

export class SharedRuns<T> {
  readonly #running = new Map<string, Run<T>>()
  #kept: { readonly key: string; readonly result: T } | null = null

  /** The result that is kept is that of the last key which was asked for. */
  async ask(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#kept?.key === key) return this.#kept.result
    const run = this.#running.get(key) ?? this.#start(key, start)
    run.waiting++
    const { promise: gone, reject } = Promise.withResolvers<never>()
    const leave = (): void => {
      run.waiting--
      if (run.waiting === 0) run.end.abort()
      reject(new GatewayError('unavailable', 'The client has gone before the answer was ready.'))
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([run.result, gone])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<T>): Run<T> {
    const end = new AbortController()
    const forget = (): void => {
      if (this.#running.get(key) === run) this.#running.delete(key)
    }
    const result = start(end.signal)
    const run: Run<T> = { result, end, waiting: 0 }
    this.#running.set(key, run)
    // Whoever asks next must not wait for a run that is being ended.
    end.signal.addEventListener('abort', forget, { once: true })
    result.then(
      (value) => {
        if (this.#running.get(key) === run) this.#kept = { key, result: value }
        forget()
      },
      () => forget(),
    )
    return run
  }
}
