// The draft of one item of a list with everything that happens on Review: the check, the plan, refusals beside their fields, and
// the merge when someone else changed the list in the meantime.

import { useCallback, useEffect, useMemo, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { type CallOptions, call } from '../../api/call.ts'
import type { ChangePlan, PlannedCall } from '../../api/change.ts'
import { Failure } from '../../api/failure.ts'
import { readAgain } from '../../api/reads.ts'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words.ts'
import type { Collection, Item } from '../define.ts'
import { type Draft, isEqual } from '../draft.ts'
import { type Choice, type Merge, mergeItems, settle as settleMerge } from '../merge.ts'
import {
  type Around,
  changeCall,
  changeEndpoint,
  createCall,
  idOf,
  itemFields,
  rowsIn,
  type Spot,
  startOf,
} from '../plan.ts'
import { bodyObject, emptyItem, type FormField, type Schema } from '../schema.ts'
import { type DraftState, useDraft } from './use-draft.ts'

export interface ItemDraftSource {
  readonly collection: Collection
  readonly around: Around
  /** Null for a new one. */
  readonly row: Item | null
  readonly start: Item | undefined
  readonly spot: Spot | null
  readonly etag: string | null
  readonly onApplied: (id: string | null) => void
}

export interface ItemDraft extends DraftState {
  readonly fields: readonly FormField[]
  readonly empty: Item
  /** The call as it would be sent now. */
  readonly planned: PlannedCall | null
  readonly review: () => void
  readonly conflict: Merge | null
  readonly settleConflict: (choices: Readonly<Record<string, Choice>>) => void
  readonly closeConflict: () => void
}

const isEmptyBody = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.keys(body).length === 0

export function useItemDraft(source: ItemDraftSource): ItemDraft {
  const { collection, start, etag } = source
  const { open } = useReview()
  const calls = useItemCalls(source)
  const { fields, empty, base, schema, callOf, bodyOf, isChangeable } = calls
  const begin = start === undefined ? undefined : { ...empty, ...start }
  const state = useDraft({ base, ...(begin ? { start: begin } : {}), empty, fields, schema, bodyOf })
  const { draft, isValid, showAll, refuse } = state
  const { planOf, conflict, settleConflict, closeConflict } = useItemPlan(source, calls, state)

  const planned = useMemo(() => {
    if (!isChangeable) return null
    const made = callOf(draft, etag)
    return isEmptyBody(made.body) && draft.base !== null ? null : made
  }, [isChangeable, callOf, draft, etag])

  /** Calls that change no configuration have no dry run: they are made at once. */
  const act = async (made: PlannedCall): Promise<void> => {
    try {
      const { endpoint, params, query, body } = made
      const reply = await call(endpoint, { params, query, body } as CallOptions)
      await readAgain(collection.endpoints.list)
      planOf(draft, etag).onApplied?.([reply.data])
      toast(t('Done.'), { tone: 'ok' })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      showAll()
      refuse(error.problems.length > 0 ? error.problems : [{ field: '', message: error.message }])
    }
  }

  const review = (): void => {
    showAll()
    if (!isValid() || planned === null) return
    if (planned.endpoint.effect === 'action') void act(planned)
    else open(planOf(draft, etag))
  }

  return { ...state, fields, empty, planned, review, conflict, settleConflict, closeConflict }
}

/** The fields of the item, what it begins with, and the call that makes or changes it. */
function useItemCalls({ collection, around, row, spot }: ItemDraftSource) {
  const isNew = row === null
  const fields = useMemo(() => itemFields(collection, isNew), [collection, isNew])
  const empty = useMemo(() => emptyItem(fields), [fields])
  const base = useMemo(() => (row === null ? null : withMarks(startOf(fields, row, empty), row)), [row, fields, empty])
  const endpoint = isNew ? collection.endpoints.create : changeEndpoint(collection)
  const schema = bodyObject(endpoint?.body as Schema | undefined)
  const callOf = useCallback(
    (draft: Draft, tag: string | null): PlannedCall =>
      draft.base === null || row === null
        ? createCall(collection, draft.value, { around, etag: tag, spot })
        : changeCall(collection, { base: draft.base, value: draft.value, row }, { around, etag: tag }),
    [collection, around, row, spot],
  )
  // Items that no call changes are only looked at.
  const isChangeable = endpoint !== undefined
  const bodyOf = useCallback((draft: Draft) => (isChangeable ? callOf(draft, null).body : {}), [isChangeable, callOf])
  return { fields, empty, base, schema, callOf, bodyOf, isChangeable }
}

interface ItemConflict {
  readonly merge: Merge
  readonly theirs: Item
  readonly etag: string | null
}

/** The plan of a draft, which goes on top of what is there now when someone else changed the list. */
function useItemPlan(
  { collection, around, row, onApplied }: ItemDraftSource,
  { fields, empty, callOf }: ReturnType<typeof useItemCalls>,
  { showAll, refuse, rebase, settle }: DraftState,
) {
  const { open } = useReview()
  const [conflict, setConflict] = useState<ItemConflict | null>(null)
  const setApplied = useAfterApply(onApplied)

  const planOf = (now: Draft, tag: string | null): ChangePlan => ({
    title: titleOf(collection, row, now),
    calls: [callOf(now, tag)],
    ...(collection.confirmWithin === undefined ? {} : { confirmWithin: collection.confirmWithin }),
    reads: [collection.endpoints.list],
    onApplied: (replies) => {
      settle()
      const [reply] = replies
      const id = typeof reply === 'object' && reply !== null && 'id' in reply ? String(reply.id) : null
      setApplied({ id: now.base === null ? id : null })
    },
    onProblems: (problems) => {
      showAll()
      refuse(problems)
    },
    onConflict: () => onConflict(now),
  })

  /** The tag belongs to the whole list, so most often another row changed. */
  async function onConflict(now: Draft): Promise<ChangePlan | null> {
    const { list } = collection.endpoints
    const reply = await call(list, { params: around, query: collection.query ?? {} } as CallOptions)
    void readAgain(list)
    if (now.base === null || row === null) return planOf(now, reply.etag)
    const own = rowsIn(reply.data, collection.rowsIn).find((one) => idOf(collection, one) === idOf(collection, row))
    if (own === undefined) {
      toast(t('Someone else has removed it.'), { tone: 'bad' })
      return null
    }
    const theirs = withMarks(startOf(fields, own, empty), own)
    if (isEqual(theirs, now.base)) return planOf(now, reply.etag)
    const merge = mergeItems(now.base, now.value, theirs)
    if (merge.conflicts.length > 0) {
      setConflict({ merge, theirs, etag: reply.etag })
      return null
    }
    rebase(theirs, merge.merged)
    return planOf({ base: theirs, value: merge.merged }, reply.etag)
  }

  const settleConflict = (choices: Readonly<Record<string, Choice>>): void => {
    if (!conflict) return
    const value = settleMerge(conflict.merge, choices)
    rebase(conflict.theirs, value)
    setConflict(null)
    open(planOf({ base: conflict.theirs, value }, conflict.etag))
  }

  return { planOf, conflict: conflict?.merge ?? null, settleConflict, closeConflict: () => setConflict(null) }
}

interface AppliedItem {
  readonly id: string | null
}

/** Only when the draft is no longer unsaved may the page be left. */
function useAfterApply(onApplied: (id: string | null) => void): (applied: AppliedItem) => void {
  const [applied, setApplied] = useState<AppliedItem | null>(null)
  useEffect(() => {
    if (applied === null) return
    setApplied(null)
    onApplied(applied.id)
  }, [applied, onApplied])
  return setApplied
}

/** An item that is not whole yet may have no name. */
function nameOf(collection: Collection, item: Item): string {
  try {
    return collection.title(item)
  } catch {
    return ''
  }
}

function titleOf(collection: Collection, row: Item | null, { base, value }: Draft): string {
  const words = { item: t(collection.itemName), name: nameOf(collection, { ...row, ...value }) }
  return base === null ? t('Add {item} {name}', words) : t('Change {item} {name}', words)
}

/** Lists say by `has_password` that a secret is set, which the form must know. */
const withMarks = (start: Item, row: Item): Item => ({
  ...start,
  ...Object.fromEntries(Object.entries(row).filter(([name]) => name.startsWith('has_'))),
})
