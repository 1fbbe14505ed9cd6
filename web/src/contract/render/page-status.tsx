// The state of the engine behind a page: its word in the head, and a bar where something is not as it is stored.

import type { Endpoint } from '@gateway/server/contract'
import { isStoredOnly, type StatusItem } from '@gateway/server/core/fields'
import type { ReactNode } from 'react'
import { readAt } from '../../api/call.ts'
import { useStatus } from '../../api/events.ts'
import { useRead } from '../../api/reads.ts'
import { Bar } from '../../ui/bar.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Status, type StatusState } from '../../ui/status.tsx'
import { heard, t } from '../../words.ts'
import { isItem } from '../draft.ts'
import { labelOf } from '../words.ts'

export interface EngineState {
  readonly state: StatusState
  readonly items: readonly StatusItem[]
  readonly isStoredOnly: boolean
}

const ranks: readonly StatusState[] = [
  'failed',
  'stored',
  'reloading',
  'activating',
  'deactivating',
  'active',
  'inactive',
]

const stateOf = (item: StatusItem): StatusState => (isStoredOnly(item) ? 'stored' : item.status)

/** The worst state of all items; null where there is none to show. */
export function worstOf(items: readonly StatusItem[]): StatusState | null {
  const states = items.map(stateOf)
  return ranks.find((state) => states.includes(state)) ?? null
}

const asItems = (data: unknown): readonly StatusItem[] => {
  const list = Array.isArray(data) ? data : [data]
  return list.filter(
    (item): item is StatusItem => isItem(item) && typeof item.status === 'string' && Array.isArray(item.msg),
  )
}

/** From the event stream where it carries this status, else read by itself. */
export function useEngine(endpoint: Endpoint | undefined): readonly StatusItem[] {
  const told = useStatus(endpoint?.path ?? '')
  const read = useRead(endpoint ?? noEndpoint, {
    isEnabled: endpoint !== undefined && told.length === 0,
    everyMs: 30_000,
  })
  return told.length > 0 ? told : asItems(read.data?.data)
}

const noEndpoint = readAt('')

export function EngineMark({ items }: { readonly items: readonly StatusItem[] }): ReactNode {
  const state = worstOf(items)
  return state === null ? null : <Status state={state} />
}

/** Says what is not as it is stored, with the words of the engine. */
export function EngineBars({ items }: { readonly items: readonly StatusItem[] }): ReactNode {
  const shown = items.filter(
    (item) => stateOf(item) === 'failed' || stateOf(item) === 'stored' || item.status === 'reloading',
  )
  if (shown.length === 0) return null
  return shown.map((item) => {
    const state = stateOf(item)
    const tone = state === 'failed' ? 'bad' : state === 'stored' ? 'kept' : 'accent'
    return (
      <Bar key={item.name} tone={tone}>
        <strong>{t(labelOf(item.name))}</strong> <Status state={state} />{' '}
        {item.msg.map((text) => (
          <span key={text}>
            <PlainText text={heard(text)} />{' '}
          </span>
        ))}
      </Bar>
    )
  })
}
