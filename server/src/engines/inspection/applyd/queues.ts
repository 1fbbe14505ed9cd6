// Leads packets of inspected connections to the queues of the engine, and works from what the kernel shows, so that nothing has to be remembered over a
// restart or a crash. While anything is inspected it looks at the queues, lets pass what may pass by a queue that is overrun, and counts what
// passes without inspection.

import { existsSync } from 'node:fs'
import { uptime } from 'node:os'
import type { InspectedChannel } from '../../../core/plan/inspection-marks.ts'
import { createQueueFlow } from './queue-flow.ts'
import { createQueueKernel } from './queue-kernel.ts'
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
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: closures over one state that should be a class
export function createQueues(nft: readonly string[], sources: Partial<QueueSources> = {}) {
  const { isInstalled, queues, elapsed, lookMs } = { ...realSources, ...sources }
  const kernel = createQueueKernel(nft, isInstalled)
  const look = createQueueFlow(queues, elapsed)
  let flow = look()
  let followed: readonly InspectedChannel[] = []
  let timer: NodeJS.Timeout | undefined
  let isOverrun = false
  let isLooking = false
  /** Packets that passed without inspection; while they do, `passing` is what the rules had counted when that began. */
  let passed = 0
  let passing: number | null = null
  let last: Promise<unknown> = Promise.resolve()

  const passedNow = async (): Promise<number> =>
    passing === null ? 0 : Math.max(0, (await kernel.count(followed)) - passing)

  /** Rules that are written again begin to count again. */
  async function apply(channels: readonly InspectedChannel[]): Promise<void> {
    passed += await passedNow()
    follow(channels)
    await kernel.bring(channels)
    passing = await startOfPassing()
  }

  const startOfPassing = async (): Promise<number | null> =>
    followed.length > 0 && (flow.heldSince === null || isOverrun) ? kernel.count(followed) : null

  /** What is not inspected costs nothing. */
  function follow(channels: readonly InspectedChannel[]): void {
    followed = channels
    if (channels.length > 0) timer ??= setInterval(tick, lookMs).unref()
    else {
      clearInterval(timer)
      ;[timer, passing] = [undefined, null]
      setOverrun(false)
    }
  }

  function setOverrun(value: boolean): void {
    isOverrun = value
    kernel.setOverrun(value)
  }

  /** What the kernel refuses is tried again with the next change, and by who repairs its rules. */
  function tick(): void {
    if (isLooking) return
    isLooking = true
    void inTurn(step)
      .catch(() => {})
      .finally(() => {
        isLooking = false
      })
  }

  /** One look at the queues; the rules change when they are overrun, and when they no longer are. */
  async function step(): Promise<void> {
    if (followed.length === 0) return
    const before = flow
    flow = look()
    const isTurn = flow.isOverrun !== isOverrun
    if (!isTurn && (flow.heldSince === null) === (before.heldSince === null)) return
    passed += await passedNow()
    setOverrun(flow.isOverrun)
    if (isTurn) await kernel.bring(followed)
    passing = await startOfPassing()
  }

  /** How packets come to the engine, why they do not, and what passed by it or was lost. */
  const observe = async () => ({
    form: await kernel.findForm(),
    fault: kernel.fault(),
    heldSince: flow.heldSince,
    isOverrun,
    passed: passed + (await passedNow()),
    lost: flow.lost,
    blocked: followed.filter(({ isFailOpen, isReady }) => !isFailOpen && !isReady).map(({ number }) => number),
  })

  async function ensure(channels: readonly InspectedChannel[]): Promise<void> {
    if (!(await kernel.matches(channels))) return apply(channels)
    follow(channels)
    // After a start of applyd.
    passing ??= await startOfPassing()
  }

  /** One at a time, for the look at the queues changes rules too. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  return {
    isCurrent: (channels: readonly InspectedChannel[]) => inTurn(() => kernel.matches(channels)),
    apply: (channels: readonly InspectedChannel[]) => inTurn(() => apply(channels)),
    ensure: (channels: readonly InspectedChannel[]) => inTurn(() => ensure(channels)),
    observe: () => inTurn(observe),
  }
}
