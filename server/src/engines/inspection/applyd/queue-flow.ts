// What happens in the queues of the kernel: whether the engine holds them, what was lost in them, and whether those of channels that may pass are
// overrun. The engine has one setting of fail-open for all of its queues, and the kernel does not count what passes by it; so no queue has it, and
// an overrun is seen here (decision 96).

import { inspection } from '../../../core/plan/inspection-marks.ts'

export interface QueueRow {
  readonly number: number
  readonly owner: number
  readonly waiting: number
  /** Packets that found the queue full, or its owner without room. */
  readonly lost: number
  /** Of them, those that had a place in the queue already. */
  readonly lostAtOwner: number
  readonly sequence: number
}

/** Columns: number, owner, waiting, mode, range, dropped in the queue and for its owner, sequence of packets, 1. */
export function readQueueRows(text: string): QueueRow[] {
  return text.split('\n').flatMap((line) => {
    const [number = Number.NaN, owner = 0, waiting = 0, , , full = 0, lostAtOwner = 0, sequence = 0] = line
      .trim()
      .split(/\s+/)
      .map(Number)
    const isOwn = number >= inspection.firstQueue && number < inspection.firstClosedQueue + inspection.mostQueues
    return isOwn ? [{ number, owner, waiting, lost: full + lostAtOwner, lostAtOwner, sequence }] : []
  })
}

/** How long packets pass by a queue that was overrun, at first and at most: it is tried again, each time later. */
const [firstPauseMs, longestPauseMs] = [5_000, 60_000]

export interface QueueFlow {
  /** Since when an engine holds the queues, in seconds since boot; null while none does. */
  readonly heldSince: number | null
  readonly isOverrun: boolean
  /** Packets that were lost because a queue was full: of channels that may pass, and of those that may not. */
  readonly lost: { readonly open: number; readonly closed: number }
}

/** `elapsed` in seconds since boot: a jump of the clock must not let packets pass for longer. The returned function looks once. */
export function createQueueFlow(read: () => string, elapsed: () => number): () => QueueFlow {
  let seen = new Map<number, number>()
  let [owner, heldSince] = [0, null as number | null]
  const lost = { open: 0, closed: 0 }
  let overrun: { readonly until: number; readonly pauseMs: number } | null = null
  return () => {
    const at = 1000 * elapsed()
    const rows = readQueueRows(read())
    const first = rows.find(({ number }) => number === inspection.firstQueue)
    if (!first) heldSince = null
    else if (heldSince === null || first.owner !== owner) heldSince = at / 1000
    owner = first?.owner ?? 0
    let lostNow = 0
    for (const row of rows) {
      const before = seen.get(row.number) ?? 0
      // Fewer than before: another engine has taken the queue.
      const more = row.lost < before ? row.lost : row.lost - before
      const isOpen = row.number < inspection.firstClosedQueue
      lost[isOpen ? 'open' : 'closed'] += more
      if (isOpen) lostNow += more
    }
    seen = new Map(rows.map((row) => [row.number, row.lost]))
    if (lostNow > 0 && (overrun === null || at >= overrun.until)) {
      const isAgain = overrun !== null && at < overrun.until + longestPauseMs
      const pauseMs = isAgain && overrun ? Math.min(2 * overrun.pauseMs, longestPauseMs) : firstPauseMs
      overrun = { until: at + pauseMs, pauseMs }
    }
    return { heldSince, isOverrun: overrun !== null && at < overrun.until, lost: { ...lost } }
  }
}
