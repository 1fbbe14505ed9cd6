// What was changed in the last hour, and the way back to before it.

import { listRevisions, revertToRevision, showRevision } from '@gateway/server/contract/configuration'
import type { ReactNode } from 'react'
import { useReview } from '../../api/apply.ts'
import { readEverythingAgain, useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { useSession } from '../../api/session.ts'
import { labelOf } from '../../contract/words.ts'
import { Button } from '../../ui/button.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { tablesIn } from '../../util/rule-numbers.ts'
import { summarise } from '../../util/stored-objects.ts'
import { heard, t } from '../../words.ts'
import styles from './overview.module.css'

const shown = 5

/** The author of what no person changed. */
const gatewayItself = 'system'

export function ChangesTile(): ReactNode {
  const { may } = useSession()
  const review = useReview()
  const { data, isPending } = useRead(listRevisions, { query: { limit: 50 }, everyMs: 30_000 })
  const revisions = data?.data ?? []
  const hourAgo = Date.now() - 3_600_000
  const recent = revisions.filter(({ time }) => Date.parse(time) > hourAgo)
  const [newest] = revisions
  // What the gateway itself did, as at its first start, is nothing to revert.
  const first = recent.findLast(({ author }) => author !== gatewayItself)
  const before = first ? first.revision - 1 : null
  const putBack = (revision: number): void =>
    review.open({
      title: t('Revert to revision {revision}', { revision }),
      calls: [{ endpoint: revertToRevision, params: { revision_id: revision } }],
      reads: [listRevisions],
      onApplied: () => void readEverythingAgain(),
    })
  return (
    <Panel title={t('Changed in the last hour')}>
      {isPending ? <Skeleton lines={4} /> : null}
      {recent.length === 0 && data ? (
        <p className={styles.muted}>
          {t('Nothing.')}{' '}
          {newest ? (
            <>
              {t('The last change:')} <Link to={`system/history/${newest.revision}`}>{newest.revision}</Link>,{' '}
              <PlainText text={newest.author} limit={40} />, <Time iso={newest.time} />.
            </>
          ) : null}
        </p>
      ) : null}
      <ul className={styles.changes}>
        {recent.slice(0, shown).map(({ revision, author, time, reason }) => (
          <li key={revision} className={styles.change}>
            <Link to={`system/history/${revision}`}>{revision}</Link>
            <span className={styles.changeText}>
              <RevisionWords revision={revision} reason={reason} />
            </span>
            <span className={styles.changeMeta}>
              <PlainText text={author} limit={40} />, <Time iso={time} />
            </span>
          </li>
        ))}
      </ul>
      {recent.length > shown ? (
        <p className={styles.muted}>{t('and {count} more', { count: recent.length - shown })}</p>
      ) : null}
      <div className={styles.actions}>
        {before === null ? null : (
          <Button
            icon="undo"
            size="small"
            isDisabled={!may('configure')}
            why={t('Needs an administrator with full access.')}
            onClick={() => putBack(before)}
          >
            {t('Revert to {revision}', { revision: before })}
          </Button>
        )}
        <Link to="system/history">{t('History')}</Link>
      </div>
    </Panel>
  )
}

/** "FORWARD rule 3: action", the first of what a revision changed. */
function RevisionWords({ revision, reason }: { readonly revision: number; readonly reason: string }): ReactNode {
  const { data } = useRead(showRevision, { params: { revision_id: revision } })
  const changes = data?.data.changes ?? []
  const numberOf = useRuleNumbers(tablesIn(changes.slice(0, 1).map(({ object }) => object)))
  const words = summarise(changes, labelOf, numberOf)
  return <PlainText text={words !== '' ? words : reason === '' ? '…' : heard(reason)} limit={120} />
}
