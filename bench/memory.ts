// How much memory processes use. The proportional set size shares the pages that several processes have mapped, such as
// those of the runtime, among them; the resident set size counts them for each.

import { readFileSync } from 'node:fs'

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

/** What the processes use together. */
export const memoryOf = (pids: readonly number[]): Memory => pids.map(readMemory).reduce(addMemory)
