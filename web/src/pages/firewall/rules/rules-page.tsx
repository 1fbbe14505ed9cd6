// The page of one table of rules: the grid, its filter, and every way to change rules. What is changed here is a draft over the
// table until it is reviewed; moves alone are seen in the table and are applied at once.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { applyNow, useReview } from '../../../api/apply.ts'
import type { ChangePlan } from '../../../api/change.ts'
import { useEditing } from '../../../api/editing.ts'
import type { HandPage } from '../../../page.ts'
import { useGo, usePlace } from '../../../place.ts'
import { Button } from '../../../ui/button.tsx'
import { Grid } from '../../../ui/grid/grid.tsx'
import type { GridKey, RowClass } from '../../../ui/grid/types.ts'
import { Menu } from '../../../ui/menu.tsx'
import { PageHead } from '../../../ui/page-head.tsx'
import { ProblemBox } from '../../../ui/problem-box.tsx'
import { toast } from '../../../ui/toast.tsx'
import { currentLanguage, heard, t } from '../../../words.ts'
import { searchOfRule } from '../tracer/from-rule.ts'
import { aroundBands } from './around.tsx'
import { ruleColumns } from './columns.tsx'
import { BulkDrawer, ImportDrawer, MoveDialog, RuleDrawer } from './drawers.tsx'
import { orderAt, orderBeside, orderByStep } from './moves.ts'
import { DraftBar, NoRules, RulesFilter, SelectionBar } from './page-parts.tsx'
import type { RuleRow } from './rows.ts'
import styles from './rules-page.module.css'
import {
  draftCalls,
  isEmptyDraft,
  isOnlyMoves,
  movedIds,
  noDraft,
  orderOf,
  withOrder,
  withPatch,
  withRemoved,
} from './table-draft.ts'
import { type Rule, type RuleTable, ruleTables, type TableName } from './tables.ts'
import { useRuleTable } from './use-rule-table.ts'

/** The letters of the tables in the log. */
const logTables: Readonly<Record<TableName, string>> = {
  forward: 'FWD',
  input: 'INP',
  dnat: 'DNAT',
  snat: 'SNAT',
  log: 'LOG',
}

export function rulesPage(name: TableName): HandPage {
  const table = ruleTables[name]
  return { kind: 'hand', Component: () => <RulesPage key={name} table={table} /> }
}

/** Files are asked for now and then: what writes them is loaded then. */
const saveRules = async (...given: Parameters<typeof import('./export.ts').saveRules>): Promise<void> =>
  (await import('./export.ts')).saveRules(...given)

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
function RulesPage({ table }: { readonly table: RuleTable }) {
  const place = usePlace()
  const go = useGo()
  const review = useReview()
  const editing = useEditing(table.calls.update.access)
  const filter = place.search.q ?? ''
  const data = useRuleTable(table, filter)
  const { list, rules, etag, index, draft, setDraft, rows, shown, marks, counters, numberOf } = data
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [asked, setAsked] = useState<'bulk' | 'move' | null>(null)
  const [dropped, setDropped] = useState<File | null>(null)
  const [chosen, setChosen] = useState<readonly Rule[]>([])
  const page = useRef<HTMLDivElement>(null)
  const isImporting = place.search.import !== undefined || dropped !== null
  const isDirty = !isEmptyDraft(draft)
  const path = `policy/rules/${table.name}`

  const onChange = useCallback(
    (rule: Rule, fields: Partial<Rule>): void => {
      const stored = rules.find(({ id }) => id === rule.id)
      if (stored) setDraft((now) => withPatch(now, stored, fields))
    },
    [rules, setDraft],
  )

  const reorder = (next: (order: readonly number[]) => readonly number[]): void => {
    if (!editing.isAllowed) return
    setDraft((now) => withOrder(now, rules, next(orderOf(now, rules))))
  }

  const planOf = (tag: string | null): ChangePlan => ({
    title: titleOfDraft(),
    calls: draftCalls(draft, rules, table, tag),
    ...(table.confirmWithin === undefined ? {} : { confirmWithin: table.confirmWithin }),
    reads: [table.calls.list],
    onApplied: () => setDraft(() => noDraft),
    onProblems: (problems) => toast(heard(problems[0]?.message ?? ''), { tone: 'bad' }),
  })

  const titleOfDraft = (): string => {
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

  const applyDraft = (isReviewed: boolean): void => {
    if (!isDirty || !editing.isAllowed) return
    if (isReviewed || !isOnlyMoves(draft)) review.open(planOf(etag))
    else void applyNow(planOf(etag), { confirmWithin: table.confirmWithin ?? null })
  }

  // `at-3` is the third rule, for who knows its number and not its id.
  const [, nth = ''] = /^at-(\d{1,6})$/.exec(place.item ?? '') ?? []
  const numbered = rows[Number(nth) - 1]?.key
  const openItem = useRef(go.openItem)
  openItem.current = go.openItem
  useEffect(() => {
    if (numbered !== undefined) openItem.current(numbered)
  }, [numbered])

  const latest = useRef(applyDraft)
  latest.current = applyDraft
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

  const openLog = (rule: Rule): void =>
    go.open('monitor/logs/firewall', { table: logTables[table.name], rule_id: String(rule.id) })
  const openTracer = (rule: Rule): void => go.open('policy/tracer', searchOfRule(rule, index))
  const addBeside = (row: RuleRow | null, isAfter: boolean): void =>
    go.open(`${path}/new`, {
      ...keptSearch(place.search),
      ...(row === null ? {} : { [isAfter ? 'after' : 'before']: row.key }),
    })
  const remove = (targets: readonly Rule[]): void => {
    if (targets.length === 0) return
    const calls = targets.map(({ id }) => ({ endpoint: table.calls.remove, params: { rule_id: id }, etag }))
    review.open({
      title: t('{count, plural, one {Remove {table} {id}} other {Remove # rules of {table}}}', {
        count: targets.length,
        table: table.title,
        id: numberOf(table.name, targets[0]?.id ?? 0) ?? '',
      }),
      calls,
      ...(table.confirmWithin === undefined ? {} : { confirmWithin: table.confirmWithin }),
      reads: [table.calls.list],
      onApplied: () => {
        setSelection(new Set())
        setDraft((now) =>
          withRemoved(
            now,
            targets.map(({ id }) => id),
            false,
          ),
        )
        if (targets.some(({ id }) => String(id) === place.item)) go.openItem(null)
      },
    })
  }

  const onKey = ({ key, row, rows: targets }: GridKey<RuleRow>): boolean => {
    const ids = new Set(targets.map(({ rule }) => rule.id))
    const change = (act: () => void): boolean => {
      if (editing.isAllowed) act()
      else if (editing.why) toast(editing.why)
      return true
    }
    switch (key) {
      case 'o':
        return change(() => addBeside(row, true))
      case 'Shift O':
        return change(() => addBeside(row, false))
      case 'c':
        return row === null
          ? false
          : change(() => go.open(`${path}/new`, { ...keptSearch(place.search), copy: row.key, after: row.key }))
      case 'e':
        return change(() => {
          setChosen(targets.map(({ rule }) => rule))
          setAsked('bulk')
        })
      case 'm':
        return change(() => {
          setChosen(targets.map(({ rule }) => rule))
          setAsked('move')
        })
      case 'Alt Up':
        return change(() => reorder((order) => orderByStep(order, ids, -1)))
      case 'Alt Down':
        return change(() => reorder((order) => orderByStep(order, ids, 1)))
      case 'Delete':
        return change(() => remove(targets.map(({ rule }) => rule)))
      case 'l':
        if (row) openLog(row.rule)
        return true
      case 't':
        if (row && table.name !== 'log') openTracer(row.rule)
        return true
      case 'Ctrl Enter':
        applyDraft(false)
        return true
      default:
        return false
    }
  }

  const moved = useMemo(() => new Set(movedIds(draft, rules)), [draft, rules])
  const rowClass = ({ rule }: RuleRow): RowClass => {
    if (draft.removed.has(rule.id)) return 'disabled'
    if (moved.has(rule.id)) return 'moved'
    if (draft.patches.has(rule.id)) return 'pending'
    return rule.enabled ? null : 'disabled'
  }
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
        onChange,
      }),
    [table, index, counters, marks, draft.patches, draft.removed, editing.isAllowed, editing.why, onChange],
  )
  const bands = useMemo(
    () => aroundBands(data.around, table, shown.length, index),
    [data.around, table, shown.length, index],
  )
  const number = new Intl.NumberFormat(currentLanguage())
  const selected = rows.filter(({ key }) => selection.has(key))

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
            {
              label: t('Export as CSV'),
              icon: 'export',
              onSelect: () =>
                void saveRules(
                  table,
                  shown.map(({ rule }) => rule),
                  index,
                  'csv',
                ),
            },
            {
              label: t('Export as JSON'),
              icon: 'export',
              onSelect: () =>
                void saveRules(
                  table,
                  shown.map(({ rule }) => rule),
                  index,
                  'json',
                ),
            },
          ]}
        />
        <Button
          kind="primary"
          icon="add"
          onClick={() => addBeside(null, true)}
          isDisabled={!editing.isAllowed}
          why={editing.why}
        >
          {t('Rule')}
        </Button>
      </PageHead>
      <RulesFilter
        filter={filter}
        count={
          shown.length === rows.length
            ? t('{count, plural, one {# rule} other {# rules}}', { count: rows.length })
            : t('{shown} of {all}', { shown: number.format(shown.length), all: number.format(rows.length) })
        }
        isAsking={data.isAsking}
        onDone={() => page.current?.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus()}
      >
        {selected.length > 1 ? (
          <SelectionBar
            count={selected.length}
            isDisabled={!editing.isAllowed}
            why={editing.why}
            onAct={(key) => onKey({ key, row: selected[0] ?? null, rows: selected })}
          />
        ) : null}
      </RulesFilter>
      {list.error && !list.data ? (
        <ProblemBox failure={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Grid
          label={t('{table} rules', { table: table.title })}
          rows={shown}
          rowKey={keyOfRow}
          columns={columns}
          selection={selection}
          onSelection={setSelection}
          onOpen={({ key }) => go.openItem(key)}
          activeKey={place.item}
          onKey={onKey}
          onDrop={
            editing.isAllowed
              ? (keys, target) =>
                  reorder((order) => orderBeside(order, new Set(keys.map(Number)), Number(target.key), target.isAfter))
              : undefined
          }
          bands={bands}
          rowClass={rowClass}
          isLoading={list.isPending}
          height="fill"
          empty={
            <NoRules
              table={table}
              isFiltered={filter !== ''}
              onAdd={() => addBeside(null, true)}
              onClear={() => go.setSearch({ q: null })}
            />
          }
        />
      )}
      {isDirty ? (
        <DraftBar
          words={titleOfDraft()}
          isOnlyMoves={isOnlyMoves(draft)}
          isAllowed={editing.isAllowed}
          why={editing.why}
          onDiscard={() => setDraft(() => noDraft)}
          onApply={applyDraft}
        />
      ) : null}
      {place.item !== null && list.data && data.isReady && !isImporting ? (
        <RuleDrawer
          key={`${place.item} ${place.search.copy ?? ''} ${place.search.after ?? ''} ${place.search.before ?? ''}`}
          table={table}
          rules={rules}
          etag={etag}
          index={index}
          item={place.item}
          numberOf={numberOf}
          mark={marks.get(Number(place.item))}
          editing={editing}
          onClose={() => go.open(path, keptSearch(place.search))}
          onRemove={(rule) => remove([rule])}
          onLog={openLog}
          onTrace={openTracer}
        />
      ) : null}
      {asked === 'bulk' ? (
        <BulkDrawer
          table={table}
          rules={chosen}
          etag={etag}
          index={index}
          numberOf={numberOf}
          onClose={() => setAsked(null)}
          onApplied={() => setAsked(null)}
        />
      ) : null}
      {asked === 'move' ? (
        <MoveDialog
          count={chosen.length}
          total={rules.length}
          onMove={(position) => {
            const block = new Set(chosen.map(({ id }) => id))
            reorder((order) => orderAt(order, block, Math.min(position, rules.length - block.size + 1)))
            setAsked(null)
          }}
          onClose={() => setAsked(null)}
        />
      ) : null}
      {isImporting ? (
        <ImportDrawer
          table={table}
          rules={rules}
          etag={etag}
          index={index}
          file={dropped}
          onClose={() => {
            setDropped(null)
            go.setSearch({ import: null }, { replace: true })
          }}
          onApplied={() => {
            setDropped(null)
            go.setSearch({ import: null }, { replace: true })
          }}
        />
      ) : null}
    </div>
  )
}

const keyOfRow = ({ key }: RuleRow): string => key

/** What stays in the address when a rule is opened or closed. */
const keptSearch = ({ q }: Readonly<Record<string, string>>): Record<string, string> => (q === undefined ? {} : { q })
