// Remembers the time of aging.ts across restarts, in a small file of the state folder.

import { readFileSync } from 'node:fs'
import { writeDurably } from '../files/durable-file.ts'
import { type Aging, type AgingState, createAging } from './aging.ts'
import type { Clock } from './clock.ts'

const everyMs = 3_600_000

export interface KeptAging {
  readonly aging: Aging
  stop(): void
}

export function keepAging(path: string, { now, elapsed }: Pick<Clock, 'now' | 'elapsed'>): KeptAging {
  const aging = createAging(() => now().getTime(), elapsed, readState(path))
  const save = (): void => {
    try {
      writeDurably(path, JSON.stringify(aging.state()))
    } catch {
      // A disk that takes nothing is asked again in an hour. The next start knows an older time until then, which removes less.
    }
  }
  save()
  const timer = setInterval(save, everyMs).unref()
  const stop = (): void => {
    clearInterval(timer)
    save()
  }
  return { aging, stop }
}

/** Null without one, or with one that cannot be right. */
function readState(path: string): AgingState | null {
  try {
    const { time, wall, awaySeconds } = JSON.parse(readFileSync(path, 'utf8')) as AgingState
    const isGood = [time, wall, awaySeconds].every(Number.isFinite) && awaySeconds >= 0
    return isGood ? { time, wall, awaySeconds } : null
  } catch {
    return null
  }
}
