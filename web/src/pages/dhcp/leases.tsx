// Leases in use. K keeps the address of a device: a static lease with its values, reviewed and applied.

import type { ReplyOf } from '@gateway/server/contract'
import { listLeases, showStatus, staticLeases } from '@gateway/server/contract/dhcp'
import { connections } from '@gateway/server/contract/network'
import { type ReactNode, useMemo, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import { EngineBars, EngineMark, useEngine } from '../../contract/render/page-status.tsx'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Sort } from '../../ui/grid/types.ts'
import { Link } from '../../ui/link.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Time } from '../../ui/time.tsx'
import { compareTexts } from '../../util/address.ts'
import { t } from '../../words.ts'
import styles from './dhcp.module.css'

type Lease = ReplyOf<typeof listLeases>[number]

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function Leases(): ReactNode {
  const go = useGo()
  const review = useReview()
  const { search } = usePlace()
  const editing = useEditing('configure')
  const leases = useRead(listLeases, { everyMs: 10_000 })
  const kept = useRead(staticLeases.list)
  const { data: interfaces } = useRead(connections.list)
  const engine = useEngine(showStatus)
  const [sort, setSort] = useState<Sort | null>(null)
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const titles = useMemo(
    () => new Map(interfaces?.data.map(({ id, title }) => [`interface.id.${id}`, title])),
    [interfaces],
  )
  const needle = (search.q ?? '').trim().toLowerCase()
  const rows = useMemo(
    () =>
      (leases.data?.data ?? []).filter(
        ({ ip_address, mac, hostname, comment }) =>
          needle === '' || [ip_address, mac, hostname, comment].some((text) => text.toLowerCase().includes(needle)),
      ),
    [leases.data, needle],
  )
  const keep = (chosen: readonly Lease[]): void => {
    const free = chosen.filter((lease) => !lease.static)
    const [first] = free
    if (!first || !editing.isAllowed) return
    review.open({
      title:
        free.length === 1
          ? t('Keep {address} for {name}', { address: first.ip_address, name: first.hostname || first.mac })
          : t('Keep {count} addresses', { count: free.length }),
      calls: free.map(({ ip_address, mac, hostname }) => ({
        endpoint: staticLeases.create,
        body: { enabled: true, ip_address, mac: mac.toLowerCase(), comment: hostname },
        etag: free.length === 1 ? (kept.data?.etag ?? null) : null,
      })),
      reads: [listLeases, staticLeases.list],
      onApplied: () => setSelection(new Set()),
    })
  }
  const selected = rows.filter(({ ip_address }) => selection.has(ip_address))
  return (
    <>
      <PageHead
        title={t('Leases')}
        lead={t('Addresses that the DHCP server has given out and that have not expired.')}
        status={<EngineMark items={engine} />}
      >
        <Button
          icon="pin"
          keys="K"
          isDisabled={!editing.isAllowed || !selected.some((lease) => !lease.static)}
          why={editing.why ?? t('Choose leases that are not kept yet.')}
          onClick={() => keep(selected)}
        >
          {t('Keep the address')}
        </Button>
      </PageHead>
      <EngineBars items={engine} />
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        placeholder={t('Address, card or name')}
        count={t('{count, plural, one {# lease} other {# leases}}', { count: rows.length })}
      />
      {leases.error ? <ProblemBox failure={leases.error} onRetry={() => void leases.refetch()} /> : null}
      <Grid
        label={t('Leases')}
        rows={rows}
        rowKey={({ ip_address }) => ip_address}
        height="fill"
        isLoading={leases.isPending}
        sort={sort}
        onSort={setSort}
        selection={selection}
        onSelection={setSelection}
        onKey={({ key, rows: chosen }) => {
          if (key !== 'k') return false
          keep(chosen)
          return true
        }}
        columns={[
          {
            id: 'ip',
            title: t('Address'),
            width: 140,
            isSticky: true,
            sort: (a, b) => compareTexts(a.ip_address, b.ip_address),
            cell: ({ ip_address }) => (
              <Link to={`overview/host/${ip_address}`} className={styles.mono}>
                {ip_address}
              </Link>
            ),
          },
          {
            id: 'name',
            title: t('Name'),
            width: 'rest',
            text: ({ hostname }) => hostname,
            cell: ({ hostname }) => <PlainText text={hostname} limit={80} />,
          },
          {
            id: 'mac',
            title: t('MAC'),
            width: 150,
            text: ({ mac }) => mac,
            cell: ({ mac }) => <span className={styles.mono}>{mac}</span>,
          },
          {
            id: 'interface',
            title: t('Interface'),
            width: 140,
            text: (lease) => titles.get(lease.interface) ?? lease.interface,
            cell: (lease) => <PlainText text={titles.get(lease.interface) ?? lease.interface} limit={60} />,
          },
          {
            id: 'expires',
            title: t('Ends'),
            width: 110,
            sort: (a, b) => a.expires_at - b.expires_at,
            cell: ({ expires_at }) => <Time unix={expires_at} />,
          },
          {
            id: 'static',
            title: t('Kept'),
            width: 90,
            text: (lease) => String(lease.static),
            cell: (lease) => (lease.static ? <Chip tone="accent">{t('kept')}</Chip> : null),
          },
          {
            id: 'comment',
            title: t('Comment'),
            width: 160,
            text: ({ comment }) => comment,
            cell: ({ comment }) => <PlainText text={comment} limit={80} />,
          },
          {
            id: 'menu',
            title: '',
            width: 40,
            cell: (lease) => (
              <Menu
                label={t('What to do with this lease')}
                icon="more"
                items={[
                  {
                    label: t('Keep the address'),
                    icon: 'pin',
                    keys: 'K',
                    isDisabled: lease.static || !editing.isAllowed,
                    why: lease.static ? t('It is kept already.') : editing.why,
                    onSelect: () => keep([lease]),
                  },
                  { label: t('Host page'), icon: 'host', onSelect: () => go.open(`overview/host/${lease.ip_address}`) },
                ]}
              />
            ),
          },
        ]}
        empty={
          <Empty
            title={t('No lease is in use')}
            action={<Link to="network/dhcp/interfaces">{t('DHCP of the interfaces')}</Link>}
          >
            {t('Devices appear here as soon as they get an address from this gateway.')}
          </Empty>
        }
      />
    </>
  )
}

export const page: HandPage = { kind: 'hand', Component: Leases }
