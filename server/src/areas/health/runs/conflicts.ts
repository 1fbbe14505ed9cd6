// What applyd last found on this machine that gets in the way of the gateway. It is asked about once a minute, and again when
// something has failed or may have been repaired.

import type { Applier, Conflict } from '../../../core/plan/artifacts.ts'
import type { Clock } from '../../../shared/time/clock.ts'

const keptSeconds = 60
/** While something is wrong, anyone who repairs it waits to see that. */
const repairSeconds = 10

export class ConflictBook {
  readonly #ask: Applier['conflicts']
  readonly #clock: Pick<Clock, 'elapsed'>
  #found: readonly Conflict[] = []
  #askedAt: number | null = null
  #trouble = ''
  #asking: Promise<readonly Conflict[]> | null = null

  constructor(ask: Applier['conflicts'], clock: Pick<Clock, 'elapsed'>) {
    this.#ask = ask
    this.#clock = clock
  }

  /** As of the last look. */
  list(): readonly Conflict[] {
    return this.#found
  }

  /** `trouble` says what does not work now: when it is not what it was, another look is due. */
  async follow(trouble: string): Promise<readonly Conflict[]> {
    const age = this.#askedAt === null ? Number.POSITIVE_INFINITY : this.#clock.elapsed() - this.#askedAt
    const limit = this.#found.some(({ severity }) => severity !== 'note') ? repairSeconds : keptSeconds
    if (age < limit && trouble === this.#trouble) return this.#found
    this.#trouble = trouble
    return this.look()
  }

  /** Some seconds old at most; what was known before where nothing can be asked now. */
  async recent(): Promise<readonly Conflict[]> {
    if (this.#askedAt !== null && this.#clock.elapsed() - this.#askedAt < repairSeconds) return this.#found
    return this.look().catch(() => this.#found)
  }

  /** Looks now; who asks while one is under way shares it. */
  look(): Promise<readonly Conflict[]> {
    this.#asking ??= this.#look().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #look(): Promise<readonly Conflict[]> {
    this.#askedAt = this.#clock.elapsed()
    this.#found = await this.#ask()
    return this.#found
  }
}
