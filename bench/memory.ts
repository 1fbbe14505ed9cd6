// How much memory processes use. The proportional set size shares the pages that several processes have mapped, such as
// those of the runtime, among them; the resident set size counts them for each.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Megabytes. */
export interface Memory {
  readonly proportional: number
  readonly resident: number
}

export function readMemory(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const read = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024) / 1e6
  return { proportional: read('Pss'), resident: read('Rss') }
}

export const addMemory = (one: Memory, other: Memory): Memory => ({
  proportional: one.proportional + other.proportional,
  resident: one.resident + other.resident,
})

const intervalMs = 1000
const mostReadings = 20

/** What the processes use together once it has stopped changing: a start leaves garbage that is collected soon. */
export async function settledMemory(pids: readonly number[]): Promise<Memory> {
  const read = (): Memory => pids.map(readMemory).reduce(addMemory)
  let before = read()
  for (let reading = 0; reading < mostReadings; reading++) {
    await pause(intervalMs)
    const now = read()
    if (Math.abs(now.proportional - before.proportional) < 0.01 * before.proportional) return now
    before = now
  }
  return before
}
