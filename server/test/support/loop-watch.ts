// How long one turn of the event loop takes, in processor time of its thread: what other processes do on the machine does
// not add to it. A timer that is due all the time looks at the processor clock between turns.

import { setImmediate } from 'node:timers/promises'

export interface LoopWatch {
  /** The longest turn since the last call, in milliseconds of processor time. */
  take(): number
  stop(): void
}

const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export function watchLoop(): LoopWatch {
  let last = processorMs()
  let longest = 0
  const timer = setInterval(() => {
    const now = processorMs()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  return {
    take: () => {
      const now = processorMs()
      const taken = Math.max(longest, now - last)
      longest = 0
      last = now
      return taken
    },
    stop: () => clearInterval(timer),
  }
}

/** A fixed piece of work. */
function createReference(): () => void {
  const value = Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: `name ${index}`, list: [index] }))
  return () => void JSON.parse(JSON.stringify(value))
}

/** Processor time of a fixed piece of work: what a millisecond is worth on this machine, now. */
export function referenceMs(): number {
  const work = createReference()
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    const before = processorMs()
    work()
    least = Math.min(least, processorMs() - before)
  }
  return least
}

/** A stall on purpose: so many pieces of the work in one turn, so that it is known that a watch finds it. */
export function stallFor(references: number): void {
  const work = createReference()
  for (let done = 0; done < references; done++) work()
}

/** Milliseconds of processor time: the longest turn while `work` is done, which begins in a turn of its own. */
export async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  const watch = watchLoop()
  try {
    await setImmediate()
    watch.take()
    await work()
    return watch.take()
  } finally {
    watch.stop()
  }
}

/** Milliseconds of processor time that the work takes when it is done in one go. */
export function wholeStretch(work: () => unknown): number {
  const before = processorMs()
  work()
  return processorMs() - before
}
