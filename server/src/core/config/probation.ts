// The change that waits for confirmation, and the timer that reverts it. At most one at a time.

import { say } from '../../shared/said.ts'
import { GatewayError } from '../contract/error.ts'
import type { Actor, Clocks } from './change.ts'
import type { Probation } from './revision.ts'

export const probationSeconds = { minimum: 1, maximum: 3600 } as const

/** Pause before a revert is retried that could not be written to disk. */
const retryMilliseconds = 500

export class ProbationWatch {
  readonly #clock: Clocks
  /** Reverts the change; a rejection means that it has to be retried. */
  readonly #revert: (probation: Probation) => Promise<unknown>
  #current: Probation | null
  #timer: NodeJS.Timeout | null = null

  /** `current` is what a restart interrupted; its timer starts with resume(). */
  constructor(clock: Clocks, current: Probation | null, revert: (probation: Probation) => Promise<unknown>) {
    this.#clock = clock
    this.#current = current
    this.#revert = revert
  }

  get current(): Probation | null {
    return this.#current
  }

  require(): Probation {
    if (!this.#current) throw new GatewayError('conflict', say`No change is waiting for a confirmation.`)
    return this.#current
  }

  /** In the turn of a revert: what it is to revert may have been confirmed or reverted while it waited. */
  requireRevision(revision: number): void {
    if (this.require().revision !== revision)
      throw new GatewayError('conflict', say`Revision ${revision} is not waiting for a confirmation any more.`)
  }

  /** No other change is accepted until then: a revert would undo it too (decision 4). */
  refuseOthers(): void {
    const probation = this.#current
    if (!probation) return
    throw new GatewayError(
      'conflict',
      say`Revision ${probation.revision} by ${probation.author} is waiting for confirmation until ${probation.deadlineTime}. Confirm or revert it first.`,
      { reason: 'probation', retryAfterSeconds: Math.max(1, Math.ceil(probation.deadline - this.#clock.elapsed())) },
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
    // A reboot does not confirm a change: the machine starts with the last confirmed configuration.
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
      await this.#revert(probation)
    } catch {
      // Giving up would leave the change in force.
      if (this.#current?.revision === probation.revision) this.#wait(probation, retryMilliseconds)
    }
  }
}
