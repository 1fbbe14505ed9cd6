// Who a host is: its user, its lease, its card, when it was seen, and where to read more.

import type { ReactNode } from 'react'
import { useSession } from '../../api/session.ts'
import { Chip } from '../../ui/chip.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { printDuration } from '../../util/time.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './overview.module.css'
import type { Host } from './use-host.ts'

export function HostIdentity({ host }: { readonly host: Host }): ReactNode {
  const { fixed, device, mac } = host
  return (
    <Panel title={t('Who it is')}>
      <dl className={styles.facts}>
        <dt>{t('User')}</dt>
        <dd>
          <HostUser user={host.user} />
        </dd>
        <dt>{t('Lease')}</dt>
        <dd>
          <HostLease lease={host.lease} address={host.address} />
        </dd>
        {fixed ? (
          <>
            <dt>{t('Static lease')}</dt>
            <dd>
              <Link to={`network/dhcp/static/${fixed.id}`}>
                {fixed.mac} <PlainText text={fixed.comment} limit={80} />
              </Link>
            </dd>
          </>
        ) : null}
        <dt>{t('Card')}</dt>
        <dd>
          <span className={styles.mono}>{mac === '' ? '–' : mac}</span> <PlainText text={device?.vendor ?? ''} />
        </dd>
        {device?.last_seen ? (
          <>
            <dt>{t('Seen')}</dt>
            <dd>
              <Time unix={device.last_seen} />{' '}
              {device.device === '' ? '' : t('behind {device}', { device: device.device })}
            </dd>
          </>
        ) : null}
        <dt>{t('More')}</dt>
        <dd className={styles.actions}>
          <MoreOfHost address={host.address} />
        </dd>
      </dl>
    </Panel>
  )
}

function HostUser({ user }: Pick<Host, 'user'>): ReactNode {
  if (!user) return <span className={styles.muted}>{t('No user is authorized here.')}</span>
  return (
    <>
      <Link to={`people/users/user.id.${user.user_id}`}>{user.login}</Link> <PlainText text={user.name} />,{' '}
      <PlainText text={user.group_name} />,{' '}
      {t('for {time}', { time: printDuration(user.time_online, currentLanguage()) })}
    </>
  )
}

function HostLease({ lease, address }: Pick<Host, 'lease' | 'address'>): ReactNode {
  if (!lease) return <span className={styles.muted}>{t('No lease of this gateway.')}</span>
  return (
    <>
      <Link to="network/dhcp/leases" search={{ q: address }}>
        <PlainText text={lease.hostname === '' ? t('without a name') : lease.hostname} limit={80} />
      </Link>
      , {t('ends')} <Time unix={lease.expires_at} />
      {lease.static ? (
        <>
          {' '}
          <Chip tone="accent">{t('kept')}</Chip>
        </>
      ) : null}
    </>
  )
}

function MoreOfHost({ address }: { readonly address: string }): ReactNode {
  const { may } = useSession()
  return (
    <>
      <Link to="policy/rules/forward" search={{ q: `touches:${address}` }}>
        {t('Rules that touch it')}
      </Link>
      <Link to="monitor/logs/firewall" search={{ source_ip: address }}>
        {t('Its log lines')}
      </Link>
      {may('reports') ? (
        <Link to="monitor/logs/traffic" search={{ src_ip: address, from: '-1d' }}>
          {t('Its traffic')}
        </Link>
      ) : null}
    </>
  )
}
