// The columns of the audit trail.

import { labelOf } from '../../contract/words.ts'
import type { Column } from '../../ui/grid/types.ts'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { NumberOf } from '../../util/rule-numbers.ts'
import { t } from '../../words.ts'
import styles from './configuration.module.css'
import { type AuditRecord, events, wordsOf } from './records.ts'

/** `mayView`: revisions can be opened. */
export const recordColumns = (numberOf: NumberOf, mayView: boolean): readonly Column<AuditRecord>[] => [
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
      <Status state={result === 'ok' ? 'ok' : 'warning'}>{result === 'ok' ? t('done') : t(labelOf(result))}</Status>
    ),
  },
  {
    id: 'revision',
    title: t('Revision'),
    width: 90,
    isNumber: true,
    sort: (a, b) => (a.revision ?? 0) - (b.revision ?? 0),
    cell: ({ revision }) =>
      revision === null ? null : mayView ? <Link to={`system/history/${revision}`}>{revision}</Link> : revision,
  },
  {
    id: 'address',
    title: t('From'),
    width: 130,
    text: ({ address }) => address,
    cell: ({ address }) => <span className={styles.mono}>{address}</span>,
  },
]
