// Changes of the tables that are not applied yet, kept while the person looks at other pages: the tracer can follow a packet
// through them, and they are still there when the table is opened again.

import type { PlannedCall } from '../../api/change.ts'
import { createStore, useStore } from '../../api/store.ts'
import { isEmptyDraft, noDraft, type TableDraft } from './rules/table-draft.ts'
import type { TableName } from './rules/tables.ts'

interface Kept {
  readonly draft: TableDraft
  readonly calls: readonly PlannedCall[]
}

const drafts = createStore<ReadonlyMap<TableName, Kept>>(new Map())

export const draftOf = (table: TableName): TableDraft => drafts.get().get(table)?.draft ?? noDraft

export const useDraft = (table: TableName): TableDraft => useStore(drafts).get(table)?.draft ?? noDraft

export function keepDraft(table: TableName, draft: TableDraft, calls: readonly PlannedCall[]): void {
  const next = new Map(drafts.get())
  if (isEmptyDraft(draft)) next.delete(table)
  else next.set(table, { draft, calls })
  drafts.set(next)
}

/** The calls of all tables, as the tracer tries them. */
export const useDraftCalls = (): readonly PlannedCall[] => [...useStore(drafts).values()].flatMap(({ calls }) => calls)

const hasDrafts = (): boolean => drafts.get().size > 0

if (typeof window !== 'undefined')
  window.addEventListener('beforeunload', (event) => {
    if (hasDrafts()) event.preventDefault()
  })
