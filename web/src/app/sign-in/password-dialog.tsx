// Asks for the password before a call that needs a fresh sign-in is sent.

import type { ReactNode } from 'react'
import { askedPassword, gaveUp } from '../../api/fresh.ts'
import { useSession } from '../../api/session.ts'
import { useStore } from '../../api/store.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { t } from '../../words.ts'
import styles from './sign-in.module.css'
import { SignInForm } from './sign-in-form.tsx'

export function PasswordDialog(): ReactNode {
  const asked = useStore(askedPassword)
  const { login } = useSession()
  if (!asked) return null
  const settle = (isEntered: boolean) => {
    askedPassword.set(null)
    if (isEntered) asked.resolve()
    else asked.reject(gaveUp())
  }
  return (
    <Dialog title={t('Confirm with your password')} onClose={() => settle(false)} foot={null}>
      <div className={styles.over}>
        <p className="muted">{t('This needs a sign-in of the last 10 minutes.')}</p>
        <SignInForm login={login} isLoginFixed action={t('Go on')} onEntered={() => settle(true)} />
      </div>
    </Dialog>
  )
}
