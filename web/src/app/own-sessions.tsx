// The sessions of the signed-in administrator; any of them can be ended, this one by signing out.

import { endSession, listSessions } from '@gateway/server/contract/sign-in'
import { type ReactNode, useState } from 'react'
import { call } from '../api/call.ts'
import { Failure } from '../api/failure.ts'
import { readAgain, useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ProblemBox } from '../ui/problem-box.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { heard, t } from '../words.ts'
import styles from './own-sessions.module.css'

export function OwnSessions({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { id, login, may } = useSession()
  const { data, error, isPending, refetch } = useRead(listSessions, { isEnabled: may('view') })
  const [ending, setEnding] = useState<string | null>(null)
  const own = (data?.data ?? []).filter((session) => session.login === login)
  const end = async (session: string) => {
    setEnding(session)
    try {
      await call(endSession, { params: { session_id: session } })
      await readAgain(listSessions)
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure
      toast(heard(failure.message), { tone: 'bad' })
    } finally {
      setEnding(null)
    }
  }
  return (
    <Dialog
      title={t('My sessions')}
      onClose={onClose}
      foot={
        <Button kind="primary" onClick={onClose}>
          {t('Close')}
        </Button>
      }
    >
      {may('view') ? null : (
        <p className="muted">{t('Your role may not list sessions. This one ends with Sign out.')}</p>
      )}
      {error ? <ProblemBox failure={error} onRetry={() => void refetch()} /> : null}
      {isPending && may('view') ? <Skeleton lines={3} /> : null}
      <ul className={styles.list}>
        {own.map((session) => (
          <li key={session.id} className={styles.session}>
            <span className="mono">{session.ip}</span>
            <Time stamp={session.login_timestamp} />
            {session.id === id ? (
              <Chip tone="accent">{t('this one')}</Chip>
            ) : (
              <Button kind="quiet" isBusy={ending === session.id} onClick={() => void end(session.id)}>
                {t('End')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
