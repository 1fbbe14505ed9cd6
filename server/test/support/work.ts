// How much work something is, told apart from how long it takes: processor time of this thread, which other processes do not
// add to, and how it grows with the size of the input.

import assert from 'node:assert/strict'

const factor = 8
/** Work that grows with the square of the size would be 64 times as much. */
const allowedGrowth = 3 * factor
/** Below this the clock of the processor tells nothing. */
const leastMs = 2

/** Milliseconds of processor time. One round may hold work of the collector; three of them hardly all do. */
function processorMs(work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 3 && least > allowedGrowth * leastMs; round++) {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** `prepare` makes the work for an input of this size; an eighth of it has to be about an eighth of the work. */
export function assertGrowsWithSize(size: number, prepare: (size: number) => () => void, what = 'The work'): void {
  const whole = processorMs(prepare(size))
  if (whole < allowedGrowth * leastMs) return
  const part = Math.max(leastMs, processorMs(prepare(Math.ceil(size / factor))))
  const growth = whole / part
  assert.ok(growth < allowedGrowth, `${what} grows ${growth.toFixed(1)} times when its input grows ${factor} times.`)
}
