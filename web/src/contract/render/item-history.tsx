// What happened to one item: who changed which field, when and why, from the audit trail.

import type { Endpoint } from '@gateway/server/contract'
import { listRecords } from '@gateway/server/contract/audit'
import type { ReactNode } from 'react'
import { needsRole } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { t } from '../../words.ts'
import { isItem } from '../draft.ts'
import type { FormField } from '../schema.ts'
import { type Speaking, valueText } from '../values.ts'
import { labelOf, valueWord } from '../words.ts'
import styles from './collection.module.css'
import { titleOf } from './widget.tsx'

interface HistoryProps {
  /** The name of the list in the stored configuration; without it the audit trail is searched by the path of the calls. */
  readonly stored: string | undefined
  readonly list: Endpoint
  readonly id: string
  readonly fields: readonly FormField[]
  readonly speaking: Speaking
}

interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

const shown = 50

export function ItemHistory({ stored, list, id, fields, speaking }: HistoryProps): ReactNode {
  const { may } = useSession()
  const object = stored === undefined ? undefined : `${stored}[${id}]`
  const records = useRead(listRecords, {
    query: { result: 'ok', limit: 500, ...(object === undefined ? { what: list.path } : { object }) },
    isEnabled: may(listRecords.access),
  })
  if (!may(listRecords.access)) return <Empty title={needsRole(listRecords.access)} />
  if (records.error) return <ProblemBox failure={records.error} onRetry={() => void records.refetch()} />
  if (!records.data) return <Skeleton lines={4} />
  const entries = records.data.data.flatMap((record) => {
    const changes = record.changes.filter((change) => isItem(change) && isOf(String(change.object ?? ''), object, id))
    return changes.length === 0 ? [] : [{ record, changes }]
  })
  if (entries.length === 0)
    return (
      <Empty title={t('No change of this is in the audit trail.')}>
        {t('The audit trail keeps what happened since it began.')}
      </Empty>
    )
  return (
    <ul className={styles.history}>
      {entries.slice(0, shown).map(({ record, changes }) => (
        <li key={record.sequence}>
          <div className={styles.historyHead}>
            <strong>
              <PlainText text={record.who} />
            </strong>
            <Time iso={record.time} />
            <PlainText text={record.address} isMono />
            {record.revision === null ? null : (
              <Link to={`system/history/${record.revision}`}>
                {t('revision {revision}', { revision: record.revision })}
              </Link>
            )}
          </div>
          {record.message === '' || record.message === `Revision ${record.revision}` ? null : (
            <PlainText text={record.message} />
          )}
          {changes.map((change) => (
            <ChangeText
              key={JSON.stringify(change).slice(0, 200)}
              change={change as Readonly<Record<string, unknown>>}
              fields={fields}
              speaking={speaking}
            />
          ))}
        </li>
      ))}
    </ul>
  )
}

const isOf = (found: string, object: string | undefined, id: string): boolean =>
  object === undefined ? found.endsWith(`[${id}]`) : found === object || found.startsWith(`${object}.`)

interface ChangeTextProps {
  readonly change: Readonly<Record<string, unknown>>
  readonly fields: readonly FormField[]
  readonly speaking: Speaking
}

function ChangeText({ change, fields, speaking }: ChangeTextProps): ReactNode {
  const list = Array.isArray(change.fields) ? (change.fields as readonly FieldChange[]) : []
  const print = (name: string, value: unknown): string => {
    const field = fields.find((one) => one.name === name)
    if (value === null || value === undefined || value === '') return t('none')
    return field
      ? valueText(value, field.schema, field.spec, speaking)
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
  }
  if (change.action === 'added' || change.action === 'removed' || change.action === 'moved')
    return <p className={styles.change}>{t(valueWord(change.action))}</p>
  return list.map(({ field: name, before, after }) => {
    const field = fields.find((one) => one.name === name)
    return (
      <p key={name} className={styles.change}>
        {field ? titleOf(field) : t(labelOf(name))}:{' '}
        <span className={styles.was}>
          <PlainText text={print(name, before)} />
        </span>{' '}
        → <PlainText text={print(name, after)} />
      </p>
    )
  })
}
