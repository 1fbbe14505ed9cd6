// Sessions that pass through the gateway now, with their rates. Space pauses.

import type { ReplyOf } from '@gateway/server/contract'
import { traffic } from '@gateway/server/contract/monitor'
import { type ReactNode, useMemo, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column, Sort } from '../../ui/grid/types.ts'
import { Menu } from '../../ui/menu.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { usePause } from '../../ui/use-pause.ts'
import { compareTexts } from '../../util/address.ts'
import { printRate } from '../../util/amount.ts'
import { printDuration } from '../../util/time.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './monitor.module.css'
import { HostLink, TrafficHead, useTrafficStatus } from './parts.tsx'

type Session = ReplyOf<typeof traffic.sessions>[number]

const endOf = (ip: string, proto: string): string => {
  const port = proto.split(':')[1]
  return port === undefined ? ip : `${ip}:${port}`
}

const tracedSearch = ({
  source_ip,
  destination_ip,
  destination_proto,
  in_iface_alias,
}: Session): Record<string, string> => {
  const [protocol = 'tcp', port] = destination_proto.toLowerCase().split(':')
  return {
    p: protocol,
    s: source_ip,
    d: port === undefined ? destination_ip : `${destination_ip}:${port}`,
    ...(in_iface_alias === '' ? {} : { in: in_iface_alias }),
  }
}

interface SessionActs {
  readonly trace: (row: Session) => void
  readonly openHost: (row: Session) => void
  readonly openLog: (row: Session) => void
}

export function Sessions(): ReactNode {
  const go = useGo()
  const { search } = usePlace()
  const pause = usePause()
  const sessions = useRead(traffic.sessions, pause.every(2_000))
  const [sort, setSort] = useState<Sort | null>({ id: 'out', isDown: true })
  const needle = (search.q ?? '').trim().toLowerCase()
  const rows = useMemo(
    () =>
      (sessions.data?.data ?? []).filter(
        (one) =>
          needle === '' ||
          [one.source_ip, one.destination_ip, one.application, one.source_proto, one.destination_proto].some((text) =>
            text.toLowerCase().includes(needle),
          ),
      ),
    [sessions.data, needle],
  )
  const status = useTrafficStatus(pause)
  const acts: SessionActs = {
    trace: (row) => go.open('policy/tracer', tracedSearch(row)),
    openHost: ({ source_ip }) => go.open(`overview/host/${source_ip}`),
    openLog: ({ source_ip }) => go.open('monitor/logs/firewall', { source_ip }),
  }
  return (
    <>
      <TrafficHead
        title={t('Sessions')}
        pause={pause}
        status={status}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
      />
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        placeholder={t('Address, port or application')}
        count={t('{count, plural, one {# session} other {# sessions}}', { count: rows.length })}
      />
      <Grid
        label={t('Sessions')}
        rows={rows}
        rowKey={({ id }) => id}
        columns={columnsOf(currentLanguage(), acts)}
        height="fill"
        sort={sort}
        onSort={setSort}
        isLoading={sessions.isPending}
        onKey={({ key, row }) => {
          if (!row) return false
          if (key === 't') acts.trace(row)
          else if (key === 'l') acts.openLog(row)
          else return false
          return true
        }}
        empty={<span className={styles.muted}>{t('No session passes through the gateway now.')}</span>}
      />
    </>
  )
}

const columnsOf = (language: string, acts: SessionActs): readonly Column<Session>[] => [
  {
    id: 'from',
    title: t('From'),
    width: 200,
    isSticky: true,
    sort: (a, b) => compareTexts(a.source_ip, b.source_ip),
    cell: ({ source_ip, source_proto }) => <HostLink address={source_ip} text={endOf(source_ip, source_proto)} />,
  },
  {
    id: 'to',
    title: t('To'),
    width: 'rest',
    minWidth: 180,
    sort: (a, b) => compareTexts(a.destination_ip, b.destination_ip),
    cell: ({ destination_ip, destination_proto }) => (
      <HostLink address={destination_ip} text={endOf(destination_ip, destination_proto)} />
    ),
  },
  {
    id: 'protocol',
    title: t('Protocol'),
    width: 84,
    text: ({ destination_proto }) => destination_proto,
    cell: ({ destination_proto }) => destination_proto.split(':')[0],
  },
  {
    id: 'application',
    title: t('Application'),
    width: 140,
    text: ({ application }) => application,
    cell: ({ application }) => <PlainText text={application} limit={40} />,
  },
  {
    id: 'duration',
    title: t('For'),
    width: 96,
    isNumber: true,
    sort: (a, b) => a.duration - b.duration,
    cell: ({ duration }) => printDuration(duration, language),
  },
  {
    id: 'in',
    title: t('To the source'),
    width: 120,
    isNumber: true,
    sort: (a, b) => a.bps_in - b.bps_in,
    cell: ({ bps_in }) => printRate(bps_in, language),
  },
  {
    id: 'out',
    title: t('From the source'),
    width: 130,
    isNumber: true,
    sort: (a, b) => a.bps_out - b.bps_out,
    cell: ({ bps_out }) => printRate(bps_out, language),
  },
  {
    id: 'menu',
    title: '',
    width: 40,
    cell: (row) => <SessionMenu row={row} acts={acts} />,
  },
]

function SessionMenu({ row, acts }: { readonly row: Session; readonly acts: SessionActs }): ReactNode {
  return (
    <Menu
      label={t('What to do with this session')}
      icon="more"
      items={[
        { label: t('Trace'), icon: 'trace', keys: 'T', onSelect: () => acts.trace(row) },
        {
          label: t('Host page of the source'),
          icon: 'host',
          onSelect: () => acts.openHost(row),
        },
        {
          label: t('Log lines of the source'),
          icon: 'log',
          keys: 'L',
          onSelect: () => acts.openLog(row),
        },
      ]}
    />
  )
}

export const page: HandPage = { kind: 'hand', Component: Sessions }
