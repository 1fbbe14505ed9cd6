// What a person does to the rows of a list outside of the panel: switches, removals, moves, copies, and actions of the page. What is
// not confirmed by the gateway yet is drawn as pending and goes back when it is refused.

import type { Endpoint } from '@gateway/server/contract'
import { useEffect, useState } from 'react'
import { applyNow, reviewStore, useReview } from '../../api/apply.ts'
import { type CallOptions, call } from '../../api/call.ts'
import type { ChangePlan, PlannedCall } from '../../api/change.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain } from '../../api/reads.ts'
import { useStore } from '../../api/store.ts'
import { toast } from '../../ui/toast.tsx'
import { heard, t } from '../../words.ts'
import type { Collection, Item } from '../define.ts'
import {
  type Around,
  changeCall,
  idOf,
  itemFields,
  moveCalls,
  moved,
  paramsOf,
  removeCall,
  rowsIn,
  type Spot,
  startOf,
} from '../plan.ts'

export interface ListState {
  readonly collection: Collection
  readonly around: Around
  readonly rows: readonly Item[]
  readonly etag: string | null
  /** Single switches apply at once with an undo; elsewhere they are reviewed. */
  readonly isAtOnce: boolean
}

export interface ListChanges {
  /** In the order that is waited for. */
  readonly rows: readonly Item[]
  readonly isPending: (row: Item) => boolean
  readonly isMoved: (row: Item) => boolean
  readonly setEnabled: (rows: readonly Item[], field: string, isOn: boolean) => void
  readonly remove: (rows: readonly Item[], onDone: () => void) => void
  readonly move: (rows: readonly Item[], spot: Spot) => void
  readonly copy: (row: Item) => void
}

export function useListChanges(state: ListState): ListChanges {
  const { collection, around, rows, isAtOnce } = state
  const { open } = useReview()
  const waiting = useWaitingRows()
  const { list } = collection.endpoints
  const item = t(collection.itemName)
  const nameOf = (chosen: readonly Item[]): string => {
    const [first] = chosen
    if (chosen.length === 1 && first) return collection.title(first)
    return t('{count, plural, one {# item} other {# items}}', { count: chosen.length })
  }

  const setEnabled = (chosen: readonly Item[], field: string, isOn: boolean): void => {
    const title = isOn
      ? t('Switch on {item} {name}', { item, name: nameOf(chosen) })
      : t('Switch off {item} {name}', { item, name: nameOf(chosen) })
    const plan = planOf(state, title, switchCalls(state, chosen, field, isOn))
    waiting.setSwitched(new Map(chosen.map((row) => [idOf(collection, row), { ...row, [field]: isOn }])))
    if (!isAtOnce || chosen.length > 1) {
      open(plan)
      return
    }
    void applyNow(plan).then(async () => {
      await readAgain(list)
      waiting.setSwitched(new Map())
    })
  }

  const remove = (chosen: readonly Item[], onDone: () => void): void => {
    const make: CallMaker = (tag) => tagged(chosen.map((row) => removeCall(collection, row, { around, etag: tag })))
    if (collection.endpoints.remove?.effect === 'action') {
      void act(make(null), list).then((isDone) => {
        if (isDone) onDone()
      })
      return
    }
    const plan = planOf(state, t('Remove {item} {name}', { item, name: nameOf(chosen) }), make)
    open({ ...plan, onApplied: onDone })
  }

  const move = (chosen: readonly Item[], spot: Spot): void => {
    const make: CallMaker = (tag) => moveCalls(collection, chosen, spot, { around, etag: tag })
    const plan = planOf(state, t('Move {item} {name}', { item, name: nameOf(chosen) }), make)
    const ids = chosen.map((row) => idOf(collection, row))
    waiting.shift(ids, moved(rows, chosen, spot, collection.idField))
    open({ ...plan, onApplied: () => waiting.showMoved(ids) })
  }

  const copy = (row: Item): void => {
    const endpoint = collection.endpoints.copy
    if (!endpoint) return
    const calls = [{ endpoint, params: paramsOf(endpoint, around, idOf(collection, row)) }]
    open(planOf(state, t('Copy {item} {name}', { item, name: nameOf([row]) }), () => calls))
  }

  return {
    rows: (waiting.order ?? rows).map((row) => waiting.switched.get(idOf(collection, row)) ?? row),
    isPending: (row) => waiting.switched.has(idOf(collection, row)) || waiting.shifted.has(idOf(collection, row)),
    isMoved: (row) => waiting.moved.has(idOf(collection, row)),
    setEnabled,
    remove,
    move,
    copy,
  }
}

/** For how long a row that moved is marked. */
const movedMs = 600

/** Rows as they are asked for while the gateway has not confirmed it. */
function useWaitingRows() {
  const isReviewed = useStore(reviewStore) !== null
  const [order, setOrder] = useState<readonly Item[] | null>(null)
  const [switched, setSwitched] = useState<ReadonlyMap<string, Item>>(new Map())
  const [shifted, setShifted] = useState<ReadonlySet<string>>(new Set())
  const [movedIds, setMovedIds] = useState<ReadonlySet<string>>(new Set())

  // The review was left or it was applied: what is stored is shown again.
  useEffect(() => {
    if (isReviewed) return
    setOrder(null)
    setShifted((now) => (now.size === 0 ? now : new Set()))
    setSwitched((now) => (now.size === 0 ? now : new Map()))
  }, [isReviewed])

  return {
    order,
    switched,
    setSwitched,
    shifted,
    shift: (ids: readonly string[], next: readonly Item[]): void => {
      setOrder(next)
      setShifted(new Set(ids))
    },
    moved: movedIds,
    showMoved: (ids: readonly string[]): void => {
      setMovedIds(new Set(ids))
      setTimeout(() => setMovedIds(new Set()), movedMs)
    },
  }
}

/** The calls of a change, made again with another tag when the list was changed by someone else. */
type CallMaker = (tag: string | null) => readonly PlannedCall[]

function planOf(state: ListState, title: string, make: CallMaker): ChangePlan {
  const { collection, around, etag } = state
  const { list } = collection.endpoints
  return {
    title,
    calls: make(etag),
    reads: [list],
    ...(collection.confirmWithin === undefined ? {} : { confirmWithin: collection.confirmWithin }),
    onConflict: async () => {
      const reply = await call(list, { params: around, query: collection.query ?? {} } as CallOptions)
      void readAgain(list)
      const there = new Set(rowsIn(reply.data, collection.rowsIn).map((row) => idOf(collection, row)))
      const calls = make(reply.etag)
      const isGone = calls.some(({ params = {}, endpoint }) => {
        const id = params[endpoint.params.at(-1) ?? '']
        return id !== undefined && !there.has(String(id)) && !(String(id) in around)
      })
      if (!isGone) return { ...planOf(state, title, make), calls }
      toast(t('Someone else has removed it.'), { tone: 'bad' })
      return null
    },
  }
}

/** Only the first call carries the tag: the others follow in the same change. */
const tagged = (calls: readonly PlannedCall[]): readonly PlannedCall[] =>
  calls.map((one, at) => (at === 0 ? one : { ...one, etag: null }))

function switchCalls(
  { collection, around }: ListState,
  chosen: readonly Item[],
  field: string,
  isOn: boolean,
): CallMaker {
  const fields = itemFields(collection, false)
  return (tag) =>
    tagged(
      chosen.map((row) => {
        const base = startOf(fields, row, {})
        return changeCall(collection, { base, value: { ...base, [field]: isOn }, row }, { around, etag: tag })
      }),
    )
}

/** Calls that change no configuration have no dry run: they are made at once. True when all of them were. */
async function act(calls: readonly PlannedCall[], list: Endpoint): Promise<boolean> {
  try {
    for (const { endpoint, params, body } of calls) await call(endpoint, { params, body } as CallOptions)
    return true
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    toast(heard(error.message), { tone: 'bad' })
    return false
  } finally {
    await readAgain(list)
  }
}
