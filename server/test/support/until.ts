// Waiting on state: asks again until it holds. There is one limit for every wait in the tests. It decides nothing: it is far
// above what a busy machine needs, and only ends a test whose state never comes. Who writes a test may want to
// know that sooner.

import { setTimeout as pause } from 'node:timers/promises'

export const patienceMs = Number(process.env.PORTCULLIS_TEST_PATIENCE_MS ?? 120_000)

/** A machine that is emulated needs more patience. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patience = patienceMs,
): Promise<void> {
  const deadline = performance.now() + patience
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Timed out waiting until ${what}.`)
    await pause(10)
  }
}
