// Time, in two kinds: the wall clock to show and to record, and elapsed seconds of this boot to measure with.
// Sessions, blocks and probations use the second, so that a jump of the wall clock ends or prolongs nothing.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'

export interface Clock {
  now(): Date
  /** Seconds since boot; comparable across processes of the same `boot`. */
  elapsed(): number
  readonly boot: string
}

/** uptime() reads a file each time; asked once, the monotonic clock carries on from there. */
export function systemClock(): Clock {
  const startedAt = uptime() - performance.now() / 1000
  return { now: () => new Date(), elapsed: () => startedAt + performance.now() / 1000, boot: bootId() }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Without a boot id nothing measured before this start can be trusted.
    return randomUUID()
  }
}

/** Unix seconds as the API writes them (docs/behaviour/api.md 5). */
export const unixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** The number YYYYMMDDhhmmss in UTC (docs/behaviour/api.md 5). */
export const stampNumber = (date: Date): number => Number(date.toISOString().slice(0, 19).replaceAll(/[-T:]/g, ''))
