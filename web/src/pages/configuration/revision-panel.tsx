// One revision: what it changed in the words of the forms, and the two ways back.

import { listRevisions, revertToRevision, showRevision, undoRevision } from '@gateway/server/contract/configuration'
import type { ReactNode } from 'react'
import { useReview } from '../../api/apply.ts'
import { useEditing } from '../../api/editing.ts'
import { useHappenings } from '../../api/events.ts'
import { readEverythingAgain, useRead } from '../../api/reads.ts'
import { Button } from '../../ui/button.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { heard, t } from '../../words.ts'
import styles from './configuration.module.css'
import { DiffView } from './diff-view.tsx'

export interface HistoryActs {
  /** Everything back to the state right after this revision. */
  readonly putBack: (revision: number) => void
  /** Only this one out of the middle. */
  readonly undo: (revision: number) => void
}

/** Both are tried first and shown in the review. */
export function useHistoryActs(): HistoryActs {
  const review = useReview()
  const putBackEditing = useEditing(revertToRevision.access)
  const undoEditing = useEditing(undoRevision.access)
  const again = { reads: [listRevisions], onApplied: () => void readEverythingAgain() }
  return {
    putBack: (revision) => {
      if (!putBackEditing.isAllowed) return
      review.open({
        ...again,
        title: t('Revert to revision {revision}', { revision }),
        calls: [{ endpoint: revertToRevision, params: { revision_id: revision } }],
      })
    },
    undo: (revision) => {
      if (!undoEditing.isAllowed) return
      review.open({
        ...again,
        title: t('Undo revision {revision}', { revision }),
        calls: [{ endpoint: undoRevision, params: { revision_id: revision } }],
      })
    },
  }
}

interface PanelProps {
  readonly revision: number
  readonly acts: HistoryActs
  readonly onClose: () => void
}

export function RevisionPanel({ revision, acts, onClose }: PanelProps): ReactNode {
  const { data, error, isPending, refetch } = useRead(showRevision, { params: { revision_id: revision } })
  const putBackEditing = useEditing(revertToRevision.access)
  const undoEditing = useEditing(undoRevision.access)
  const newest = useHappenings().revision?.revision
  const shown = data?.data
  return (
    <Drawer
      title={t('Revision {revision}', { revision })}
      width="wide"
      onClose={onClose}
      foot={
        <div className={styles.acts}>
          <Button
            icon="undo"
            keys="U"
            onClick={() => acts.undo(revision)}
            isDisabled={!undoEditing.isAllowed}
            why={undoEditing.why}
          >
            {t('Undo only this')}
          </Button>
          <Button
            icon="history"
            onClick={() => acts.putBack(revision - 1)}
            isDisabled={!putBackEditing.isAllowed || revision < 1}
            why={putBackEditing.why}
          >
            {t('Revert to before it ({revision})', { revision: revision - 1 })}
          </Button>
          {newest === revision ? null : (
            <Button
              icon="restore"
              keys="P"
              onClick={() => acts.putBack(revision)}
              isDisabled={!putBackEditing.isAllowed}
              why={putBackEditing.why}
            >
              {t('Revert to right after it ({revision})', { revision })}
            </Button>
          )}
        </div>
      }
    >
      {error ? <ProblemBox failure={error} onRetry={() => void refetch()} /> : null}
      {isPending ? <Skeleton lines={8} /> : null}
      {shown ? (
        <>
          <p className={styles.facts}>
            <span>
              <PlainText text={shown.author} limit={80} />
            </span>
            <Time iso={shown.time} isExact />
            <span className={styles.mono}>{shown.address}</span>
            {shown.reason === '' ? null : (
              <span>
                “<PlainText text={heard(shown.reason)} limit={400} />”
              </span>
            )}
          </p>
          <DiffView changes={shown.changes} />
        </>
      ) : null}
    </Drawer>
  )
}
