// What is changed in the table and not applied yet: fields and the order. Ctrl Enter applies it from anywhere on the page.

import { useCallback, useEffect, useRef } from 'react'
import { applyNow, useReview } from '../../../api/apply.ts'
import type { ChangePlan } from '../../../api/change.ts'
import type { Editing } from '../../../api/editing.ts'
import { toast } from '../../../ui/toast.tsx'
import type { NumberOf } from '../../../util/rule-numbers.ts'
import { heard, t } from '../../../words.ts'
import {
  draftCalls,
  isEmptyDraft,
  isOnlyMoves,
  movedIds,
  noDraft,
  orderOf,
  type TableDraft,
  withOrder,
  withPatch,
} from './table-draft.ts'
import type { Rule, RuleTable } from './tables.ts'
import type { RuleTableData } from './use-rule-table.ts'

export interface TableChanges {
  readonly isDirty: boolean
  /** What is changed, in words. */
  readonly words: () => string
  readonly change: (rule: Rule, fields: Partial<Rule>) => void
  readonly reorder: (next: (order: readonly number[]) => readonly number[]) => void
  readonly discard: () => void
  readonly apply: (isReviewed: boolean) => void
}

export function useTableChanges(table: RuleTable, data: RuleTableData, editing: Editing): TableChanges {
  const { rules, etag, draft, setDraft, numberOf } = data
  const review = useReview()
  const isDirty = !isEmptyDraft(draft)
  const change = useCallback(
    (rule: Rule, fields: Partial<Rule>): void => {
      const stored = rules.find(({ id }) => id === rule.id)
      if (stored) setDraft((now) => withPatch(now, stored, fields))
    },
    [rules, setDraft],
  )
  const words = (): string => wordsOf(draft, rules, table, numberOf)
  const discard = (): void => setDraft(() => noDraft)
  const planOf = (tag: string | null): ChangePlan => ({
    title: words(),
    calls: draftCalls(draft, rules, table, tag),
    ...(table.confirmWithin === undefined ? {} : { confirmWithin: table.confirmWithin }),
    reads: [table.calls.list],
    onApplied: discard,
    onProblems: (problems) => toast(heard(problems[0]?.message ?? ''), { tone: 'bad' }),
  })
  const apply = (isReviewed: boolean): void => {
    if (!isDirty || !editing.isAllowed) return
    if (isReviewed || !isOnlyMoves(draft)) review.open(planOf(etag))
    else void applyNow(planOf(etag), { confirmWithin: table.confirmWithin ?? null })
  }
  useApplyKey(apply)
  return {
    isDirty,
    words,
    change,
    reorder: (next) => {
      if (!editing.isAllowed) return
      setDraft((now) => withOrder(now, rules, next(orderOf(now, rules))))
    },
    discard,
    apply,
  }
}

function wordsOf(draft: TableDraft, rules: readonly Rule[], table: RuleTable, numberOf: NumberOf): string {
  const moved = movedIds(draft, rules).length
  const [first] = draft.patches.keys()
  const touched = draft.patches.size + draft.removed.size
  if (touched === 0)
    return t('{count, plural, one {Move # rule} other {Move # rules}} of {table}', {
      count: moved,
      table: table.title,
    })
  if (touched === 1 && moved === 0 && first !== undefined)
    return t('Change {table} {id}', { table: table.title, id: numberOf(table.name, first) ?? '' })
  return t('{count, plural, one {Change # rule} other {Change # rules}} of {table}', {
    count: touched + moved,
    table: table.title,
  })
}

function useApplyKey(apply: (isReviewed: boolean) => void): void {
  const latest = useRef(apply)
  latest.current = apply
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
      // A message about the last change is a dialog too, and does not keep the next one from being made.
      if (document.querySelector('[role="dialog"]:not([data-news] *)')) return
      event.preventDefault()
      latest.current(false)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
