// Steps that change sessions, one after the other. Those that arrive together are carried out together, and each is answered
// when that is done.

import { setImmediate } from 'node:timers/promises'
import { GatewayError } from '../../../core/contract/error.ts'
import { say } from '../../../shared/said.ts'
import { Draft } from './draft.ts'

interface Step {
  /** Returns what answers it. */
  readonly run: (draft: Draft) => () => void
  readonly reject: (error: unknown) => void
}

interface Parts {
  /** Elements of the kernel that steps together may touch. */
  readonly most: number
  carryOut(draft: Draft): Promise<void>
  onFault(error: unknown): void
}

export class Steps {
  readonly #parts: Parts
  #queue: Step[] = []
  #working: Promise<void> | null = null
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Resolves when what the step asked for is in the kernel and in the database. */
  take<T>(run: (draft: Draft) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) throw new GatewayError('unavailable', say`The service is stopping.`)
      const step = (draft: Draft): (() => void) => {
        const result = run(draft)
        return () => resolve(result)
      }
      this.#queue.push({ run: step, reject })
      this.#working ??= this.#work()
    })
  }

  /** Resolves when nothing is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true
    while (this.#working) await this.#working
  }

  async #work(): Promise<void> {
    // Those that arrive in the same turn of the event loop are carried out together.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      await this.#workOnSome()
      // Steps that change nothing wait for nothing: thousands of them would be one turn of the event loop.
      await setImmediate()
    }
    this.#working = null
  }

  async #workOnSome(): Promise<void> {
    const draft = new Draft()
    const done: { readonly answer: () => void; readonly reject: (error: unknown) => void }[] = []
    let taken = 0
    for (const { run, reject } of this.#queue) {
      if (draft.size >= this.#parts.most) break
      taken++
      try {
        done.push({ answer: run(draft), reject })
      } catch (error) {
        reject(error)
      }
    }
    this.#queue = this.#queue.slice(taken)
    try {
      await this.#parts.carryOut(draft)
      for (const { answer } of done) answer()
    } catch (error) {
      this.#parts.onFault(error)
      for (const { reject } of done) reject(error)
    }
  }
}
