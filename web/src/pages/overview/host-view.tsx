// One host: head with its names and acts, its rates and sessions now, refusals and the rules that touch it. Space pauses.

import { listSessions } from '@gateway/server/contract/authorization'
import { listDevices } from '@gateway/server/contract/device-discovery'
import { listLeases, staticLeases } from '@gateway/server/contract/dhcp'
import { forwardRules } from '@gateway/server/contract/firewall'
import { traffic } from '@gateway/server/contract/monitor'
import { type ReactNode, useEffect, useMemo } from 'react'
import { useReview } from '../../api/apply.ts'
import { call } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'
import { useGo } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Figure } from '../../ui/figure.tsx'
import { loneLetterOf } from '../../ui/letter-key.ts'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'
import { usePause } from '../../ui/use-pause.ts'
import { printRate } from '../../util/amount.ts'
import { printDuration } from '../../util/time.ts'
import { currentLanguage, t } from '../../words.ts'
import { HostRefusals, HostRules, HostSessions } from './host-parts.tsx'
import styles from './overview.module.css'

interface HostKeys {
  readonly keep: (() => void) | null
  readonly trace: () => void
  readonly block: () => void
  readonly allow: () => void
}

const isOver = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[role="dialog"], [role="alertdialog"]') !== null

/** Single letters of the page, where nothing is typed. */
function useHostKeys({ keep, trace, block, allow }: HostKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isOver(event.target)) return
      const act = new Map([
        ['k', keep],
        ['t', trace],
        ['b', block],
        ['a', allow],
      ]).get(loneLetterOf(event))
      if (!act) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function HostView({ address }: { readonly address: string }): ReactNode {
  const { may } = useSession()
  const go = useGo()
  const review = useReview()
  const pause = usePause()
  const leaseEditing = useEditing('configure')
  const ruleEditing = useEditing('firewall')
  const { data: leases } = useRead(listLeases, pause.every(10_000))
  const { data: kept } = useRead(staticLeases.list)
  const { data: users } = useRead(listSessions, pause.every(10_000))
  const { data: devices } = useRead(listDevices, pause.every(30_000))
  const sessions = useRead(traffic.sessions, { isEnabled: may('reports'), ...pause.every(2_000) })
  const lease = leases?.data.find(({ ip_address }) => ip_address === address)
  const fixed = kept?.data.find(({ ip_address }) => ip_address === address)
  const user = users?.data.find(({ ip }) => ip === address)
  const device = devices?.data.find(({ ip }) => ip === address)
  const own = useMemo(
    () =>
      (sessions.data?.data ?? []).filter(
        ({ source_ip, destination_ip }) => source_ip === address || destination_ip === address,
      ),
    [sessions.data, address],
  )
  const mac = lease?.mac ?? device?.mac ?? ''
  const name = lease?.hostname || device?.hostname || ''
  const rates = own.reduce(
    (sum, one) => {
      const isSource = one.source_ip === address
      return {
        in: sum.in + (isSource ? one.bps_in : one.bps_out),
        out: sum.out + (isSource ? one.bps_out : one.bps_in),
      }
    },
    { in: 0, out: 0 },
  )

  const keep = (): void =>
    review.open({
      title: t('Keep {address} for {name}', { address, name: name || mac }),
      calls: [
        {
          endpoint: staticLeases.create,
          body: { enabled: true, ip_address: address, mac: mac.toLowerCase(), comment: name },
          etag: kept?.etag ?? null,
        },
      ],
      reads: [staticLeases.list, listLeases],
    })
  /** Above all other rules, so that no earlier one decides. */
  const draft = async (action: 'accept' | 'drop'): Promise<void> => {
    const { data: rules } = await call(forwardRules.list, { isBackground: true })
    const first = (rules as readonly { readonly id: number }[])[0]
    go.open('policy/rules/forward/new', {
      source: address,
      action,
      ...(first ? { before: String(first.id) } : {}),
      comment: name,
    })
  }
  const mayKeep = mac !== '' && fixed === undefined && lease?.static !== true && leaseEditing.isAllowed
  const act = {
    keep: mayKeep ? keep : null,
    trace: () => go.open('policy/tracer', { p: 'tcp', s: address }),
    block: () => void (ruleEditing.isAllowed ? draft('drop') : undefined),
    allow: () => void (ruleEditing.isAllowed ? draft('accept') : undefined),
  }
  useHostKeys(act)
  const language = currentLanguage()
  return (
    <div className={styles.page}>
      <PageHead
        title={<span className={styles.hostTitle}>{address}</span>}
        lead={
          <PlainText text={[name, user?.name ?? '', device?.vendor ?? ''].filter((one) => one !== '').join(' · ')} />
        }
        status={
          own.length > 0 ? (
            <Chip tone="ok">{t('{count, plural, one {# session} other {# sessions}}', { count: own.length })}</Chip>
          ) : null
        }
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
        {mac !== '' && fixed === undefined && lease?.static !== true ? (
          <Button icon="pin" keys="K" onClick={keep} isDisabled={!leaseEditing.isAllowed} why={leaseEditing.why}>
            {t('Keep the address')}
          </Button>
        ) : null}
        <Button icon="trace" keys="T" onClick={act.trace}>
          {t('Trace')}
        </Button>
        <Button icon="accept" keys="A" onClick={act.allow} isDisabled={!ruleEditing.isAllowed} why={ruleEditing.why}>
          {t('Allow')}
        </Button>
        <Button icon="drop" keys="B" onClick={act.block} isDisabled={!ruleEditing.isAllowed} why={ruleEditing.why}>
          {t('Block')}
        </Button>
      </PageHead>
      <section className={styles.figures} aria-label={t('Now')}>
        <Figure label={t('To the host')} value={printRate(rates.in, language)} />
        <Figure label={t('From the host')} value={printRate(rates.out, language)} />
        <Figure label={t('Sessions')} value={own.length} />
      </section>
      <div className={styles.columns}>
        <Panel title={t('Who it is')}>
          <dl className={styles.facts}>
            <dt>{t('User')}</dt>
            <dd>
              {user ? (
                <>
                  <Link to={`people/users/user.id.${user.user_id}`}>{user.login}</Link> <PlainText text={user.name} />,{' '}
                  <PlainText text={user.group_name} />,{' '}
                  {t('for {time}', { time: printDuration(user.time_online, language) })}
                </>
              ) : (
                <span className={styles.muted}>{t('No user is authorized here.')}</span>
              )}
            </dd>
            <dt>{t('Lease')}</dt>
            <dd>
              {lease ? (
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
              ) : (
                <span className={styles.muted}>{t('No lease of this gateway.')}</span>
              )}
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
            </dd>
          </dl>
        </Panel>
        <HostRules address={address} />
      </div>
      {may('reports') ? (
        <HostSessions address={address} sessions={own} error={sessions.error} isPending={sessions.isPending} />
      ) : null}
      <HostRefusals address={address} every={pause.every} />
    </div>
  )
}
