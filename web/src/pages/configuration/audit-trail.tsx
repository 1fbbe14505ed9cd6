// The audit trail: changes, sign-ins and refusals, with a stamp that says whether all of it is intact.

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
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useKept } from '../../ui/use-kept.ts'
import { printCount } from '../../util/amount.ts'
import { type NumberOf, tablesIn } from '../../util/rule-numbers.ts'
import { titleOfObject } from '../../util/stored-objects.ts'
import { currentLanguage, heard, t } from '../../words.ts'
import styles from './configuration.module.css'
import { DiffView } from './diff-view.tsx'
import { recordColumns } from './record-columns.tsx'
import {
  type AuditRecord,
  changesOf,
  events,
  isObjectChange,
  mostRecords,
  queryOf,
  saveRecords,
  wordsOf,
} from './records.ts'

export function AuditTrail(): ReactNode {
  const go = useGo()
  const { may } = useSession()
  const { records, data, numberOf, rows } = useRecords()
  const status = useStatus(auditStatus.path)
  const [chosen, setChosen] = useState<AuditRecord | null>(null)
  return (
    <>
      <PageHead
        title={t('Audit trail')}
        lead={t('Changes, sign-ins and refusals. No one can change what is written here.')}
        status={<Stamp />}
      >
        <Button
          icon="export"
          onClick={() => saveRecords(rows)}
          isDisabled={rows.length === 0}
          why={t('There is nothing to save.')}
        >
          {t('CSV')}
        </Button>
      </PageHead>
      <RecordFilter count={rows.length} numberOf={numberOf} />
      {records.error ? <ProblemBox failure={records.error} onRetry={() => void records.refetch()} /> : null}
      <Grid
        label={t('Audit trail')}
        rows={rows}
        rowKey={({ sequence }) => String(sequence)}
        height="fill"
        isLoading={records.isPending && !data}
        activeKey={chosen ? String(chosen.sequence) : null}
        onOpen={setChosen}
        columns={recordColumns(numberOf, may('view'))}
        empty={
          <Empty
            title={t('Nothing fits')}
            action={<Button onClick={() => go.open('system/audit-trail')}>{t('Show all')}</Button>}
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

/** The records that the address asks the gateway for, and those of them that its words fit. */
function useRecords() {
  const { search } = usePlace()
  const records = useRead(listRecords, { query: queryOf(search), everyMs: 15_000 })
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
  return { records, data, numberOf, rows }
}

function RecordFilter({ count, numberOf }: { readonly count: number; readonly numberOf: NumberOf }): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  return (
    <FilterBar
      text={search.q ?? ''}
      onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
      placeholder={t('Person, address, object or words')}
      count={
        count === mostRecords
          ? t('the newest {count}', { count: printCount(mostRecords, currentLanguage()) })
          : t('{count, plural, one {# record} other {# records}}', { count })
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
  )
}

/** "Audit trail intact": the whole chain is checked when the page is opened. */
function Stamp(): ReactNode {
  const { data, isPending, error } = useRead(verifyAudit)
  if (error) return <Status state="unknown">{t('The audit trail could not be checked')}</Status>
  if (isPending || !data) return <Status state="activating">{t('The audit trail is being checked')}</Status>
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
      {t('Audit trail intact: {records} records', { records: printCount(records, currentLanguage()) })}
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

export const page: HandPage = { kind: 'hand', Component: AuditTrail }
