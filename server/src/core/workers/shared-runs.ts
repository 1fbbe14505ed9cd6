// One run for all who ask the same at the same time, and its result for those who ask later. A run is ended when all who wait
// for it have gone. A result that is still being sent to one client is given to the next: it is in memory once.

import { say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'

interface Run<T> {
  readonly result: Promise<T>
  readonly end: AbortController
  waiting: number
}

/** More keys than this are not remembered. */
const maxKnown = 64

export class SharedRuns<T extends object> {
  readonly #running = new Map<string, Run<T>>()
  /** Results that someone still uses. */
  readonly #used = new Map<string, WeakRef<T>>()
  readonly #isWorthKeeping: (result: T) => boolean
  #kept: { readonly key: string; readonly result: T } | null = null

  /** The last result is kept if it is worth the memory. */
  constructor(isWorthKeeping: (result: T) => boolean) {
    this.#isWorthKeeping = isWorthKeeping
  }

  async ask(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const known = this.#kept?.key === key ? this.#kept.result : this.#used.get(key)?.deref()
    if (known) return known
    const run = this.#running.get(key) ?? this.#start(key, start)
    run.waiting++
    const { promise: gone, reject } = Promise.withResolvers<never>()
    const leave = (): void => {
      run.waiting--
      if (run.waiting === 0) run.end.abort()
      reject(new GatewayError('unavailable', say`The client has gone.`))
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([run.result, gone])
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #remember(key: string, result: T): void {
    this.#kept = this.#isWorthKeeping(result) ? { key, result } : null
    this.#used.delete(key)
    this.#used.set(key, new WeakRef(result))
    for (const oldest of this.#used.keys()) if (this.#used.size > maxKnown) this.#used.delete(oldest)
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<T>): Run<T> {
    const end = new AbortController()
    const forget = (): void => {
      if (this.#running.get(key) === run) this.#running.delete(key)
    }
    const result = start(end.signal)
    const run: Run<T> = { result, end, waiting: 0 }
    this.#running.set(key, run)
    // Anyone who asks next must not wait for a run that is being ended.
    end.signal.addEventListener('abort', forget, { once: true })
    result.then(
      (value) => {
        if (this.#running.get(key) === run) this.#remember(key, value)
        forget()
      },
      () => forget(),
    )
    return run
  }
}
