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
  const begun = performance.now()
  while (!(await holds())) {
    const waited = performance.now() - begun
    if (waited > patience) throw new Error(`Timed out waiting until ${what}.`)
    await pause(pauseAfter(waited))
  }
}

/** A question often starts a program. What has taken long already may be noticed a tenth later. */
const pauseAfter = (waitedMs: number): number => Math.min(Math.max(waitedMs / 10, 10), 250)
