// The applications with the most traffic now.

import { traffic } from '@gateway/server/contract/monitor'
import { type ReactNode, useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { Grid } from '../../ui/grid/grid.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { usePause } from '../../ui/use-pause.ts'
import { printCount, printRate } from '../../util/amount.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './monitor.module.css'
import { RateBar, TrafficHead, useTrafficStatus } from './parts.tsx'

export function Applications(): ReactNode {
  const pause = usePause()
  const applications = useRead(traffic.applications, pause.every(2_000))
  const rows = useMemo(
    () => [...(applications.data?.data ?? [])].sort((a, b) => b.bps_in + b.bps_out - a.bps_in - a.bps_out),
    [applications.data],
  )
  const most = rows[0] ? rows[0].bps_in + rows[0].bps_out : 0
  const language = currentLanguage()
  const status = useTrafficStatus(pause)
  return (
    <>
      <TrafficHead
        title={t('Applications')}
        pause={pause}
        status={status}
        error={applications.error}
        onRetry={() => void applications.refetch()}
      />
      <div className={styles.below}>
        <Grid
          label={t('Applications')}
          rows={rows}
          rowKey={({ application }) => application}
          height="fill"
          isLoading={applications.isPending}
          columns={[
            {
              id: 'application',
              title: t('Application'),
              width: 220,
              text: ({ application }) => application,
              cell: ({ application }) =>
                application === '' ? t('not recognised') : <PlainText text={application} limit={60} />,
            },
            {
              id: 'sessions',
              title: t('Sessions'),
              width: 90,
              isNumber: true,
              sort: (a, b) => a.sessions - b.sessions,
              cell: ({ sessions }) => printCount(sessions, language),
            },
            {
              id: 'in',
              title: t('To the hosts'),
              width: 120,
              isNumber: true,
              sort: (a, b) => a.bps_in - b.bps_in,
              cell: ({ bps_in }) => printRate(bps_in, language),
            },
            {
              id: 'out',
              title: t('From the hosts'),
              width: 120,
              isNumber: true,
              sort: (a, b) => a.bps_out - b.bps_out,
              cell: ({ bps_out }) => printRate(bps_out, language),
            },
            {
              id: 'bar',
              title: t('Share'),
              width: 'rest',
              cell: ({ bps_in, bps_out }) => <RateBar value={bps_in + bps_out} most={most} />,
            },
          ]}
          empty={
            <span className={styles.muted}>
              {t('Nothing passes through the gateway now, or applications are not recognised.')}
            </span>
          }
        />
      </div>
    </>
  )
}

export const page: HandPage = { kind: 'hand', Component: Applications }
