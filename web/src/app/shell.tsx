// What is around every page: the sign-in when there is no session, else the frame. A session that lapsed keeps the frame with
// its drafts behind a sign-in.

import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { findSession, sessionStore } from '../api/session.ts'
import { useStore } from '../api/store.ts'
import { loadCode } from '../ui/load-code.ts'
import { useLanguage } from '../words.ts'
import { PasswordDialog, SignInOver, SignInPage } from './dialogs.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { Frame } from './frame.tsx'
import { Unreachable } from './unreachable.tsx'

const ChoosePassword = lazy(() =>
  loadCode(() => import('./sign-in/choose-password.tsx')).then((code) => ({ default: code.ChoosePassword })),
)

export function Shell(): ReactNode {
  useLanguage()
  const { stage } = useStore(sessionStore)
  useEffect(() => {
    if (stage === 'loading') void findSession()
  }, [stage])
  if (stage === 'loading') return null
  if (stage === 'out') return <SignInPage />
  if (stage === 'first')
    return (
      <Suspense>
        <ChoosePassword />
        <PasswordDialog />
      </Suspense>
    )
  if (stage === 'unreachable') return <Unreachable />
  return (
    <ErrorBoundary>
      <Frame />
      {stage === 'lapsed' ? <SignInOver /> : null}
    </ErrorBoundary>
  )
}
