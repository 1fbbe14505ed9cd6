// The page of one table of rules: the grid, its filter, and every way to change rules. What is changed here is a draft over the
// table until it is reviewed; moves alone are seen in the table and are applied at once.

import { useEffect, useMemo, useRef, useState } from 'react'
import { type Editing, useEditing } from '../../../api/editing.ts'
import type { HandPage } from '../../../page.ts'
import { useGo, usePlace } from '../../../place.ts'
import { Button } from '../../../ui/button.tsx'
import { Grid } from '../../../ui/grid/grid.tsx'
import type { RowClass } from '../../../ui/grid/types.ts'
import { Menu } from '../../../ui/menu.tsx'
import { PageHead } from '../../../ui/page-head.tsx'
import { ProblemBox } from '../../../ui/problem-box.tsx'
import { currentLanguage, t } from '../../../words.ts'
import { aroundBands } from './around.tsx'
import { ruleColumns } from './columns.tsx'
import { orderBeside } from './moves.ts'
import { OpenDrawers } from './open-drawers.tsx'
import { DraftBar, NoRules, RulesFilter, SelectionBar } from './page-parts.tsx'
import type { RuleRow } from './rows.ts'
import styles from './rules-page.module.css'
import { isOnlyMoves, movedIds } from './table-draft.ts'
import { type RuleTable, ruleTables, type TableName } from './tables.ts'
import { type RuleActs, useRuleActs } from './use-rule-acts.ts'
import { type RuleTableData, useRuleTable } from './use-rule-table.ts'
import { type TableChanges, useTableChanges } from './use-table-changes.ts'

export function rulesPage(name: TableName): HandPage {
  const table = ruleTables[name]
  return { kind: 'hand', Component: () => <RulesPage key={name} table={table} /> }
}

/** Files are asked for now and then: what writes them is loaded then. */
const saveRules = async (...given: Parameters<typeof import('./export.ts').saveRules>): Promise<void> =>
  (await import('./export.ts')).saveRules(...given)

/** The table of the page with all that is known of it and all that can be done to it. */
interface TableParts {
  readonly table: RuleTable
  readonly data: RuleTableData
  readonly editing: Editing
  readonly changes: TableChanges
  readonly acts: RuleActs
}

function RulesPage({ table }: { readonly table: RuleTable }) {
  const filter = usePlace().search.q ?? ''
  const editing = useEditing(table.calls.update.access)
  const data = useRuleTable(table, filter)
  const changes = useTableChanges(table, data, editing)
  const acts = useRuleActs({ table, data, editing, changes })
  const parts: TableParts = { table, data, editing, changes, acts }
  const [dropped, setDropped] = useState<File | null>(null)
  const page = useRef<HTMLDivElement>(null)
  useNumberedRule(data.rows)
  const { list } = data
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a file may be dropped anywhere on the page
    <div
      ref={page}
      className={styles.page}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault()
      }}
      onDrop={(event) => {
        const [file] = event.dataTransfer.files
        if (!file || !editing.isAllowed) return
        event.preventDefault()
        setDropped(file)
      }}
    >
      <RulesHead {...parts} />
      <TableFilter
        {...parts}
        filter={filter}
        onDone={() => page.current?.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus()}
      />
      {list.error && !list.data ? (
        <ProblemBox failure={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <RulesGrid {...parts} isFiltered={filter !== ''} />
      )}
      {changes.isDirty ? (
        <DraftBar
          words={changes.words()}
          isOnlyMoves={isOnlyMoves(data.draft)}
          isAllowed={editing.isAllowed}
          why={editing.why}
          onDiscard={changes.discard}
          onApply={changes.apply}
        />
      ) : null}
      <OpenDrawers {...parts} dropped={dropped} onImported={() => setDropped(null)} />
    </div>
  )
}

/** `at-3` is the third rule, for who knows its number and not its id. */
function useNumberedRule(rows: readonly RuleRow[]): void {
  const { item } = usePlace()
  const go = useGo()
  const [, nth = ''] = /^at-(\d{1,6})$/.exec(item ?? '') ?? []
  const numbered = rows[Number(nth) - 1]?.key
  const openItem = useRef(go.openItem)
  openItem.current = go.openItem
  useEffect(() => {
    if (numbered !== undefined) openItem.current(numbered)
  }, [numbered])
}

function RulesHead({ table, data: { shown, index }, editing, acts }: TableParts) {
  const go = useGo()
  const save = (form: 'csv' | 'json'): void =>
    void saveRules(
      table,
      shown.map(({ rule }) => rule),
      index,
      form,
    )
  return (
    <PageHead title={t('{table} rules', { table: table.title })} lead={t(table.lead)}>
      <Menu
        label={t('File')}
        items={[
          {
            label: t('Import'),
            icon: 'import',
            onSelect: () => go.setSearch({ import: '1' }),
            isDisabled: !editing.isAllowed,
            why: editing.why,
          },
          { label: t('Export as CSV'), icon: 'export', onSelect: () => save('csv') },
          { label: t('Export as JSON'), icon: 'export', onSelect: () => save('json') },
        ]}
      />
      <Button
        kind="primary"
        icon="add"
        onClick={() => acts.addBeside(null, true)}
        isDisabled={!editing.isAllowed}
        why={editing.why}
      >
        {t('Rule')}
      </Button>
    </PageHead>
  )
}

interface TableFilterProps extends TableParts {
  readonly filter: string
  readonly onDone: () => void
}

function TableFilter({ data: { rows, shown, isAsking }, editing, acts, filter, onDone }: TableFilterProps) {
  const number = new Intl.NumberFormat(currentLanguage())
  const selected = rows.filter(({ key }) => acts.selection.has(key))
  return (
    <RulesFilter
      filter={filter}
      count={
        shown.length === rows.length
          ? t('{count, plural, one {# rule} other {# rules}}', { count: rows.length })
          : t('{shown} of {all}', { shown: number.format(shown.length), all: number.format(rows.length) })
      }
      isAsking={isAsking}
      onDone={onDone}
    >
      {selected.length > 1 ? (
        <SelectionBar
          count={selected.length}
          isDisabled={!editing.isAllowed}
          why={editing.why}
          onAct={(key) => acts.onKey({ key, row: selected[0] ?? null, rows: selected })}
        />
      ) : null}
    </RulesFilter>
  )
}

function RulesGrid({ isFiltered, ...parts }: TableParts & { readonly isFiltered: boolean }) {
  const { table, data, editing, changes, acts } = parts
  const { rules, index, draft, marks, counters, shown } = data
  const { item } = usePlace()
  const go = useGo()
  const moved = useMemo(() => new Set(movedIds(draft, rules)), [draft, rules])
  const rowClass = ({ rule }: RuleRow): RowClass => {
    if (draft.removed.has(rule.id)) return 'disabled'
    if (moved.has(rule.id)) return 'moved'
    if (draft.patches.has(rule.id)) return 'pending'
    return rule.enabled ? null : 'disabled'
  }
  const { change } = changes
  const columns = useMemo(
    () =>
      ruleColumns({
        table,
        index,
        counters,
        marks,
        pending: draft.patches,
        removed: draft.removed,
        isEditable: editing.isAllowed,
        why: editing.why,
        onChange: change,
      }),
    [table, index, counters, marks, draft.patches, draft.removed, editing.isAllowed, editing.why, change],
  )
  const bands = useMemo(
    () => aroundBands(data.around, table, shown.length, index),
    [data.around, table, shown.length, index],
  )
  return (
    <Grid
      label={t('{table} rules', { table: table.title })}
      rows={shown}
      rowKey={keyOfRow}
      columns={columns}
      selection={acts.selection}
      onSelection={acts.setSelection}
      onOpen={({ key }) => go.openItem(key)}
      activeKey={item}
      onKey={acts.onKey}
      onDrop={
        editing.isAllowed
          ? (keys, target) =>
              changes.reorder((order) =>
                orderBeside(order, new Set(keys.map(Number)), Number(target.key), target.isAfter),
              )
          : undefined
      }
      bands={bands}
      rowClass={rowClass}
      isLoading={data.list.isPending}
      height="fill"
      empty={
        <NoRules
          table={table}
          isFiltered={isFiltered}
          onAdd={() => acts.addBeside(null, true)}
          onClear={() => go.setSearch({ q: null })}
        />
      }
    />
  )
}

const keyOfRow = ({ key }: RuleRow): string => key
