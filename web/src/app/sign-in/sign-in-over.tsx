// The session ended: the sign-in opens over the page, and what was typed stays behind it.

import type { ReactNode } from 'react'
import { useSession } from '../../api/session.ts'
import { isUnsaved } from '../../place.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { t } from '../../words.ts'
import { signOut } from '../sign-out.ts'
import styles from './sign-in.module.css'
import { SignInForm } from './sign-in-form.tsx'

export function SignInOver(): ReactNode {
  const { login } = useSession()
  // Closing is leaving: without a session nothing here can be read or changed.
  const giveUp = () => {
    if (!isUnsaved()) void signOut()
  }
  return (
    <Dialog title={t('Sign in again')} onClose={giveUp} foot={null}>
      <div className={styles.over}>
        <p className="muted">
          {t('The session has ended. What you typed stays on this page; another login loads it from the start.')}
        </p>
        <SignInForm login={login} action={t('Sign in')} />
      </div>
    </Dialog>
  )
}
