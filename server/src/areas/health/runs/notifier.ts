// Brings notices to their targets: those that wait for a target go together in one message, one message at a time, and a
// failed one is tried again after a pause that grows. Targets do not wait for each other.

import type { Deliver } from '../../../core/contract/health.ts'
import type { Clock } from '../../../shared/time/clock.ts'
import type { HealthMemory } from './health-memory.ts'

export interface NotifierParts {
  readonly memory: HealthMemory
  readonly clock: Clock
  /** Milliseconds by which messages become too old. */
  readonly aging: () => number
  /** Whether the target is there and enabled. */
  readonly isWanted: (target: string) => boolean
  readonly deliver: Deliver
}

export interface TargetState {
  readonly waiting: number
  /** Why the last try failed; null when it did not, or there was none. */
  readonly fault: string | null
  /** Unix seconds of the last delivery since the start; null when there was none. */
  readonly deliveredAt: number | null
}

const firstPauseSeconds = 30
const longestPauseSeconds = 3_600
const atOnce = 50

interface Progress {
  isBusy: boolean
  failures: number
  /** Elapsed seconds. */
  nextAt: number
  fault: string | null
  deliveredAt: number | null
  /** The ids of the last message that failed. It may have arrived all the same, so it is sent again as it was. */
  tried: ReadonlySet<string>
}

export class Notifier {
  readonly #parts: NotifierParts
  readonly #progress = new Map<string, Progress>()
  readonly #testing = new Set<string>()
  #running = new Set<Promise<void>>()

  constructor(parts: NotifierParts) {
    this.#parts = parts
  }

  stateOf(target: string): TargetState {
    const { fault = null, deliveredAt = null } = this.#progress.get(target) ?? {}
    return { waiting: this.#parts.memory.waiting(target).length, fault, deliveredAt }
  }

  /** Begins what is due. Called after every look; returns at once. */
  look(): void {
    const { memory, clock, aging, isWanted } = this.#parts
    memory.tidy(Math.floor(aging() / 1000))
    for (const target of memory.targets) {
      if (!isWanted(target)) {
        memory.remove(memory.waiting(target))
        this.#progress.delete(target)
        continue
      }
      const progress = this.#progressOf(target)
      if (progress.isBusy || clock.elapsed() < progress.nextAt) continue
      const running = this.#send(target, progress).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
  }

  /** The settings of a target changed: it is tried again at once. */
  forget(target: string): void {
    const progress = this.#progress.get(target)
    if (progress) progress.nextAt = 0
  }

  /** One test message of a target at a time. */
  async test(target: string): Promise<Awaited<ReturnType<Deliver>> | 'busy'> {
    if (this.#testing.has(target)) return 'busy'
    this.#testing.add(target)
    try {
      return await this.#parts.deliver(target, [])
    } finally {
      this.#testing.delete(target)
    }
  }

  /** Resolves when what was begun has ended. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #progressOf(target: string): Progress {
    const known = this.#progress.get(target)
    if (known) return known
    const fresh: Progress = { isBusy: false, failures: 0, nextAt: 0, fault: null, deliveredAt: null, tried: new Set() }
    this.#progress.set(target, fresh)
    return fresh
  }

  async #send(target: string, progress: Progress): Promise<void> {
    const { memory, clock, deliver } = this.#parts
    progress.isBusy = true
    const waiting = memory.waiting(target)
    const again = waiting.filter(({ id }) => progress.tried.has(id))
    const notices = again.length > 0 ? again : waiting.slice(0, atOnce)
    progress.tried = new Set(notices.map(({ id }) => id))
    const result = await deliver(target, notices).catch((error: unknown) => (error as Error).message)
    progress.isBusy = false
    progress.fault = typeof result === 'string' ? result : (result?.note ?? null)
    if (typeof result !== 'string') {
      memory.remove(notices)
      progress.failures = 0
      progress.nextAt = 0
      progress.deliveredAt = Math.floor(clock.now().getTime() / 1000)
      return
    }
    const pause = Math.min(longestPauseSeconds, firstPauseSeconds * 2 ** progress.failures)
    progress.failures++
    progress.nextAt = clock.elapsed() + pause
  }
}
