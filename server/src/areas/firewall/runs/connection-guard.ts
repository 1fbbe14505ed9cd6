// Keeps room in the kernel's table of connections for the gateway itself: while more are tracked than may be forwarded, an
// element of a live set stops new ones. The kernel drops it by itself when this process ends. Also reads who is at the limit.

import { readFileSync } from 'node:fs'
import type { Log } from '../../../core/log.ts'
import type { Applier, LiveElement } from '../../../core/plan/artifacts.ts'
import { limitSets } from '../../../core/plan/live-sets.ts'

/** What can be opened from one look to the next must fit into the rest of the table. */
const lookMilliseconds = 250
const holdSeconds = 3
const renewMilliseconds = 1_000
/** Forwarding goes on when this much of the limit is free again. */
const gap = 1 / 32
/** The same host is logged once in this time, and so many hosts are remembered. */
const sameHostMilliseconds = 600_000
const mostRemembered = 1_000

export interface TableReading {
  readonly tracked: number
  readonly size: number
}

export interface ConnectionGuardParts {
  readonly applier: Pick<Applier, 'changeLive' | 'readLive'>
  /** From so many tracked connections on none is forwarded, for a table of this size. */
  readonly total: (tableSize: number) => number
  readonly log: Log
  readonly readTable?: () => TableReading | null
  readonly elapsedMs?: () => number
}

export type ConnectionGuard = ReturnType<typeof createConnectionGuard>

const gate = (seconds: number): LiveElement => ({ address: '0.0.0.0', mac: null, device: null, seconds })

export function createConnectionGuard({
  applier,
  total,
  log,
  readTable = readKernelTable,
  elapsedMs = () => performance.now(),
}: ConnectionGuardParts) {
  let isFull = false
  let renewAt = 0
  let isBusy = false
  let timer: NodeJS.Timeout | null = null
  const logged = new Map<string, number>()

  async function look(): Promise<void> {
    const table = readTable()
    if (table === null) return
    const limit = total(table.size)
    const shouldHold = table.tracked >= (isFull ? limit - limit * gap : limit)
    if (!shouldHold && !isFull) return
    if (shouldHold && isFull && elapsedMs() < renewAt) return
    const set = limitSets.full
    await applier.changeLive([
      shouldHold ? { set, add: [gate(holdSeconds)], remove: [] } : { set, add: [], remove: [gate(holdSeconds)] },
    ])
    if (shouldHold !== isFull)
      log(
        'warning',
        shouldHold
          ? 'Too many connections are tracked; new ones are not forwarded'
          : 'New connections are forwarded again',
        {
          ...table,
        },
      )
    isFull = shouldHold
    renewAt = elapsedMs() + renewMilliseconds
  }

  /** Never two at a time; applyd may be away. */
  async function lookInTurn(): Promise<void> {
    if (isBusy) return
    isBusy = true
    try {
      await look()
    } catch {
      // The next look tries again; that applyd is away is reported elsewhere.
    } finally {
      isBusy = false
    }
  }

  /** Hosts that were refused in the last minute. */
  async function hosts(): Promise<readonly string[]> {
    const { sets } = await applier.readLive([limitSets.hosts])
    const found = (sets[limitSets.hosts] ?? []).map(({ address }) => address)
    const now = elapsedMs()
    for (const host of found) {
      if (now - (logged.get(host) ?? Number.NEGATIVE_INFINITY) < sameHostMilliseconds) continue
      if (logged.size >= mostRemembered) logged.clear()
      logged.set(host, now)
      log('warning', 'A host has as many connections as it may; new ones are refused', { host })
    }
    return found
  }

  return {
    look: lookInTurn,
    hosts,
    table: readTable,
    isFull: () => isFull,
    start: (): void => {
      timer ??= setInterval(() => void lookInTurn(), lookMilliseconds).unref()
    },
    stop: (): void => {
      if (timer) clearInterval(timer)
      timer = null
    },
  }
}

function readKernelTable(): TableReading | null {
  const number = (name: string): number =>
    Number.parseInt(readFileSync(`/proc/sys/net/netfilter/nf_conntrack_${name}`, 'latin1'), 10)
  try {
    const [tracked, size] = [number('count'), number('max')]
    return size > 0 ? { tracked, size } : null
  } catch {
    return null
  }
}
