// What of the machine gets in the way of the gateway, each with the command that repairs it.

import { type Conflict, showConflicts } from '@gateway/server/contract/health'
import type { ReactNode } from 'react'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status, type StatusState } from '../../ui/status.tsx'
import { msg, t } from '../../words.ts'
import styles from './health.module.css'

const states: Readonly<Record<Conflict['severity'], { readonly state: StatusState; readonly word: string }>> = {
  fault: { state: 'failed', word: msg('Does not work') },
  warning: { state: 'warning', word: msg('Warning') },
  note: { state: 'unknown', word: msg('Good to know') },
}

/** A command is copied as it is, so it is shown whole. */
const longest = 4_000

function Finding({ found: { severity, title, detail, fix } }: { readonly found: Conflict }): ReactNode {
  const { state, word } = states[severity]
  return (
    <Panel title={title}>
      <Status state={state}>{t(word)}</Status>
      <p>
        <PlainText text={detail} limit={longest} />
      </p>
      <div className={styles.repair}>
        <code>
          <PlainText text={fix} limit={longest} />
        </code>
        <CopyButton text={fix} label={t('Copy the repair')} />
      </div>
    </Panel>
  )
}

export function Conflicts(): ReactNode {
  const found = useRead(showConflicts)
  const conflicts = found.data?.data
  return (
    <div className={styles.stack}>
      <PageHead
        title={t('Conflicts')}
        lead={t('What of this machine gets in the way of the gateway. Run the repair as root on the machine.')}
      >
        <Button icon="refresh" onClick={() => void found.refetch()}>
          {t('Look again')}
        </Button>
      </PageHead>
      {found.error ? <ProblemBox failure={found.error} onRetry={() => void found.refetch()} /> : null}
      {found.isPending ? <Skeleton lines={4} /> : null}
      {conflicts?.length === 0 ? <Empty title={t('Nothing on this machine gets in the way.')} /> : null}
      {conflicts?.map((one) => (
        <Finding key={one.code} found={one} />
      ))}
    </div>
  )
}

export const page: HandPage = { kind: 'hand', Component: Conflicts }
