// Everything the page of a table reads: the rules with what is changed and not applied, objects, marks, hits, the rules that an
// address touches, and the rules of the central console around them.

import { forwardAfter, forwardBefore, inputAfter, inputBefore } from '@gateway/server/contract/central-console'
import { type forwardRules, listTouching, showHygiene } from '@gateway/server/contract/firewall'
import { useQueries } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { call } from '../../../api/call.ts'
import { keyOf, useRead } from '../../../api/reads.ts'
import type { ObjectIndex } from '../../../util/objects.ts'
import { type NumberOf, numbersOf, unknownNumbers } from '../../../util/rule-numbers.ts'
import { draftOf, keepDraft, useDraft } from '../drafts.ts'
import { useObjects } from '../use-objects.ts'
import { type CounterStore, useCounters } from './counters.ts'
import { addressesOf, type FilterContext, filterRows, parseFilter } from './filter.ts'
import { type Mark, marksOf } from './marks.ts'
import { createRowMaker, type RuleRow } from './rows.ts'
import { draftCalls, drawDraft, isEmptyDraft, rebase, type TableDraft } from './table-draft.ts'
import { asRules, type Rule, type RuleTable } from './tables.ts'

export interface RuleTableData {
  readonly list: ReturnType<typeof useRead<typeof forwardRules.list>>
  readonly rules: readonly Rule[]
  readonly etag: string | null
  readonly index: ObjectIndex
  /** The objects are known, so that a rule can be begun from names. */
  readonly isReady: boolean
  readonly marks: ReadonlyMap<number, Mark>
  readonly counters: CounterStore
  readonly draft: TableDraft
  readonly setDraft: (change: (draft: TableDraft) => TableDraft) => void
  readonly rows: readonly RuleRow[]
  readonly shown: readonly RuleRow[]
  /** What people call a rule: its place in the table as it is shown. */
  readonly numberOf: NumberOf
  /** The gateway was asked about an address and has not answered yet. */
  readonly isAsking: boolean
  readonly around: Around | null
}

export interface Around {
  readonly before: readonly Rule[]
  readonly after: readonly Rule[]
}

const hygieneMs = 60_000

export function useRuleTable(table: RuleTable, filter: string): RuleTableData {
  const list = useRead(table.calls.list as typeof forwardRules.list)
  const data = list.data?.data
  const rules = useMemo(() => asRules(data), [data])
  const { index, isReady } = useObjects()
  const findings = useRead(showHygiene, { everyMs: hygieneMs }).data?.data
  const counters = useCounters(table.name)
  const etag = list.data?.etag ?? null
  const draft = useDraft(table.name)
  const setDraft = useCallback(
    (change: (now: TableDraft) => TableDraft) => {
      const next = change(draftOf(table.name))
      keepDraft(table.name, next, draftCalls(next, rules, table, etag))
    },
    [table, rules, etag],
  )
  useEffect(() => {
    if (data !== undefined) setDraft((now) => (isEmptyDraft(now) ? now : rebase(now, rules)))
  }, [data, rules, setDraft])
  const [makeRows] = useState(createRowMaker)
  const rows = useMemo(() => makeRows(drawDraft(draft, rules), index), [makeRows, draft, rules, index])
  // As the table shows them, with moves that are not applied yet.
  const numberOf = useMemo(
    () => (data === undefined ? unknownNumbers : numbersOf(new Map([[table.name, rows.map(({ rule }) => rule)]]))),
    [data, rows, table],
  )
  const marks = useMemo(() => marksOf(findings ?? [], table.name, numberOf), [findings, table, numberOf])
  const terms = useMemo(() => parseFilter(filter), [filter])
  const { touching, isAsking } = useTouching(table, addressesOf(terms))
  const asksHits = terms.some(({ field, value }) => field === 'is' && (value === 'hit' || value === 'unhit'))
  const version = useSyncExternalStore(counters.subscribeAll, () => (asksHits ? counters.version() : 0))
  const context = useMemo<FilterContext>(
    () => ({ index, touching, marks, hitsOf: (id) => (version >= 0 ? (counters.get(id)?.packets ?? null) : null) }),
    [index, touching, marks, counters, version],
  )
  const shown = useMemo(() => filterRows(rows, terms, context), [rows, terms, context])
  const around = useAround(table)
  return {
    list,
    rules,
    etag,
    index,
    isReady,
    marks,
    counters,
    draft,
    setDraft,
    rows,
    shown,
    numberOf,
    isAsking,
    around,
  }
}

/** Rules that an address or network meets, as the gateway resolves them. */
function useTouching(table: RuleTable, addresses: readonly string[]) {
  const answers = useQueries({
    queries: addresses.map((address) => ({
      queryKey: keyOf(listTouching, { query: { address } as never }),
      queryFn: () => call(listTouching, { query: { address }, isBackground: true }),
      staleTime: 10_000,
    })),
  })
  const key = answers.map(({ dataUpdatedAt }) => dataUpdatedAt).join() + addresses.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the answers
  const touching = useMemo(
    () =>
      new Map(
        answers.map(({ data }, at) => [
          addresses[at] ?? '',
          new Set((data?.data ?? []).filter((one) => one.table === table.name).map(({ id }) => id)),
        ]),
      ),
    [key, table],
  )
  return { touching, isAsking: answers.some(({ isPending }) => isPending) }
}

/** Of FORWARD and INPUT; null where there are none. */
function useAround({ name }: RuleTable): Around | null {
  const isInput = name === 'input'
  const isEnabled = isInput || name === 'forward'
  const before = useRead(isInput ? inputBefore.list : forwardBefore.list, { isEnabled }).data?.data
  const after = useRead(isInput ? inputAfter.list : forwardAfter.list, { isEnabled }).data?.data
  return useMemo(() => {
    const around = { before: asRules(before), after: asRules(after) }
    return around.before.length + around.after.length === 0 ? null : around
  }, [before, after])
}
