// Work on the event loop in slices: others get their turn whenever the slice has used its time.

import { setImmediate } from 'node:timers/promises'

/** A tenth of what a client may wait for others, so that several at once stay within it. */
const sliceMs = 5

/** `await slices()` in a loop: it waits for others only when the time of the slice is used up. */
export function createSlices(limitMs = sliceMs): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < limitMs) return undefined
    return setImmediate().then(() => {
      began = performance.now()
    })
  }
}

/** Work that yields between its steps: done at once when it is short, otherwise in slices. */
export function inSlices<T>(work: Iterator<unknown, T>): T | Promise<T> {
  const slices = createSlices()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    const others = slices()
    if (others) return goOn(work, slices, others)
  }
}

async function goOn<T>(
  work: Iterator<unknown, T>,
  slices: ReturnType<typeof createSlices>,
  first: Promise<void>,
): Promise<T> {
  await first
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value
    await slices()
  }
}
