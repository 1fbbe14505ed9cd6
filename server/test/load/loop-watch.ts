// How long one turn of the event loop takes, in processor time of its thread: what other processes do on the machine does
// not add to it. A timer that is due all the time looks at the processor clock between turns.

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
      const taken = Math.max(longest, processorMs() - last)
      longest = 0
      return taken
    },
    stop: () => clearInterval(timer),
  }
}

/** Processor time of a fixed piece of work: what a millisecond is worth on this machine, now. */
export function referenceMs(): number {
  const value = Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: `name ${index}`, list: [index] }))
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    const before = processorMs()
    JSON.parse(JSON.stringify(value))
    least = Math.min(least, processorMs() - before)
  }
  return least
}
