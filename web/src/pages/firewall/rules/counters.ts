// Hits of the rules of one table, kept outside of React: a poll writes only into the cells that are on screen. The gateway
// sends what changed since the last answer; the last five minutes are counted here while the page is open.

import { changedCounters, hitCounters } from '@gateway/server/contract/firewall'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { call } from '../../../api/call.ts'
import type { TableName } from './tables.ts'

export interface Hits {
  readonly packets: number
  readonly bytes: number
  readonly lastHit: number | null
  readonly since: number | null
  /** Hits of the last five minutes in steps, oldest first; null while too little was seen. */
  readonly recent: readonly number[] | null
}

export const stepMs = 30_000
export const steps = 10

interface Kept {
  packets: number
  bytes: number
  lastHit: number | null
  since: number | null
  /** By number of the step since 1970. */
  recent: Map<number, number>
  shown: Hits
}

export interface CounterStore {
  readonly take: (reading: Reading, now: number) => void
  readonly get: (id: number) => Hits | null
  readonly subscribe: (id: number, listener: () => void) => () => void
  /** Changes with every reading, for filters. */
  readonly version: () => number
  readonly subscribeAll: (listener: () => void) => () => void
}

export interface Reading {
  readonly counters: readonly {
    readonly id: number
    readonly packets: number
    readonly bytes: number
    readonly since: number | null
    readonly last_hit: number | null
  }[]
  readonly complete: boolean
}

export function createCounters(): CounterStore {
  const kept = new Map<number, Kept>()
  const listeners = new Map<number, Set<() => void>>()
  const everyone = new Set<() => void>()
  let version = 0
  const tell = (id: number): void => {
    for (const listener of listeners.get(id) ?? []) listener()
  }
  return {
    take({ counters, complete }, now) {
      const step = Math.floor(now / stepMs)
      const changed = new Set<number>()
      for (const { id, packets, bytes, since, last_hit } of counters) {
        const before = kept.get(id)
        // Counters begin at zero after a restart of the kernel's table.
        const added = before ? Math.max(0, packets - before.packets) : 0
        const recent = before?.recent ?? new Map<number, number>()
        if (added > 0) recent.set(step, (recent.get(step) ?? 0) + added)
        const next = { packets, bytes, lastHit: last_hit, since, recent }
        kept.set(id, { ...next, shown: show(next, step) })
        changed.add(id)
      }
      if (complete) {
        const there = new Set(counters.map(({ id }) => id))
        for (const id of kept.keys()) if (!there.has(id)) kept.delete(id)
      }
      for (const [id, one] of kept) {
        if (changed.has(id) || one.recent.size === 0) continue
        for (const at of one.recent.keys()) if (at <= step - steps) one.recent.delete(at)
        one.shown = show(one, step)
        changed.add(id)
      }
      version++
      for (const id of changed) tell(id)
      for (const listener of everyone) listener()
    },
    get: (id) => kept.get(id)?.shown ?? null,
    subscribe(id, listener) {
      const set = listeners.get(id) ?? new Set()
      listeners.set(id, set.add(listener))
      return () => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(id)
      }
    },
    version: () => version,
    subscribeAll(listener) {
      everyone.add(listener)
      return () => everyone.delete(listener)
    },
  }
}

function show({ packets, bytes, lastHit, since, recent }: Omit<Kept, 'shown'>, step: number): Hits {
  const bars = Array.from({ length: steps }, (_, at) => recent.get(step - steps + 1 + at) ?? 0)
  return { packets, bytes, lastHit, since, recent: bars.some((count) => count > 0) ? bars : null }
}

const pollMs = 5_000
const longestPauseMs = 60_000

/** Reads the counters of a table while the tab is looked at, one call at a time. */
export function useCounters(table: TableName): CounterStore {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another table has counters of its own
  const store = useMemo(createCounters, [table])
  useEffect(() => {
    let cursor: string | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    let pause = pollMs
    let isEnded = false
    const poll = async (): Promise<void> => {
      if (!document.hidden) {
        try {
          const { data } = await call(changedCounters, {
            query: { table, ...(cursor === null ? {} : { since: cursor }) },
            isBackground: true,
          })
          if (isEnded) return
          cursor = data.cursor
          store.take(data, Date.now())
          pause = pollMs
        } catch {
          pause = Math.min(pause * 2, longestPauseMs)
        }
      }
      if (!isEnded) timer = setTimeout(poll, pause)
    }
    void poll()
    return () => {
      isEnded = true
      clearTimeout(timer)
    }
  }, [table, store])
  return store
}

export const useHits = (store: CounterStore, id: number): Hits | null =>
  useSyncExternalStore(
    (listener) => store.subscribe(id, listener),
    () => store.get(id),
  )

/** All counters at once, for a file. */
export async function readHits(table: TableName): Promise<ReadonlyMap<number, number>> {
  const { data } = await call(hitCounters[table])
  return new Map(data.map(({ id, packets }) => [id, packets]))
}
