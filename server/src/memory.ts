// Gives memory back after work. The engine of the runtime keeps what a large compile, listing or reply needed for as long as
// nothing new is asked of it, which on a quiet gateway is for ever. So a process that has become quiet collects its garbage.

import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

export interface Heap {
  /** What it has of the machine, used or not. */
  readonly size: () => number
  readonly collect: () => void
  /** The share of the time since the last question in which the event loop had work. */
  readonly load: () => number
}

const megabyte = 1024 * 1024
const lookMs = 5_000
const quietLoad = 0.05
/** A collection takes about a millisecond for each megabyte, in which nothing is answered. */
const maxSize = 256 * megabyte
/** Less is not worth a collection. */
const worthwhile = 4 * megabyte
/** The first one empties pages of the heap, the next one returns them. */
const passes = 2

/** One look at the heap; the returned function is called again and again. */
export function createLook({ size, collect, load }: Heap): () => void {
  let kept = 0
  let left = passes
  return () => {
    const isQuiet = load() < quietLoad
    const now = size()
    if (now > kept + worthwhile) left = passes
    if (!isQuiet || left === 0 || now > maxSize) return
    collect()
    left--
    kept = size()
  }
}

/** Needs the option --expose-gc of the runtime, which launcher and units give. */
export function giveMemoryBack(): void {
  const { gc } = globalThis
  if (gc === undefined) return
  let last = performance.eventLoopUtilization()
  const look = createLook({
    size: () => getHeapStatistics().total_heap_size,
    collect: () => void gc(),
    load: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
  })
  setInterval(look, lookMs).unref()
}
