// What of the machine gets in the way of the gateway, each with the command that repairs it.

import { type Conflict, showConflicts } from '@gateway/server/contract/health'
import { find } from '@gateway/server/shared/said'
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
import { Time } from '../../ui/time.tsx'
import { heard, msg, t } from '../../words.ts'
import styles from './health.module.css'

const states: Readonly<Record<Conflict['severity'], { readonly state: StatusState; readonly word: string }>> = {
  fault: { state: 'failed', word: msg('Does not work') },
  warning: { state: 'warning', word: msg('Warning') },
  note: { state: 'unknown', word: msg('Good to know') },
}

/** A command is copied as it is, so it is shown whole. */
const longest = 4_000

/** A command is not said, or it is the value of the sentence that says when to run it. Only what is typed is copied. */
function commandOf(fix: string): string | null {
  const sentence = find(fix)
  if (!sentence) return fix
  return sentence.code === 'when_the_gateway_is_set_up_x' ? commandOf(sentence.values[0] ?? '') : null
}

function Finding({ found: { severity, title, detail, fix } }: { readonly found: Conflict }): ReactNode {
  const { state, word } = states[severity]
  const [said, command] = [heard(fix), commandOf(fix)]
  return (
    <Panel title={<PlainText text={heard(title)} limit={400} />}>
      <div className={styles.finding}>
        <Status state={state}>{t(word)}</Status>
        <p>
          <PlainText text={heard(detail)} limit={longest} />
        </p>
        {command === null ? (
          <p>
            <strong>{t('Repair:')}</strong> <PlainText text={said} limit={longest} />
          </p>
        ) : (
          <div className={styles.repair}>
            <code className={styles.command}>
              <PlainText text={said} limit={longest} />
            </code>
            <CopyButton text={command} label={t('Copy the repair')} />
          </div>
        )}
      </div>
    </Panel>
  )
}

export function Conflicts(): ReactNode {
  const found = useRead(showConflicts, { everyMs: 30_000 })
  const conflicts = found.data?.data
  return (
    <div className={styles.stack}>
      <PageHead
        title={t('Conflicts')}
        over={t('Health')}
        lead={t('What of this machine gets in the way of the gateway. Run the repair as root on the machine.')}
      >
        <Button icon="refresh" isBusy={found.isFetching} onClick={() => void found.refetch()}>
          {t('Look again')}
        </Button>
      </PageHead>
      {found.data ? (
        <p className={styles.looked}>
          {t('{count, plural, one {# finding} other {# findings}}', { count: found.data.data.length })},{' '}
          {t('looked at')} <Time unix={Math.floor(found.dataUpdatedAt / 1_000)} />
        </p>
      ) : null}
      {found.error ? <ProblemBox failure={found.error} onRetry={() => void found.refetch()} /> : null}
      {found.isPending ? <Skeleton lines={4} /> : null}
      {conflicts?.length === 0 ? (
        <Empty title={t('Nothing on this machine gets in the way.')}>
          {t('Ports, rules of other programs, services, the resolver, cards and AppArmor were looked at.')}
        </Empty>
      ) : null}
      {conflicts?.map((one) => (
        <Finding key={one.code} found={one} />
      ))}
    </div>
  )
}

export const page: HandPage = { kind: 'hand', Component: Conflicts }
