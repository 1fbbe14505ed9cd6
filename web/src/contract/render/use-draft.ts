// The state of one form: the draft, which fields were touched, what the check of the browser and what the gateway say of it.

import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { Problem } from '../../api/failure.ts'
import { t } from '../../words.ts'
import { checkBody } from '../check.ts'
import type { Item } from '../define.ts'
import { changedFields, type Draft, type Faults, setAt, sortFaults, stepsOf } from '../draft.ts'
import type { FormField, Schema } from '../schema.ts'

export interface DraftSource {
  /** As it was read; null for a new item. */
  readonly base: Item | null
  /** What the form begins with, where it is not the base: a copy or an example. */
  readonly start?: Item
  readonly empty: Item
  readonly fields: readonly FormField[]
  readonly schema: Schema
  /** What would be sent. */
  readonly bodyOf: (draft: Draft) => unknown
}

export interface DraftState {
  readonly draft: Draft
  readonly faults: Faults
  /** Names of the fields that differ from what is stored. */
  readonly changed: readonly string[]
  readonly isDirty: boolean
  /** Whether the check of the browser finds nothing in the draft as it is now; what is shown may lag behind the keys. */
  readonly isValid: () => boolean
  readonly set: (path: string, value: unknown) => void
  readonly discard: () => void
  /** From now on every fault is shown, also those of fields that were not touched. */
  readonly showAll: () => void
  readonly refuse: (problems: readonly Problem[]) => void
  /** Someone else changed it: the draft continues on top of what is there now. */
  readonly rebase: (base: Item, value: Item) => void
  /** It was applied: what is stored is the draft. */
  readonly settle: () => void
}

const noProblems: readonly Problem[] = []

export function useDraft({ base, start, empty, fields, schema, bodyOf }: DraftSource): DraftState {
  const [state, setState] = useState<{ readonly draft: Draft; readonly isSettled: boolean }>(() => ({
    draft: { base, value: start ?? base ?? empty },
    isSettled: false,
  }))
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [isAllShown, setAllShown] = useState(false)
  const [refused, setRefused] = useState<readonly Problem[]>(noProblems)
  const { draft } = state
  const changed = useMemo(() => (state.isSettled ? [] : changedFields(draft, empty)), [state, draft, empty])
  const isDirty = changed.length > 0

  // What is read again is taken over unless the person is editing: then it is merged when it is sent.
  useEffect(() => {
    setState((now) => {
      if (base === null || now.draft.base === null) return now
      const isClean = now.isSettled || changedFields(now.draft).length === 0
      return isClean ? { draft: { base, value: base }, isSettled: false } : now
    })
  }, [base])

  const late = useDeferredValue(draft)
  const own = useMemo(() => checkBody(schema, bodyOf(late), t), [schema, bodyOf, late])
  const names = useMemo(() => new Set(fields.map(({ name }) => name)), [fields])
  const faults = useMemo(() => {
    const shown = own.filter(({ field }) => isAllShown || touched.has(String(stepsOf(field)[0] ?? field)))
    return sortFaults([...refused, ...shown], names)
  }, [own, refused, touched, isAllShown, names])

  const set = useCallback((path: string, value: unknown) => {
    setState((now) => ({ draft: { ...now.draft, value: setAt(now.draft.value, path, value) }, isSettled: false }))
    const name = String(stepsOf(path)[0] ?? path)
    setTouched((before) => (before.has(name) ? before : new Set([...before, name])))
    setRefused((before) => (before.length === 0 ? before : before.filter(({ field }) => stepsOf(field)[0] !== name)))
  }, [])
  const discard = useCallback(() => {
    setState((now) => ({ draft: { base: now.draft.base, value: now.draft.base ?? start ?? empty }, isSettled: false }))
    setTouched(new Set())
    setAllShown(false)
    setRefused(noProblems)
  }, [start, empty])
  const rebase = useCallback(
    (next: Item, value: Item) => setState({ draft: { base: next, value }, isSettled: false }),
    [],
  )
  const settle = useCallback(() => setState((now) => ({ ...now, isSettled: true })), [])
  return {
    draft,
    faults,
    changed,
    isDirty,
    isValid: () => checkBody(schema, bodyOf(draft)).length === 0,
    set,
    discard,
    showAll: useCallback(() => setAllShown(true), []),
    refuse: setRefused,
    rebase,
    settle,
  }
}
