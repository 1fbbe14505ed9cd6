// The journal: changes, sign-ins and refusals, with a stamp that says whether all of it is intact.

import type { QueryOf, ReplyOf } from '@gateway/server/contract'
import { auditStatus, listRecords, verifyAudit } from '@gateway/server/contract/audit'
import { type ReactNode, useMemo, useState } from 'react'
import { useStatus } from '../../api/events.ts'
import { useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { useSession } from '../../api/session.ts'
import { labelOf } from '../../contract/words.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useKept } from '../../ui/use-kept.ts'
import { printCount } from '../../util/amount.ts'
import { type NumberOf, tablesIn } from '../../util/rule-numbers.ts'
import { printCsv, saveText } from '../../util/save-file.ts'
import { summarise, titleOfObject } from '../../util/stored-objects.ts'
import { currentLanguage, heard, msg, t } from '../../words.ts'
import styles from './configuration.module.css'
import { DiffView, type ObjectChange } from './diff-view.tsx'

type AuditRecord = ReplyOf<typeof listRecords>[number]
type Query = Partial<QueryOf<typeof listRecords>>

const events: Readonly<Record<AuditRecord['event'], string>> = {
  change: msg('Change'),
  'sign-in': msg('Sign-in'),
  'sign-out': msg('Sign-out'),
  lock: msg('Block'),
  'session-ended': msg('Session ended'),
  refused: msg('Refusal'),
  action: msg('Action'),
  system: msg('System'),
}

const limit = 2_000
const asked = ['who', 'event', 'result', 'address', 'what', 'object'] as const

/** Conditions of the address that the gateway looks for itself. */
function queryOf(search: Readonly<Record<string, string>>): Query {
  const given = asked.flatMap((name) => (search[name] ? [[name, search[name]] as const] : []))
  const times = (['from', 'until'] as const).flatMap((name) =>
    search[name] !== undefined && /^\d+$/.test(search[name]) ? [[name, Number(search[name])] as const] : [],
  )
  return { ...Object.fromEntries(given), ...Object.fromEntries(times), limit } as Query
}

const isObjectChange = (change: unknown): change is ObjectChange =>
  typeof change === 'object' && change !== null && 'object' in change && 'action' in change && 'fields' in change

const changesOf = ({ changes }: AuditRecord): ObjectChange[] => changes.filter(isObjectChange)

const wordsOf = (record: AuditRecord, numberOf: NumberOf): string => {
  const words = summarise(changesOf(record), labelOf, numberOf)
  return words === '' ? [record.what, record.message].filter((one) => one !== '').join(': ') : words
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function Journal(): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  const { may } = useSession()
  const records = useRead(listRecords, { query: queryOf(search), everyMs: 15_000 })
  const status = useStatus(auditStatus.path)
  const [chosen, setChosen] = useState<AuditRecord | null>(null)
  const data = useKept(records.data)?.data
  const needle = (search.q ?? '').trim().toLowerCase()
  const numberOf = useRuleNumbers(
    tablesIn([search.object ?? '', ...(data ?? []).map((record) => changesOf(record)[0]?.object ?? '')]),
  )
  const rows = useMemo(
    () =>
      (data ?? []).filter(
        (record) =>
          needle === '' ||
          [record.who, record.address, record.message, record.what, wordsOf(record, numberOf)].some((text) =>
            text.toLowerCase().includes(needle),
          ),
      ),
    [data, needle, numberOf],
  )
  const save = (): void =>
    saveText(
      'journal.csv',
      printCsv(
        [
          'sequence',
          'time',
          'event',
          'who',
          'address',
          'what',
          'result',
          'message',
          'revision',
          'request_id',
          'changes',
        ],
        rows.map((one) => [
          one.sequence,
          one.time,
          one.event,
          one.who,
          one.address,
          one.what,
          one.result,
          one.message,
          one.revision,
          one.request_id,
          JSON.stringify(one.changes),
        ]),
      ),
      'text/csv',
    )
  return (
    <>
      <PageHead
        title={t('Journal')}
        lead={t('Changes, sign-ins and refusals. No one can change what is written here.')}
        status={<Stamp />}
      >
        <Button icon="export" onClick={save} isDisabled={rows.length === 0} why={t('There is nothing to save.')}>
          {t('CSV')}
        </Button>
      </PageHead>
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        placeholder={t('Person, address, object or words')}
        count={
          rows.length === limit
            ? t('the newest {count}', { count: printCount(limit, currentLanguage()) })
            : t('{count, plural, one {# record} other {# records}}', { count: rows.length })
        }
        chips={(['who', 'object', 'address', 'what', 'result'] as const).flatMap((name) =>
          search[name]
            ? [
                {
                  id: name,
                  label:
                    name === 'object'
                      ? titleOfObject(search[name], [], numberOf)
                      : `${t(labelOf(name))} = ${search[name]}`,
                  onRemove: () => go.setSearch({ [name]: null }),
                },
              ]
            : [],
        )}
      >
        <Select
          isCompact
          label={t('Kind')}
          value={search.event ?? ''}
          onChange={(event) => go.setSearch({ event: event === '' ? null : event })}
          options={[
            { value: '', label: t('All kinds') },
            ...Object.entries(events).map(([value, label]) => ({ value, label: t(label) })),
          ]}
        />
      </FilterBar>
      {records.error ? <ProblemBox failure={records.error} onRetry={() => void records.refetch()} /> : null}
      <Grid
        label={t('Journal')}
        rows={rows}
        rowKey={({ sequence }) => String(sequence)}
        height="fill"
        isLoading={records.isPending && !data}
        activeKey={chosen ? String(chosen.sequence) : null}
        onOpen={setChosen}
        columns={[
          { id: 'time', title: t('When'), width: 130, isSticky: true, cell: ({ time }) => <Time iso={time} /> },
          {
            id: 'event',
            title: t('Kind'),
            width: 110,
            text: ({ event }) => event,
            cell: ({ event }) => t(events[event]),
          },
          {
            id: 'who',
            title: t('Who'),
            width: 140,
            text: ({ who }) => who,
            cell: ({ who }) => <PlainText text={who} limit={60} />,
          },
          {
            id: 'what',
            title: t('What'),
            width: 'rest',
            minWidth: 240,
            cell: (record) => <PlainText text={wordsOf(record, numberOf)} limit={200} />,
          },
          {
            id: 'result',
            title: t('Result'),
            width: 130,
            text: ({ result }) => result,
            cell: ({ result }) => (
              <Status state={result === 'ok' ? 'ok' : 'warning'}>
                {result === 'ok' ? t('done') : t(labelOf(result))}
              </Status>
            ),
          },
          {
            id: 'revision',
            title: t('Revision'),
            width: 90,
            isNumber: true,
            sort: (a, b) => (a.revision ?? 0) - (b.revision ?? 0),
            cell: ({ revision }) =>
              revision === null ? null : may('view') ? (
                <Link to={`system/history/${revision}`}>{revision}</Link>
              ) : (
                revision
              ),
          },
          {
            id: 'address',
            title: t('From'),
            width: 130,
            text: ({ address }) => address,
            cell: ({ address }) => <span className={styles.mono}>{address}</span>,
          },
        ]}
        empty={
          <Empty
            title={t('Nothing fits')}
            action={<Button onClick={() => go.open('system/journal')}>{t('Show all')}</Button>}
          />
        }
      />
      {status
        .flatMap((item) => item.msg)
        .map((text) => (
          <p key={text} className={styles.muted}>
            <PlainText text={heard(text)} />
          </p>
        ))}
      {chosen ? <RecordPanel record={chosen} onClose={() => setChosen(null)} /> : null}
    </>
  )
}

/** "Journal intact": the whole chain is checked when the page is opened. */
function Stamp(): ReactNode {
  const { data, isPending, error } = useRead(verifyAudit)
  if (error) return <Status state="unknown">{t('The journal could not be checked')}</Status>
  if (isPending || !data) return <Status state="activating">{t('The journal is being checked')}</Status>
  const { intact, records, checkpoints, first_bad } = data.data
  if (!intact) {
    return (
      <Status state="failed">
        {t('Altered from record {sequence} on', { sequence: first_bad?.sequence ?? 0 })}:{' '}
        <PlainText text={first_bad?.message ?? ''} limit={120} />
      </Status>
    )
  }
  return (
    <Status state="ok">
      {t('Journal intact: {records} records', { records: printCount(records, currentLanguage()) })}
      {checkpoints === null
        ? ''
        : `, ${t('{count, plural, one {# signed checkpoint} other {# signed checkpoints}}', { count: checkpoints })}`}
    </Status>
  )
}

function RecordPanel({ record, onClose }: { readonly record: AuditRecord; readonly onClose: () => void }): ReactNode {
  const changes = changesOf(record)
  const others = record.changes.filter((change) => !isObjectChange(change))
  return (
    <Drawer title={t('Record {sequence}', { sequence: record.sequence })} width="wide" onClose={onClose}>
      <p className={styles.facts}>
        <Chip>{t(events[record.event])}</Chip>
        <span>
          <PlainText text={record.who} limit={80} />
        </span>
        <Time iso={record.time} isExact />
        <span className={styles.mono}>{record.address}</span>
        <span className={styles.mono}>{record.request_id}</span>
      </p>
      <p>
        <PlainText text={record.what} limit={400} /> <PlainText text={record.message} limit={2_000} />
      </p>
      <DiffView changes={changes} />
      {others.length === 0 ? null : (
        <ul>
          {others.map((one) => (
            <li key={JSON.stringify(one)}>
              <PlainText text={typeof one === 'string' ? one : JSON.stringify(one)} limit={1_000} />
            </li>
          ))}
        </ul>
      )}
    </Drawer>
  )
}

export const page: HandPage = { kind: 'hand', Component: Journal }
