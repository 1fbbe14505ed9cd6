// How far the inspection engine is with the check of an upload.

import type { ReplyOf } from '@gateway/server/contract'
import { signatureChecks } from '@gateway/server/contract/intrusion-prevention'
import type { ReactNode } from 'react'
import { useRead } from '../../api/reads.ts'
import { printCount } from '../../util/amount.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './ips.module.css'

type Check = ReplyOf<typeof signatureChecks>[number]

/** Nothing while there is no such check. */
export function CheckProgress({ isMeant }: { readonly isMeant: (check: Check) => boolean }): ReactNode {
  const read = useRead(signatureChecks, { everyMs: 1_000 })
  const check = read.data?.data.find(isMeant)
  if (!check) return null
  const language = currentLanguage()
  return (
    <div className={styles.progress}>
      <progress max={check.total} value={check.done} aria-label={t('Progress of the check')} />
      <span>
        {t('{done} of {total} rules checked, {refused} refused', {
          done: printCount(check.done, language),
          total: printCount(check.total, language),
          refused: printCount(check.refused, language),
        })}
      </span>
    </div>
  )
}
