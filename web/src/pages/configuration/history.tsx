// History: every revision with who made it and what it changed. One can be undone, or everything reverted to a point, both after a dry run.

import { listRecords } from '@gateway/server/contract/audit'
import { configurationStatus, listRevisions, showRevision } from '@gateway/server/contract/configuration'
import { type ReactNode, useMemo } from 'react'
import { useStatus } from '../../api/events.ts'
import { useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { useSession } from '../../api/session.ts'
import { labelOf } from '../../contract/words.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column } from '../../ui/grid/types.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { type NumberOf, tablesIn } from '../../util/rule-numbers.ts'
import { printCsv, saveText } from '../../util/save-file.ts'
import { summarise, titleOfObject } from '../../util/stored-objects.ts'
import { printMoment } from '../../util/time.ts'
import { currentLanguage, heard, t } from '../../words.ts'
import styles from './configuration.module.css'
import type { ObjectChange } from './diff-view.tsx'
import { RevisionPanel, useHistoryActs } from './revision-panel.tsx'
import { narrow, type Revision, readNarrowing } from './revisions.ts'

const pageSize = 1_000

/** What revisions changed, from the audit trail: one read instead of one for each row. */
function useRecorded(object: string | undefined): ReadonlyMap<number, readonly ObjectChange[]> {
  const { may } = useSession()
  const { data } = useRead(listRecords, {
    query: { event: 'change', result: 'ok', limit: pageSize, ...(object === undefined ? {} : { object }) },
    isEnabled: may('audit'),
  })
  return useMemo(
    () =>
      new Map(
        data?.data.flatMap(({ revision, changes }) =>
          revision === null ? [] : [[revision, changes as readonly ObjectChange[]] as const],
        ),
      ),
    [data],
  )
}

export function History(): ReactNode {
  const { item } = usePlace()
  const go = useGo()
  const acts = useHistoryActs()
  const { revisions, all, rows, recorded, wordsOf, numberOf } = useRevisions()
  const status = useStatus(configurationStatus.path).find(({ name }) => name === 'apply')
  return (
    <>
      <PageHead
        title={t('History')}
        lead={t('Every change of the configuration: who, when, from where, why, and what.')}
        status={
          status ? <Status state={status.status}>{status.status === 'active' ? t('Applied') : undefined}</Status> : null
        }
      >
        <Button
          icon="export"
          onClick={() => saveRevisions(rows, wordsOf)}
          isDisabled={rows.length === 0}
          why={t('There is nothing to save.')}
        >
          {t('CSV')}
        </Button>
      </PageHead>
      <HistoryFilter all={all} count={rows.length} numberOf={numberOf} />
      {revisions.error ? <ProblemBox failure={revisions.error} onRetry={() => void revisions.refetch()} /> : null}
      <Grid
        label={t('Revisions')}
        rows={rows}
        rowKey={({ revision }) => String(revision)}
        height="fill"
        isLoading={revisions.isPending}
        activeKey={item}
        onOpen={({ revision }) => go.openItem(String(revision))}
        onKey={({ key, row }) => {
          if (!row) return false
          if (key === 'u') acts.undo(row.revision)
          else if (key === 'p') acts.putBack(row.revision)
          else return false
          return true
        }}
        columns={revisionColumns(recorded, wordsOf)}
        empty={
          all.length === 0 ? (
            <Empty title={t('Nothing was changed yet')}>
              {t('The first change is revision 1; revision 0 is the state before it.')}
            </Empty>
          ) : (
            <Empty
              title={t('Nothing fits')}
              action={<Button onClick={() => go.open('system/history')}>{t('Show all')}</Button>}
            />
          )
        }
      />
      {item !== null && /^\d+$/.test(item) ? (
        <RevisionPanel revision={Number(item)} acts={acts} onClose={() => go.openItem(null)} />
      ) : null}
    </>
  )
}

/** The revisions that the address asks for, and what is known of each. */
function useRevisions() {
  const { search } = usePlace()
  const { may } = useSession()
  const revisions = useRead(listRevisions, { query: { limit: pageSize }, everyMs: 30_000 })
  const recorded = useRecorded(search.object)
  const all = useMemo(() => revisions.data?.data ?? [], [revisions.data])
  const only = useMemo(
    () => (search.object === undefined || !may('audit') ? null : new Set(recorded.keys())),
    [search.object, recorded, may],
  )
  const numberOf = useRuleNumbers(
    tablesIn([search.object ?? '', ...[...recorded.values()].map(([first]) => first?.object ?? '')]),
  )
  const wordsOf = (revision: number): string => summarise(recorded.get(revision) ?? [], labelOf, numberOf)
  return { revisions, all, rows: narrow(all, readNarrowing(search, only), wordsOf), recorded, wordsOf, numberOf }
}

const saveRevisions = (rows: readonly Revision[], wordsOf: (revision: number) => string): void =>
  saveText(
    'history.csv',
    printCsv(
      ['revision', 'time', 'author', 'address', 'reason', 'changes'],
      rows.map(({ revision, time, author, address, reason }) => [
        revision,
        time,
        author,
        address,
        reason,
        wordsOf(revision),
      ]),
    ),
    'text/csv',
  )

interface HistoryFilterProps {
  readonly all: readonly Revision[]
  /** How many of them are shown. */
  readonly count: number
  readonly numberOf: NumberOf
}

function HistoryFilter({ all, count, numberOf }: HistoryFilterProps): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  const { timeZone } = useSession()
  /** An address is anything that was typed. */
  const momentText = (text = ''): string =>
    /^\d{1,11}$/.test(text) ? printMoment(Number(text), timeZone ?? 'UTC', currentLanguage()) : ''
  const authors = [...new Set(all.map(({ author }) => author))].sort()
  const chips = [
    ...(search.object === undefined
      ? []
      : [
          {
            id: 'object',
            label: titleOfObject(search.object, [], numberOf),
            onRemove: () => go.setSearch({ object: null }),
          },
        ]),
    ...(search.from === undefined && search.until === undefined
      ? []
      : [
          {
            id: 'time',
            label: `${momentText(search.from)} – ${momentText(search.until)}`,
            onRemove: () => go.setSearch({ from: null, until: null }),
          },
        ]),
  ]
  return (
    <FilterBar
      text={search.q ?? ''}
      onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
      placeholder={t('Revision, person, reason or object')}
      count={t('{shown} of {all}', { shown: count, all: all.length })}
      chips={chips}
    >
      <Select
        isCompact
        label={t('Who')}
        value={search.who ?? ''}
        onChange={(who) => go.setSearch({ who: who === '' ? null : who })}
        options={[{ value: '', label: t('Everyone') }, ...authors.map((author) => ({ value: author, label: author }))]}
      />
    </FilterBar>
  )
}

const revisionColumns = (
  recorded: ReadonlyMap<number, readonly ObjectChange[]>,
  wordsOf: (revision: number) => string,
): readonly Column<Revision>[] => [
  {
    id: 'revision',
    title: t('Revision'),
    width: 90,
    isNumber: true,
    isSticky: true,
    sort: (a, b) => a.revision - b.revision,
    cell: ({ revision }) => revision,
  },
  { id: 'time', title: t('When'), width: 130, cell: ({ time }) => <Time iso={time} /> },
  {
    id: 'author',
    title: t('Who'),
    width: 140,
    text: ({ author }) => author,
    cell: ({ author }) => <PlainText text={author} limit={60} />,
  },
  {
    id: 'what',
    title: t('What'),
    width: 'rest',
    minWidth: 220,
    cell: ({ revision }) =>
      recorded.has(revision) ? (
        <PlainText text={wordsOf(revision)} limit={160} />
      ) : (
        <RevisionWords revision={revision} />
      ),
  },
  {
    id: 'reason',
    title: t('Why'),
    width: 220,
    text: ({ reason }) => heard(reason),
    cell: ({ reason }) => <PlainText text={heard(reason)} limit={120} />,
  },
  {
    id: 'address',
    title: t('From'),
    width: 130,
    text: ({ address }) => address,
    cell: ({ address }) => <span className={styles.mono}>{address}</span>,
  },
]

/** For roles that may not read the audit trail, and revisions older than what was read of it. */
function RevisionWords({ revision }: { readonly revision: number }): ReactNode {
  const { data } = useRead(showRevision, { params: { revision_id: revision } })
  const numberOf = useRuleNumbers(tablesIn((data?.data.changes ?? []).slice(0, 1).map(({ object }) => object)))
  return <PlainText text={data ? summarise(data.data.changes, labelOf, numberOf) : '…'} limit={160} />
}

export const page: HandPage = { kind: 'hand', Component: History }
