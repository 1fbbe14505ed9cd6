// Keeps the machine at the head revision: at the start, when applyd comes back, when facts change and every now and then
// in case the machine was changed by hand. It takes no input; it is always the same step.

import type { ConfigEngine } from '../../core/config/engine.ts'
import type { Log } from '../../core/log.ts'

/** What the status reports of the machine's interfaces is read here, and must not be older than 5 s. */
const everyMilliseconds = 4_000
const retryMilliseconds = 1_000

export interface Reconciler {
  /** Asks for a step soon; several requests at once are one step. */
  wake(): void
  stop(): void
}

export function startReconciler(engine: ConfigEngine, refreshFacts: () => Promise<unknown>, log: Log): Reconciler {
  let timer: NodeJS.Timeout | null = null
  let isRunning = false
  let isWanted = false
  let isStopped = false

  const schedule = (milliseconds: number): void => {
    if (timer) clearTimeout(timer)
    timer = isStopped ? null : setTimeout(() => void step(), milliseconds)
    timer?.unref()
  }

  const refresh = async (): Promise<void> => {
    try {
      await refreshFacts()
    } catch (error) {
      log('warning', 'the machine cannot be read; what was read last is used', { error })
    }
  }

  const step = async (): Promise<void> => {
    if (isRunning) {
      isWanted = true
      return
    }
    isRunning = true
    isWanted = false
    await refresh()
    const before = engine.applied
    await engine.reconcile()
    const { error, outcome } = engine.applied
    const failure = error ?? (outcome?.status === 'put_back' ? 'the plan was reverted' : null)
    if (failure !== null && before.error !== error)
      log('warning', 'the machine does not follow the configuration', { failure })
    const isUnderWay = followBackground()
    isRunning = false
    if (isWanted) schedule(0)
    else schedule(failure === null && !isUnderWay ? everyMilliseconds : retryMilliseconds)
  }

  const toldFailures = new Map<string, number>()
  /** Logs each failure of a background area once. True while one is under way. */
  const followBackground = (): boolean => {
    for (const { area, state, failures, message } of engine.background) {
      if (state === 'failed' && toldFailures.get(area) !== failures)
        log('warning', 'a change failed in the background; what was there before is restored', { area, message })
      toldFailures.set(area, failures)
    }
    return engine.background.some(({ state }) => state === 'reloading')
  }

  engine.onChanged(() => {
    if (engine.background.some(({ state }) => state === 'reloading')) schedule(0)
  })
  schedule(0)
  return {
    wake: () => schedule(0),
    stop: () => {
      isStopped = true
      if (timer) clearTimeout(timer)
    },
  }
}
