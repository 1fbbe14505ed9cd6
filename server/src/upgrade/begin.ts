// Starts the unit of an upgrade for the request that applyd or gw left.

import { setTimeout as passes } from 'node:timers/promises'
import { type UpgradePlaces, upgradeUnit } from './places.ts'
import { readRequest } from './take.ts'

export const startArguments = ['start', '--no-block', upgradeUnit] as const

const lookMs = 200
const looksPerStart = 10
const mostStarts = 60

/**
 * Null when the program has the request, else why not. The unit is started until then: one that is just ending an earlier
 * upgrade is active still, and does not look for another request. `start` resolves with a fault or null.
 */
export async function beginUpgrade(
  places: UpgradePlaces,
  start: () => Promise<string | null>,
  pause: (ms: number) => Promise<void> = passes,
): Promise<string | null> {
  for (let starts = 0; starts < mostStarts; starts++) {
    const fault = await start()
    if (fault !== null) return fault
    for (let looks = 0; looks < looksPerStart; looks++) {
      const request = readRequest(places)
      if (request === null || request.attempts > 0) return null
      await pause(lookMs)
    }
  }
  return `${upgradeUnit} does not take it.`
}
