// The gateway did not answer when the console was opened. It tries again by itself.

import { type ReactNode, useEffect } from 'react'
import { findSession } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { t } from '../words.ts'
import { Brand } from './brand.tsx'
import styles from './unreachable.module.css'

const retryMs = 2_000

export function Unreachable(): ReactNode {
  useEffect(() => {
    const timer = setInterval(() => void findSession(), retryMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <main className={styles.page}>
      <Brand size={32} />
      <h1>{t('The gateway does not answer')}</h1>
      <p>{t('The console tries again every 2 seconds. Traffic does not depend on it.')}</p>
      <Button icon="refresh" onClick={() => void findSession()}>
        {t('Try again now')}
      </Button>
    </main>
  )
}
