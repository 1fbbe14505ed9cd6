// Rules that never decide, repeat others, are never hit, have expired, are too wide or lack addresses, with what can be done.

import { showHygiene } from '@gateway/server/contract/firewall'
import { useMemo, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column, GridKey } from '../../ui/grid/types.ts'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { Time } from '../../ui/time.tsx'
import { type NumberOf, renumber, sayNumber, sayRule } from '../../util/rule-numbers.ts'
import { heard, t } from '../../words.ts'
import styles from './hygiene.module.css'
import { type Finding, kindWords, severityWords } from './rules/marks.ts'
import { ruleTables } from './rules/tables.ts'

interface Row {
  readonly key: string
  readonly finding: Finding
  readonly text: string
}

const weight = { high: 0, medium: 1, low: 2 } as const

function HygienePage() {
  const go = useGo()
  const editing = useEditing('firewall')
  const { read, numberOf, rows, shown } = useFindings()
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const act = useCleaning(() => setSelection(new Set()))
  const onKey = ({ key, rows: targets }: GridKey<Row>): boolean => {
    if (key !== 'Delete' || !editing.isAllowed) return false
    act(targets, true)
    return true
  }
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Hygiene')}
        lead={t('Rules that do nothing, repeat others or let too much through, each with its proof.')}
      >
        <Button icon="refresh" onClick={() => void read.refetch()} isBusy={read.isFetching}>
          {t('Look again')}
        </Button>
      </PageHead>
      <FindingsFilter
        rows={rows}
        count={shown.length}
        chosen={shown.filter(({ key }) => selection.has(key))}
        editing={editing}
        onAct={act}
      />
      {read.error && !read.data ? (
        <ProblemBox failure={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Grid
          label={t('Findings')}
          rows={shown}
          rowKey={keyOfRow}
          columns={columns(numberOf)}
          selection={selection}
          onSelection={setSelection}
          onOpen={({ finding }) => go.open(`policy/rules/${finding.table}/${finding.rule_id}`)}
          onKey={onKey}
          isLoading={read.isPending}
          height="fill"
          empty={<Empty title={rows.length === 0 ? t('Every rule has its use') : t('No finding fits the filter')} />}
        />
      )}
    </div>
  )
}

/** What is wrong with rules, the heaviest first, and what of it the filter finds. */
function useFindings() {
  const { q = '', kind } = usePlace().search
  const read = useRead(showHygiene)
  const findings = read.data?.data
  const tables = useMemo(() => [...new Set(findings?.map(({ table }) => table))], [findings])
  const numberOf = useRuleNumbers(tables)
  const rows = useMemo(
    () =>
      (findings ?? [])
        .map((found) => ({ ...found, text: renumber(heard(found.text), numberOf, found.table) }))
        .map((finding) => ({
          key: `${finding.table} ${finding.rule_id} ${finding.kind}`,
          finding,
          text: `${sayRule(finding.table, finding.rule_id, numberOf)} ${finding.text} ${t(kindWords[finding.kind])}`.toLowerCase(),
        }))
        .toSorted((a, b) => weight[a.finding.severity] - weight[b.finding.severity]),
    [findings, numberOf],
  )
  const shown = useMemo(
    () => rows.filter((row) => row.text.includes(q.toLowerCase()) && (kind === undefined || row.finding.kind === kind)),
    [rows, q, kind],
  )
  return { read, numberOf, rows, shown }
}

/** Switches rules off, or removes them, after a review. */
function useCleaning(onApplied: () => void): (targets: readonly Row[], isRemoval: boolean) => void {
  const review = useReview()
  return (targets, isRemoval) => {
    const rules = [...new Map(targets.map(({ finding }) => [`${finding.table} ${finding.rule_id}`, finding])).values()]
    if (rules.length === 0) return
    review.open({
      title: isRemoval
        ? t('{count, plural, one {Remove # rule} other {Remove # rules}}', { count: rules.length })
        : t('{count, plural, one {Switch off # rule} other {Switch off # rules}}', { count: rules.length }),
      calls: rules.map(({ table, rule_id }) => {
        const { calls } = ruleTables[table]
        return isRemoval
          ? { endpoint: calls.remove, params: { rule_id } }
          : { endpoint: calls.update, params: { rule_id }, body: { enabled: false } }
      }),
      ...(rules.some(({ table }) => table === 'input') ? { confirmWithin: 90 } : {}),
      reads: [showHygiene, ...new Set(rules.map(({ table }) => ruleTables[table].calls.list))],
      onApplied,
    })
  }
}

interface FindingsFilterProps {
  readonly rows: readonly Row[]
  /** How many the filter finds. */
  readonly count: number
  readonly chosen: readonly Row[]
  readonly editing: Editing
  readonly onAct: (targets: readonly Row[], isRemoval: boolean) => void
}

function FindingsFilter({ rows, count, chosen, editing, onAct }: FindingsFilterProps) {
  const { q = '', kind } = usePlace().search
  const go = useGo()
  const kinds = [...new Set(rows.map(({ finding }) => finding.kind))]
  return (
    <FilterBar
      text={q}
      onText={(text) => go.setSearch({ q: text === '' ? null : text }, { replace: true })}
      count={t('{count, plural, one {# finding} other {# findings}}', { count })}
    >
      <Select
        isCompact
        label={t('Kind')}
        value={kind ?? ''}
        options={[
          { value: '', label: t('All kinds') },
          ...kinds.map((value) => ({ value, label: t(kindWords[value]) })),
        ]}
        onChange={(value) => go.setSearch({ kind: value === '' ? null : value }, { replace: true })}
      />
      {chosen.length > 0 ? (
        <>
          <Button
            size="small"
            icon="power"
            isDisabled={!editing.isAllowed}
            why={editing.why}
            onClick={() => onAct(chosen, false)}
          >
            {t('Switch off {count}', { count: chosen.length })}
          </Button>
          <Button
            size="small"
            icon="remove"
            keys="Del"
            isDisabled={!editing.isAllowed}
            why={editing.why}
            onClick={() => onAct(chosen, true)}
          >
            {t('Remove {count}', { count: chosen.length })}
          </Button>
        </>
      ) : null}
    </FilterBar>
  )
}

const keyOfRow = ({ key }: Row): string => key

const columns = (numberOf: NumberOf): readonly Column<Row>[] => [
  {
    id: 'severity',
    title: t('Weight'),
    width: 96,
    text: ({ finding }) => finding.severity,
    cell: ({ finding }) => (
      <span className={styles.severity} data-severity={finding.severity}>
        {t(severityWords[finding.severity])}
      </span>
    ),
  },
  {
    id: 'rule',
    title: t('Rule'),
    width: 130,
    text: ({ finding }) => sayRule(finding.table, finding.rule_id, numberOf),
    cell: ({ finding }) => (
      <Link to={`policy/rules/${finding.table}/${finding.rule_id}`}>
        {sayRule(finding.table, finding.rule_id, numberOf)}
      </Link>
    ),
  },
  {
    id: 'kind',
    title: t('Kind'),
    width: 170,
    text: ({ finding }) => t(kindWords[finding.kind]),
    cell: ({ finding }) => t(kindWords[finding.kind]),
  },
  {
    id: 'proof',
    title: t('Because of'),
    width: 170,
    cell: ({ finding }) => (
      <span className={styles.proof}>
        {finding.proof.rules.slice(0, 4).map((id) => (
          <Link key={id} to={`policy/rules/${finding.table}/${id}`}>
            {t('Rule {id}', { id: sayNumber(numberOf(finding.table, id), id) })}
          </Link>
        ))}
        {finding.proof.since === null ? null : <Time unix={finding.proof.since} />}
      </span>
    ),
  },
  {
    id: 'text',
    title: t('What is wrong'),
    width: 'rest',
    text: ({ finding }) => finding.text,
    cell: ({ finding }) => finding.text,
  },
]

export const page: HandPage = { kind: 'hand', Component: HygienePage }
