// The local hosts with the most traffic now.

import { listSessions } from '@gateway/server/contract/authorization'
import { listLeases } from '@gateway/server/contract/dhcp'
import { traffic } from '@gateway/server/contract/monitor'
import { type ReactNode, useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'
import type { HandPage } from '../../page.ts'
import { useGo } from '../../place.ts'
import { Grid } from '../../ui/grid/grid.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { usePause } from '../../ui/use-pause.ts'
import { compareTexts } from '../../util/address.ts'
import { printCount, printRate } from '../../util/amount.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './monitor.module.css'
import { HostLink, RateBar, TrafficHead, useTrafficStatus } from './parts.tsx'

export function Sources(): ReactNode {
  const go = useGo()
  const { may } = useSession()
  const pause = usePause()
  const sources = useRead(traffic.sources, pause.every(2_000))
  const isEnabled = may('view')
  const { data: leases } = useRead(listLeases, { isEnabled, ...pause.every(30_000) })
  const { data: users } = useRead(listSessions, { isEnabled, ...pause.every(30_000) })
  const names = useMemo(() => new Map(leases?.data.map(({ ip_address, hostname }) => [ip_address, hostname])), [leases])
  const logins = useMemo(() => new Map(users?.data.map(({ ip, login }) => [ip, login])), [users])
  const rows = useMemo(
    () => [...(sources.data?.data ?? [])].sort((a, b) => b.bps_in + b.bps_out - a.bps_in - a.bps_out),
    [sources.data],
  )
  const most = rows[0] ? rows[0].bps_in + rows[0].bps_out : 0
  const language = currentLanguage()
  const status = useTrafficStatus(pause)
  return (
    <>
      <TrafficHead
        title={t('Sources')}
        pause={pause}
        status={status}
        error={sources.error}
        onRetry={() => void sources.refetch()}
      />
      <div className={styles.below}>
        <Grid
          label={t('Sources')}
          rows={rows}
          rowKey={({ source_ip }) => source_ip}
          height="fill"
          isLoading={sources.isPending}
          onOpen={({ source_ip }) => go.open(`overview/host/${source_ip}`)}
          columns={[
            {
              id: 'ip',
              title: t('Host'),
              width: 150,
              isSticky: true,
              sort: (a, b) => compareTexts(a.source_ip, b.source_ip),
              cell: ({ source_ip }) => <HostLink address={source_ip} />,
            },
            {
              id: 'name',
              title: t('Name'),
              width: 180,
              cell: ({ source_ip }) => <PlainText text={names.get(source_ip) ?? ''} limit={60} />,
            },
            {
              id: 'user',
              title: t('User'),
              width: 140,
              cell: ({ source_ip }) => <PlainText text={logins.get(source_ip) ?? ''} limit={60} />,
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
              title: t('To the host'),
              width: 120,
              isNumber: true,
              sort: (a, b) => a.bps_in - b.bps_in,
              cell: ({ bps_in }) => printRate(bps_in, language),
            },
            {
              id: 'out',
              title: t('From the host'),
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
          empty={<span className={styles.muted}>{t('No host sends through the gateway now.')}</span>}
        />
      </div>
    </>
  )
}

export const page: HandPage = { kind: 'hand', Component: Sources }
