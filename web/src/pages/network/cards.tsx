// Why no cards are offered, below a field that takes one.

import { showCards } from '@gateway/server/contract/network'
import type { ReactNode } from 'react'
import { useRead } from '../../api/reads.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { heard, t } from '../../words.ts'
import styles from './network.module.css'

export function NoCards(): ReactNode {
  const reason = useRead(showCards).data?.data.reason ?? ''
  if (reason === '') return null
  return (
    <p className={styles.reason}>
      <PlainText text={t('The cards of this machine cannot be listed: {reason}', { reason: heard(reason) })} />
    </p>
  )
}
