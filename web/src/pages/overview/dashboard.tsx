// The dashboard: what needs the administrator first, then traffic, sources, changes and numbers. Parts that a role may not read are absent.

import { showHealth } from '@gateway/server/contract/health'
import type { ReactNode } from 'react'
import { useHappenings } from '../../api/events.ts'
import { readAgain, readEverythingAgain } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'
import type { HandPage } from '../../page.ts'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Status } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.tsx'
import { usePause } from '../../ui/use-pause.ts'
import { heard, t } from '../../words.ts'
import { findAttention } from './attention.ts'
import { ChangesTile } from './changes.tsx'
import { Needs } from './needs.tsx'
import styles from './overview.module.css'
import { Figures, SourcesTile, TrafficTile } from './tiles.tsx'

export function Dashboard(): ReactNode {
  const { may, hostName } = useSession()
  const { health, statuses } = useHappenings()
  const pause = usePause()
  const attention = findAttention(
    health?.checks ?? [],
    [...statuses].map(([path, items]) => ({ path, items })),
    heard,
  )
  const { needs } = attention
  const hasFailed = needs.some(({ state }) => state === 'failed')
  const title =
    needs.length > 0
      ? t('{count, plural, one {# item needs attention} other {# items need attention}}', { count: needs.length })
      : health
        ? t('Everything runs')
        : t('Dashboard')
  const lookAgain = (): void => {
    void readAgain(showHealth)
    void readEverythingAgain()
    toast(t('Everything is looked at every 10 seconds; what is shown is of this moment.'))
  }
  return (
    <div className={styles.page}>
      <PageHead
        title={title}
        lead={hostName}
        status={health ? <Status state={hasFailed ? 'failed' : needs.length > 0 ? 'warning' : 'ok'} /> : null}
      >
        <Button
          icon={pause.isPaused ? 'play' : 'pause'}
          keys="Space"
          kind="quiet"
          onClick={pause.toggle}
          isPressed={pause.isPaused}
        >
          {pause.isPaused ? t('Go on') : t('Pause')}
        </Button>
      </PageHead>
      {may('view') ? <Needs attention={attention} mayReadLogs={may('reports')} onLookAgain={lookAgain} /> : null}
      <div className={styles.tiles}>
        {may('view') ? <TrafficTile every={pause.every} /> : null}
        {may('reports') ? <SourcesTile every={pause.every} /> : null}
        {may('view') ? <ChangesTile /> : null}
      </div>
      <Figures every={pause.every} />
    </div>
  )
}

export const page: HandPage = { kind: 'hand', Component: Dashboard }
