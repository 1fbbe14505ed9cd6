// What can be done with the rules of a table, by key and by button: add, copy, change several, move, remove, look at their hits.

import { useState } from 'react'
import { useReview } from '../../../api/apply.ts'
import type { Editing } from '../../../api/editing.ts'
import { useGo, usePlace } from '../../../place.ts'
import type { GridKey } from '../../../ui/grid/types.ts'
import { toast } from '../../../ui/toast.tsx'
import { t } from '../../../words.ts'
import { searchOfRule } from '../tracer/from-rule.ts'
import { orderByStep } from './moves.ts'
import type { RuleRow } from './rows.ts'
import { withRemoved } from './table-draft.ts'
import type { Rule, RuleTable, TableName } from './tables.ts'
import type { RuleTableData } from './use-rule-table.ts'
import type { TableChanges } from './use-table-changes.ts'

/** The letters of the tables in the log. */
const logTables: Readonly<Record<TableName, string>> = {
  forward: 'FWD',
  input: 'INP',
  dnat: 'DNAT',
  snat: 'SNAT',
  log: 'LOG',
}

interface RuleActsSource {
  readonly table: RuleTable
  readonly data: RuleTableData
  readonly editing: Editing
  readonly changes: TableChanges
}

/** Rules that are changed together, or whose new place is asked for. */
interface AskedRules {
  readonly what: 'bulk' | 'move'
  readonly rules: readonly Rule[]
}

export interface RuleActs {
  readonly selection: ReadonlySet<string>
  readonly setSelection: (selection: ReadonlySet<string>) => void
  readonly asked: AskedRules | null
  readonly ask: (asked: AskedRules | null) => void
  readonly openLog: (rule: Rule) => void
  readonly openTracer: (rule: Rule) => void
  readonly addBeside: (row: RuleRow | null, isAfter: boolean) => void
  readonly copy: (row: RuleRow) => void
  readonly remove: (rules: readonly Rule[]) => void
  readonly onKey: (event: GridKey<RuleRow>) => boolean
}

/** What stays in the address when a rule is opened or closed. */
export const keptSearch = ({ q }: Readonly<Record<string, string>>): Record<string, string> =>
  q === undefined ? {} : { q }

export function useRuleActs(source: RuleActsSource): RuleActs {
  const { table, data } = source
  const { etag, index, numberOf, setDraft } = data
  const place = usePlace()
  const go = useGo()
  const review = useReview()
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [asked, ask] = useState<AskedRules | null>(null)
  const openNew = (search: Readonly<Record<string, string>>): void =>
    go.open(`policy/rules/${table.name}/new`, { ...keptSearch(place.search), ...search })
  const remove = (targets: readonly Rule[]): void => {
    if (targets.length === 0) return
    const ids = targets.map(({ id }) => id)
    review.open({
      title: t('{count, plural, one {Remove {table} {id}} other {Remove # rules of {table}}}', {
        count: targets.length,
        table: table.title,
        id: numberOf(table.name, ids[0] ?? 0) ?? '',
      }),
      calls: ids.map((id) => ({ endpoint: table.calls.remove, params: { rule_id: id }, etag })),
      ...(table.confirmWithin === undefined ? {} : { confirmWithin: table.confirmWithin }),
      reads: [table.calls.list],
      onApplied: () => {
        setSelection(new Set())
        setDraft((now) => withRemoved(now, ids, false))
        if (ids.some((id) => String(id) === place.item)) go.openItem(null)
      },
    })
  }
  const acts: Omit<RuleActs, 'onKey'> = {
    selection,
    setSelection,
    asked,
    ask,
    openLog: (rule) => go.open('monitor/logs/firewall', { table: logTables[table.name], rule_id: String(rule.id) }),
    openTracer: (rule) => go.open('policy/tracer', searchOfRule(rule, index)),
    addBeside: (row, isAfter) => openNew(row === null ? {} : { [isAfter ? 'after' : 'before']: row.key }),
    copy: ({ key }) => openNew({ copy: key, after: key }),
    remove,
  }
  return { ...acts, onKey: (event) => onRuleKey(event, acts, source) }
}

function onRuleKey(
  { key, row, rows: targets }: GridKey<RuleRow>,
  acts: Omit<RuleActs, 'onKey'>,
  { table, editing, changes }: RuleActsSource,
): boolean {
  const rules = targets.map(({ rule }) => rule)
  const ids = new Set(rules.map(({ id }) => id))
  const change = (act: () => void): boolean => {
    if (editing.isAllowed) act()
    else if (editing.why) toast(editing.why)
    return true
  }
  switch (key) {
    case 'o':
      return change(() => acts.addBeside(row, true))
    case 'Shift O':
      return change(() => acts.addBeside(row, false))
    case 'c':
      return row === null ? false : change(() => acts.copy(row))
    case 'e':
      return change(() => acts.ask({ what: 'bulk', rules }))
    case 'm':
      return change(() => acts.ask({ what: 'move', rules }))
    case 'Alt Up':
      return change(() => changes.reorder((order) => orderByStep(order, ids, -1)))
    case 'Alt Down':
      return change(() => changes.reorder((order) => orderByStep(order, ids, 1)))
    case 'Delete':
      return change(() => acts.remove(rules))
    case 'l':
      if (row) acts.openLog(row.rule)
      return true
    case 't':
      if (row && table.name !== 'log') acts.openTracer(row.rule)
      return true
    case 'Ctrl Enter':
      changes.apply(false)
      return true
    default:
      return false
  }
}
