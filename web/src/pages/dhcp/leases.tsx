// Leases in use. K keeps the address of a device: a static lease with its values, reviewed and applied.

import { listLeases, showStatus, staticLeases } from '@gateway/server/contract/dhcp'
import { connections } from '@gateway/server/contract/network'
import { type ReactNode, useMemo, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { type Editing, useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import { EngineBars, EngineMark, useEngine } from '../../contract/render/page-status.tsx'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Sort } from '../../ui/grid/types.ts'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { t } from '../../words.ts'
import { type Lease, leaseColumns } from './lease-columns.tsx'

export function Leases(): ReactNode {
  const go = useGo()
  const { search } = usePlace()
  const editing = useEditing('configure')
  const { leases, titles, rows } = useLeases(search.q ?? '')
  const engine = useEngine(showStatus)
  const [sort, setSort] = useState<Sort | null>(null)
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const keep = useKeep(editing, () => setSelection(new Set()))
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
        columns={leaseColumns({
          titles,
          editing,
          keep,
          openHost: ({ ip_address }) => go.open(`overview/host/${ip_address}`),
        })}
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

/** The leases that the filter finds, and the titles of the interfaces they belong to. */
function useLeases(filter: string) {
  const leases = useRead(listLeases, { everyMs: 10_000 })
  const { data: interfaces } = useRead(connections.list)
  const titles = useMemo(
    () => new Map(interfaces?.data.map(({ id, title }) => [`interface.id.${id}`, title])),
    [interfaces],
  )
  const needle = filter.trim().toLowerCase()
  const rows = useMemo(
    () =>
      (leases.data?.data ?? []).filter(
        ({ ip_address, mac, hostname, comment }) =>
          needle === '' || [ip_address, mac, hostname, comment].some((text) => text.toLowerCase().includes(needle)),
      ),
    [leases.data, needle],
  )
  return { leases, titles, rows }
}

/** Makes static leases of those that are not static yet. */
function useKeep(editing: Editing, onApplied: () => void): (chosen: readonly Lease[]) => void {
  const review = useReview()
  const kept = useRead(staticLeases.list)
  return (chosen) => {
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
      onApplied,
    })
  }
}

export const page: HandPage = { kind: 'hand', Component: Leases }
