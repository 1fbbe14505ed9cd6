// The columns of the leases in use, with what can be done with each of them.

import type { ReplyOf } from '@gateway/server/contract'
import type { listLeases } from '@gateway/server/contract/dhcp'
import type { Editing } from '../../api/editing.ts'
import { Chip } from '../../ui/chip.tsx'
import type { Column } from '../../ui/grid/types.ts'
import { Link } from '../../ui/link.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { compareTexts } from '../../util/address.ts'
import { t } from '../../words.ts'
import styles from './dhcp.module.css'

export type Lease = ReplyOf<typeof listLeases>[number]

interface LeaseTools {
  /** Titles of interfaces by their names in a lease. */
  readonly titles: ReadonlyMap<string, string>
  readonly editing: Editing
  readonly keep: (leases: readonly Lease[]) => void
  readonly openHost: (lease: Lease) => void
}

export const leaseColumns = (tools: LeaseTools): readonly Column<Lease>[] => [
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
    text: (lease) => tools.titles.get(lease.interface) ?? lease.interface,
    cell: (lease) => <PlainText text={tools.titles.get(lease.interface) ?? lease.interface} limit={60} />,
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
            isDisabled: lease.static || !tools.editing.isAllowed,
            why: lease.static ? t('It is kept already.') : tools.editing.why,
            onSelect: () => tools.keep([lease]),
          },
          { label: t('Host page'), icon: 'host', onSelect: () => tools.openHost(lease) },
        ]}
      />
    ),
  },
]
