// The frame around a page: rail, top bar, bars that hold for every page, the page itself, and what opens over it.

import { Outlet } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { reviewStore } from '../api/apply.ts'
import { useStore } from '../api/store.ts'
import { isUnsaved, usePlace } from '../place.ts'
import { loadCode } from '../ui/load-code.ts'
import { Toasts } from '../ui/toast.tsx'
import { t, useLanguage } from '../words.ts'
import { ConnectionBar, ProbationBar, SessionBar } from './bars.tsx'
import { KeysHelp, PasswordDialog } from './dialogs.tsx'
import styles from './frame.module.css'
import { useGlobalKeys } from './global-keys.ts'
import { LeaveGuard } from './leave-guard.tsx'
import { PaletteHost } from './palette/palette-host.tsx'
import { Rail } from './rail.tsx'
import { SectionTabs } from './section-tabs.tsx'
import { TopBar } from './top-bar.tsx'
import { useTitle } from './use-title.ts'

const ReviewDrawer = lazy(() =>
  loadCode(() => import('./review/review-drawer.tsx')).then((code) => ({ default: code.ReviewDrawer })),
)

export function Frame(): ReactNode {
  const [isRailOpen, setRailOpen] = useState(false)
  const [isHelpOpen, setHelpOpen] = useState(false)
  const { path } = usePlace()
  const plan = useStore(reviewStore)
  const pageKey = usePageKey()
  useTitle()
  useGlobalKeys({ onHelp: () => setHelpOpen(true) })
  useEffect(() => {
    if (path !== '') setRailOpen(false)
  }, [path])
  useEffect(() => {
    const open = () => setHelpOpen(true)
    window.addEventListener('portcullis-keys', open)
    return () => window.removeEventListener('portcullis-keys', open)
  }, [])
  return (
    <div className={styles.frame}>
      <button type="button" className={styles.skip} onClick={skipToPage}>
        {t('Skip to the page')}
      </button>
      <Rail isOpen={isRailOpen} onOpened={() => setRailOpen(false)} />
      <div className={styles.body}>
        <TopBar onMenu={() => setRailOpen((isOpen) => !isOpen)} onHelp={() => setHelpOpen(true)} />
        <ConnectionBar />
        <ProbationBar />
        <SessionBar />
        <SectionTabs />
        <main className={styles.main} id="page" data-region="page" tabIndex={-1} key={pageKey}>
          <Outlet />
        </main>
      </div>
      {plan ? (
        <Suspense>
          <ReviewDrawer plan={plan} />
        </Suspense>
      ) : null}
      <PaletteHost />
      <PasswordDialog />
      <LeaveGuard />
      {isHelpOpen ? <KeysHelp onClose={() => setHelpOpen(false)} /> : null}
      <Toasts />
    </div>
  )
}

function skipToPage(): void {
  document.getElementById('page')?.focus()
}

/** A new language draws the page from the start, unless that would lose what was typed. */
function usePageKey(): string {
  const language = useLanguage()
  const key = useRef<string>(language)
  return useMemo(() => {
    if (!isUnsaved()) key.current = language
    return key.current
  }, [language])
}
