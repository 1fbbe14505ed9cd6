// The change that waits for its confirmation, and the clock that puts it back. At most one at a time.

import { GatewayError } from '../contract/error.ts'
import type { Actor, Clocks } from './change.ts'
import type { Probation } from './store.ts'

export const probationSeconds = { minimum: 1, maximum: 3600 } as const

/** When putting back failed because the disk would not take it. */
const retryMilliseconds = 500

export class ProbationWatch {
  readonly #clock: Clocks
  /** Puts the change back; a rejection means that it has to be tried again. */
  readonly #putBack: (probation: Probation) => Promise<unknown>
  #current: Probation | null
  #timer: NodeJS.Timeout | null = null

  /** `current` is what a restart interrupted; it rests until resume(). */
  constructor(clock: Clocks, current: Probation | null, putBack: (probation: Probation) => Promise<unknown>) {
    this.#clock = clock
    this.#current = current
    this.#putBack = putBack
  }

  get current(): Probation | null {
    return this.#current
  }

  require(): Probation {
    if (!this.#current) throw new GatewayError('conflict', 'No change is waiting for a confirmation.')
    return this.#current
  }

  /** Nothing else changes meanwhile: putting back would take it along (decision 4). */
  refuseOthers(): void {
    const probation = this.#current
    if (!probation) return
    throw new GatewayError(
      'conflict',
      `Revision ${probation.revision} by ${probation.author} waits for its confirmation until ` +
        `${probation.deadlineTime}. Confirm it or put it back first.`,
      { retryAfterSeconds: Math.max(1, Math.ceil(probation.deadline - this.#clock.elapsed())) },
    )
  }

  make(revision: number, actor: Actor, seconds: number): Probation {
    const { boot } = this.#clock
    return {
      revision,
      author: actor.login,
      seconds,
      boot,
      deadline: this.#clock.elapsed() + seconds,
      deadlineTime: new Date(this.#clock.now().getTime() + seconds * 1000).toISOString(),
    }
  }

  /** Follows what was committed. */
  set(probation: Probation | null): void {
    this.stop()
    this.#current = probation
    if (!probation) return
    // A reboot in between was no confirmation: the machine starts with what was confirmed last.
    const isThisBoot = probation.boot === this.#clock.boot
    this.#wait(probation, isThisBoot ? Math.max(0, probation.deadline - this.#clock.elapsed()) * 1000 : 0)
  }

  resume(): void {
    this.set(this.#current)
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #wait(probation: Probation, milliseconds: number): void {
    this.#timer = setTimeout(() => void this.#expire(probation), milliseconds)
  }

  async #expire(probation: Probation): Promise<void> {
    if (this.#current?.revision !== probation.revision) return
    try {
      await this.#putBack(probation)
    } catch {
      // Giving up would leave the change in force.
      if (this.#current?.revision === probation.revision) this.#wait(probation, retryMilliseconds)
    }
  }
}
