// Waits for a state: polls until it is reached, or fails with what was waited for.

import { setTimeout as pause } from 'node:timers/promises'

export async function until(what: string, isSo: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting for: ${what}`)
    await pause(20)
  }
}
