// All objects, how often they are used, and what domains stand for now.

import { domainsState, listAll, useCounts } from '@gateway/server/contract/objects'
import { useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { type DomainAddresses, emptyIndex, indexObjects } from '../../util/objects.ts'

const domainsMs = 30_000

export function useObjects() {
  const all = useRead(listAll)
  const counts = useRead(useCounts)
  const data = all.data?.data
  const index = useMemo(() => (data ? indexObjects(data) : emptyIndex), [data])
  const uses = useMemo(
    () => new Map((counts.data?.data ?? []).map(({ id, uses: count }) => [id, count])),
    [counts.data],
  )
  return { read: all, index, uses, isCounted: counts.data !== undefined }
}

export function useDomains(): {
  readonly addresses: DomainAddresses
  readonly states: ReadonlyMap<string, DomainState>
} {
  const { data } = useRead(domainsState, { everyMs: domainsMs })
  return useMemo(() => {
    const states = new Map((data?.data ?? []).map((one) => [one.id, one]))
    return { states, addresses: new Map([...states].map(([id, { addresses }]) => [id, addresses])) }
  }, [data])
}

export interface DomainState {
  readonly id: string
  readonly value: string
  readonly addresses: readonly string[]
  readonly resolved_at: number | null
  readonly error: string | null
}
