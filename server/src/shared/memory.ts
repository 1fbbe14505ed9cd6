// Gives memory back after work. The engine of the runtime keeps what a large compile, listing or reply needed for as long as
// nothing new is asked of it, which on a quiet gateway is for ever. So a process that has become quiet collects its garbage.

import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

export interface Heap {
  /** What objects take, those that nothing needs any more among them. */
  readonly size: () => number
  readonly collect: () => void
  /** Gives free memory outside of the heap back: the allocator keeps what lies between blocks in use. */
  readonly trim: () => void
  /** The share of the time since the last question in which the event loop had work. */
  readonly load: () => number
}

const megabyte = 1024 * 1024
const lookMs = 1_000
const quietLoad = 0.05
/** A collection takes about a millisecond for each megabyte, in which nothing is answered. */
const maxSize = 256 * megabyte
/** Less growth is not worth a collection. A large heap takes longer to collect, so it may grow by more. */
const worthwhile = (kept: number): number => Math.max(4 * megabyte, kept / 8)
/** A heap that is small after a collection may be collected during work, once it is twice as large. */
const smallSize = 32 * megabyte

/**
 * What looks do after growth, one after the other. The runtime sweeps a collected heap in the background and returns its
 * empty pages at the next collection. Blocks outside of the heap that only garbage needed are free a moment later.
 */
const course = ['collect', 'wait', 'collect', 'trim'] as const

/** One look at the heap; the returned function is called again and again. */
export function createLook({ size, collect, trim, load }: Heap): () => void {
  let kept = 0
  let at: number = course.length
  return () => {
    const isQuiet = load() < quietLoad
    const now = size()
    if (now > maxSize) return
    // The first look is always of this kind: a start leaves more garbage than any work, and it should not be built upon.
    const isUrgent = kept < smallSize && now > 2 * kept
    if (!isQuiet && !isUrgent) return
    if (now > kept + worthwhile(kept)) at = 0
    const step = course[at++] ?? 'wait'
    if (step === 'wait') return
    if (step === 'collect') {
      collect()
      kept = size()
    }
    trim()
  }
}

/** Does nothing where the allocator of the system has no such call, or the runtime cannot reach it. */
function findTrim(): () => void {
  try {
    const { dlopen } = process.getBuiltinModule('node:ffi')
    const { functions } = dlopen(null, { malloc_trim: { return: 'int32', arguments: ['uint64'] } })
    return () => void functions.malloc_trim(0n)
  } catch {
    return () => {}
  }
}

/** Needs the option --expose-gc of the runtime, which launcher and units give. */
export function giveMemoryBack(): void {
  const { gc } = globalThis
  if (gc === undefined) return
  let last = performance.eventLoopUtilization()
  const look = createLook({
    size: () => getHeapStatistics().used_heap_size,
    collect: () => void gc(),
    trim: findTrim(),
    load: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
  })
  setInterval(look, lookMs).unref()
}
