// For how long something holds the event loop, in processor time of this thread: the longest stretch between two turns.

import { setImmediate } from 'node:timers/promises'

const used = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds. `work` begins in a turn of its own. */
export async function longestStretch(work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  let longest = 0
  const watching = (async () => {
    let before = used()
    while (!isDone) {
      await setImmediate()
      const now = used()
      longest = Math.max(longest, now - before)
      before = now
    }
  })()
  try {
    await setImmediate()
    await work()
  } finally {
    isDone = true
  }
  await watching
  return longest
}

/** Milliseconds that the work takes when it is done in one go. */
export function wholeStretch(work: () => unknown): number {
  const before = used()
  work()
  return used() - before
}
