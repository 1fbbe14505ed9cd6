// Devices of the local networks: who they are and when they were seen. Each leads to its host page.

import { listSessions } from '@gateway/server/contract/authorization'
import { listDevices } from '@gateway/server/contract/device-discovery'
import { listLeases } from '@gateway/server/contract/dhcp'
import { type ReactNode, useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Time } from '../../ui/time.tsx'
import { compareTexts, isAddress } from '../../util/address.ts'
import { t } from '../../words.ts'
import styles from './overview.module.css'

interface Host {
  readonly ip: string
  readonly mac: string
  readonly name: string
  readonly vendor: string
  readonly user: string
  readonly device: string
  readonly seen: number | null
}

export function HostList(): ReactNode {
  const go = useGo()
  const { search } = usePlace()
  const devices = useRead(listDevices, { everyMs: 10_000 })
  const leases = useRead(listLeases, { everyMs: 10_000 })
  const sessions = useRead(listSessions, { everyMs: 10_000 })
  const hosts = useMemo(() => {
    const found = new Map<string, Host>()
    const none = { mac: '', name: '', vendor: '', user: '', device: '', seen: null }
    for (const { ip, mac, hostname, vendor, device, last_seen } of devices.data?.data ?? [])
      found.set(ip, { ...none, ip, mac, name: hostname, vendor, device, seen: last_seen })
    for (const { ip_address: ip, mac, hostname } of leases.data?.data ?? [])
      found.set(ip, { ...none, ip, mac, ...found.get(ip), name: hostname })
    for (const { ip, login } of sessions.data?.data ?? [])
      if (isAddress(ip)) found.set(ip, { ...none, ip, ...found.get(ip), user: login })
    return [...found.values()].sort((a, b) => compareTexts(a.ip, b.ip))
  }, [devices.data, leases.data, sessions.data])
  const needle = (search.q ?? '').trim().toLowerCase()
  const rows = hosts.filter(
    (host) =>
      needle === '' ||
      Object.values(host).some((value) =>
        String(value ?? '')
          .toLowerCase()
          .includes(needle),
      ),
  )
  return (
    <>
      <PageHead title={t('Hosts')} lead={t('Devices of the local networks. Any address opens its page.')} />
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        placeholder={t('Address, name, card or user')}
        count={t('{count, plural, one {# host} other {# hosts}}', { count: rows.length })}
      >
        {isAddress(needle) ? (
          <Button icon="host" onClick={() => go.open(`overview/host/${needle}`)}>
            {t('Open {address}', { address: needle })}
          </Button>
        ) : null}
      </FilterBar>
      {devices.error && hosts.length === 0 ? (
        <ProblemBox failure={devices.error} onRetry={() => void devices.refetch()} />
      ) : null}
      <Grid
        label={t('Hosts')}
        rows={rows}
        rowKey={({ ip }) => ip}
        height="fill"
        isLoading={devices.isPending && hosts.length === 0}
        onOpen={({ ip }) => go.openItem(ip)}
        columns={[
          {
            id: 'ip',
            title: t('Address'),
            width: 140,
            isSticky: true,
            sort: (a, b) => compareTexts(a.ip, b.ip),
            cell: ({ ip }) => (
              <Link to={`overview/host/${ip}`} className={styles.mono}>
                {ip}
              </Link>
            ),
          },
          {
            id: 'name',
            title: t('Name'),
            width: 'rest',
            text: ({ name }) => name,
            cell: ({ name }) => <PlainText text={name} limit={80} />,
          },
          {
            id: 'user',
            title: t('User'),
            width: 160,
            text: ({ user }) => user,
            cell: ({ user }) => (user === '' ? null : <PlainText text={user} limit={60} />),
          },
          {
            id: 'mac',
            title: t('MAC'),
            width: 150,
            text: ({ mac }) => mac,
            cell: ({ mac }) => <span className={styles.mono}>{mac}</span>,
          },
          {
            id: 'vendor',
            title: t('Maker'),
            width: 200,
            text: ({ vendor }) => vendor,
            cell: ({ vendor }) => <PlainText text={vendor} limit={60} />,
          },
          { id: 'device', title: t('Device'), width: 90, text: ({ device }) => device, cell: ({ device }) => device },
          {
            id: 'seen',
            title: t('Seen'),
            width: 110,
            sort: (a, b) => (a.seen ?? 0) - (b.seen ?? 0),
            cell: ({ seen }) => (seen === null ? null : <Time unix={seen} />),
          },
        ]}
        empty={<Empty title={t('No device is seen now')}>{t('Type an address to open its page all the same.')}</Empty>}
      />
    </>
  )
}
