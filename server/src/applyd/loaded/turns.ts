// Work on the event loop of applyd in slices: small questions are answered whatever else there is to do.

import { setImmediate } from 'node:timers/promises'

const sliceMs = 5

/** `await turns()` in a loop: it waits for others only when the time of the slice is used up. */
export function createTurns(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < sliceMs) return undefined
    return setImmediate().then(() => {
      began = performance.now()
    })
  }
}
