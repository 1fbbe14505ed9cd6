// Leads packets of inspected connections to the queues of the engine, and works from what the kernel shows, so that nothing has to be remembered over a
// restart or a crash. While anything is inspected it looks at the queues, lets pass what may pass by a queue that is overrun, and counts what
// passes without inspection.

import { existsSync } from 'node:fs'
import { uptime } from 'node:os'
import type { InspectedChannel } from '../../../core/plan/inspection-marks.ts'
import { createQueueFlow, type QueueFlow } from './queue-flow.ts'
import { QueueKernel } from './queue-kernel.ts'
import { kernelQueues } from './watch.ts'

export interface QueueSources {
  readonly isInstalled: (path: string) => boolean
  /** Queues of the namespace as the kernel shows them. */
  readonly queues: () => string
  /** Seconds since boot. */
  readonly elapsed: () => number
  readonly lookMs: number
}

const realSources: QueueSources = { isInstalled: existsSync, queues: kernelQueues, elapsed: uptime, lookMs: 500 }

/** `nft` is the program after any wrapper, in whose namespace all others run too. */
export class Queues {
  readonly #kernel: QueueKernel
  readonly #look: () => QueueFlow
  readonly #lookMs: number
  #flow: QueueFlow
  #followed: readonly InspectedChannel[] = []
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  /** Packets that passed without inspection; while they do, `passing` is what the rules had counted when that began. */
  #passed = 0
  #passing: number | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(nft: readonly string[], sources: Partial<QueueSources> = {}) {
    const { isInstalled, queues, elapsed, lookMs } = { ...realSources, ...sources }
    this.#kernel = new QueueKernel(nft, isInstalled)
    this.#look = createQueueFlow(queues, elapsed)
    this.#lookMs = lookMs
    this.#flow = this.#look()
  }

  isCurrent(channels: readonly InspectedChannel[]): Promise<boolean> {
    return this.#inTurn(() => this.#kernel.matches(channels))
  }

  apply = (channels: readonly InspectedChannel[]): Promise<void> => this.#inTurn(() => this.#apply(channels))

  ensure(channels: readonly InspectedChannel[]): Promise<void> {
    return this.#inTurn(async () => {
      if (!(await this.#kernel.matches(channels))) return this.#apply(channels)
      this.#follow(channels)
      // After a start of applyd.
      this.#passing ??= await this.#startOfPassing()
    })
  }

  /** How packets come to the engine, why they do not, and what passed by it or was lost. */
  observe() {
    return this.#inTurn(async () => ({
      form: await this.#kernel.findForm(),
      fault: this.#kernel.fault(),
      heldSince: this.#flow.heldSince,
      isOverrun: this.#kernel.isOverrun,
      passed: this.#passed + (await this.#passedNow()),
      lost: this.#flow.lost,
      blocked: this.#followed.filter(({ isFailOpen, isReady }) => !isFailOpen && !isReady).map(({ number }) => number),
    }))
  }

  async #passedNow(): Promise<number> {
    return this.#passing === null ? 0 : Math.max(0, (await this.#kernel.count(this.#followed)) - this.#passing)
  }

  /** Rules that are written again begin to count again. */
  async #apply(channels: readonly InspectedChannel[]): Promise<void> {
    this.#passed += await this.#passedNow()
    this.#follow(channels)
    await this.#kernel.bring(channels)
    this.#passing = await this.#startOfPassing()
  }

  async #startOfPassing(): Promise<number | null> {
    return this.#followed.length > 0 && (this.#flow.heldSince === null || this.#kernel.isOverrun)
      ? this.#kernel.count(this.#followed)
      : null
  }

  /** What is not inspected costs nothing. */
  #follow(channels: readonly InspectedChannel[]): void {
    this.#followed = channels
    if (channels.length > 0) this.#timer ??= setInterval(() => this.#tick(), this.#lookMs).unref()
    else {
      clearInterval(this.#timer)
      this.#timer = undefined
      this.#passing = null
      this.#kernel.isOverrun = false
    }
  }

  /** What the kernel refuses is tried again with the next change, and by who repairs its rules. */
  #tick(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    void this.#inTurn(() => this.#step())
      .catch(() => {})
      .finally(() => {
        this.#isLooking = false
      })
  }

  /** One look at the queues; the rules change when they are overrun, and when they no longer are. */
  async #step(): Promise<void> {
    if (this.#followed.length === 0) return
    const before = this.#flow
    this.#flow = this.#look()
    const isTurn = this.#flow.isOverrun !== this.#kernel.isOverrun
    if (!isTurn && (this.#flow.heldSince === null) === (before.heldSince === null)) return
    this.#passed += await this.#passedNow()
    this.#kernel.isOverrun = this.#flow.isOverrun
    if (isTurn) await this.#kernel.bring(this.#followed)
    this.#passing = await this.#startOfPassing()
  }

  /** One at a time, for the look at the queues changes rules too. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }
}
