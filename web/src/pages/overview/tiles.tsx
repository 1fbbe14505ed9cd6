// The tiles of the dashboard. Each reads for itself and only where the role may; each value leads to its page.

import { listSessions } from '@gateway/server/contract/authorization'
import { backupStatus, backups } from '@gateway/server/contract/backup'
import { entries, listLeases } from '@gateway/server/contract/dhcp'
import { showCharts } from '@gateway/server/contract/health'
import { showLicence } from '@gateway/server/contract/licence'
import { traffic, trafficJournal } from '@gateway/server/contract/monitor'
import { showStates } from '@gateway/server/contract/network'
import { type ReactNode, useMemo } from 'react'
import { useHappenings, useStatus } from '../../api/events.ts'
import { useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { useSession } from '../../api/session.ts'
import { Chart } from '../../charts/chart.tsx'
import { useGo } from '../../place.ts'
import { Empty } from '../../ui/empty.tsx'
import { Figure } from '../../ui/figure.tsx'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { useKept } from '../../ui/use-kept.ts'
import { printCount, printRate } from '../../util/amount.ts'
import { sayRule, tableNamed } from '../../util/rule-numbers.ts'
import { unixToStamp } from '../../util/time.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './overview.module.css'
import { lastValue, mostFrequent, outerDevices, roomOf, sumRates } from './traffic.ts'

const nowSeconds = (): number => Math.floor(Date.now() / 1_000)

export function TrafficTile({ every }: { readonly every: (ms: number) => { readonly everyMs?: number } }): ReactNode {
  const go = useGo()
  const { data: states } = useRead(showStates, every(30_000))
  const { data, error, refetch } = useRead(showCharts, { query: { group: 'interfaces' }, ...every(10_000) })
  const language = currentLanguage()
  const [down, up] = useMemo(() => {
    if (!data) return [[], []]
    const devices = outerDevices(states?.data ?? [], data.data)
    const begin = nowSeconds() - 1_800
    const recent = (field: 'bytes_in' | 'bytes_out') =>
      sumRates(data.data, devices, field).filter(({ time }) => time >= begin)
    return [recent('bytes_in'), recent('bytes_out')]
  }, [data, states])
  const [nowIn, nowOut] = [lastValue(down), lastValue(up)]
  const words = (bits: number | null): string => (bits === null ? '–' : printRate(bits / 8, language))
  return (
    <Panel title={t('Traffic')} actions={<Link to="overview/charts">{t('Charts')}</Link>}>
      {error && !data ? <ProblemBox failure={error} onRetry={() => void refetch()} /> : null}
      <div className={styles.rates}>
        <span className={styles.rate}>
          <span className={styles.rateLabel}>{t('In')}</span>
          <span className={styles.rateValue}>{words(nowIn)}</span>
        </span>
        <span className={styles.rate}>
          <span className={styles.rateLabel}>{t('Out')}</span>
          <span className={styles.rateValue}>{words(nowOut)}</span>
        </span>
      </div>
      {data ? (
        <Chart
          label={t('Traffic of the last half hour')}
          summary={t('Now {in} in and {out} out.', { in: words(nowIn), out: words(nowOut) })}
          series={[
            { name: t('In'), unit: 'bit/s', points: down },
            { name: t('Out'), unit: 'bit/s', points: up },
          ]}
          onTime={(unix) => go.open('monitor/logs/traffic', { from: String(unix - 60), until: String(unix + 60) })}
        />
      ) : (
        <Skeleton lines={5} />
      )}
    </Panel>
  )
}

/** Who uses an address: the user who is signed in there, or the name of its lease. */
export function useNames(): (address: string) => string {
  const { may } = useSession()
  const isEnabled = may('view')
  const { data: sessions } = useRead(listSessions, { isEnabled, everyMs: 30_000 })
  const { data: leases } = useRead(listLeases, { isEnabled, everyMs: 30_000 })
  return useMemo(() => {
    const names = new Map<string, string>()
    for (const { ip_address, hostname } of leases?.data ?? []) if (hostname !== '') names.set(ip_address, hostname)
    for (const { ip, login } of sessions?.data ?? []) names.set(ip, login)
    return (address: string) => names.get(address) ?? ''
  }, [sessions, leases])
}

const mostSources = 7

export function SourcesTile({ every }: { readonly every: (ms: number) => { readonly everyMs?: number } }): ReactNode {
  const { data, error, refetch } = useRead(traffic.sources, {
    query: { limit: 100 } as never,
    ...every(5_000),
  })
  const nameOf = useNames()
  const { may } = useSession()
  const rows = [...(data?.data ?? [])].sort((a, b) => b.bps_in + b.bps_out - a.bps_in - a.bps_out).slice(0, mostSources)
  const most = Math.max(1, ...rows.map((row) => row.bps_in + row.bps_out))
  const language = currentLanguage()
  return (
    <Panel title={t('Top sources now')} actions={<Link to="monitor/traffic/sources">{t('All')}</Link>}>
      {error && !data ? <ProblemBox failure={error} onRetry={() => void refetch()} /> : null}
      {data && rows.length === 0 ? <Empty title={t('No connection passes through the gateway now')} /> : null}
      {!data && !error ? <Skeleton lines={6} /> : null}
      <ol className={styles.tops}>
        {rows.map(({ source_ip, bps_in, bps_out, sessions }) => (
          <li key={source_ip} className={styles.top}>
            <span className={styles.topName}>
              {may('view') ? (
                <Link to={`overview/host/${source_ip}`} className={styles.mono}>
                  {source_ip}
                </Link>
              ) : (
                <span className={styles.mono}>{source_ip}</span>
              )}
              <span className={styles.topWho}>
                <PlainText text={nameOf(source_ip)} limit={40} />
              </span>
            </span>
            <span
              className={styles.topRate}
              title={t('{count, plural, one {# session} other {# sessions}}', { count: sessions })}
            >
              {printRate(bps_in + bps_out, language)}
            </span>
            <span className={styles.topBar} style={{ inlineSize: `${((bps_in + bps_out) / most) * 100}%` }} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** Counted by the traffic journal; every role that may read reports may ask it. */
function useRefused(every: (ms: number) => { readonly everyMs?: number }) {
  const { timeZone } = useSession()
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  // Rounded, so that the address of the read stays the same for a while.
  const from = Math.floor(nowSeconds() / 30) * 30 - 300
  const query = {
    filter: [
      {
        items: [
          { column_name: 'date_time', operator: 'greater_equal', value: [unixToStamp(from, zone)] },
          { column_name: 'result', operator: 'equals', value: ['drop'] },
        ],
      },
    ],
    limit: 200,
  }
  return useRead(trafficJournal, { query: query as never, ...every(15_000) })
}

export function Figures({ every }: { readonly every: (ms: number) => { readonly everyMs?: number } }): ReactNode {
  const { may } = useSession()
  return (
    <section className={styles.figures} aria-label={t('Numbers')}>
      {may('reports') ? <RefusedFigure every={every} /> : null}
      {may('view') ? (
        <>
          <MachineFigures every={every} />
          <LeaseFigure every={every} />
          <PeopleFigure />
          <BackupFigure />
          <LicenceFigure />
        </>
      ) : null}
    </section>
  )
}

function RefusedFigure({ every }: { readonly every: (ms: number) => { readonly everyMs?: number } }): ReactNode {
  const data = useKept(useRefused(every).data)
  const rows = data?.data.data ?? []
  const total = data?.data.rows_before_limit_at_least ?? 0
  const most = mostFrequent(
    rows.filter(({ rule_id }) => rule_id > 0).map(({ table, rule_id }) => `${table.toUpperCase()} ${rule_id}`),
  )
  const [table = '', id = ''] = most?.value.split(' ') ?? []
  const known = tableNamed(table)
  const numberOf = useRuleNumbers(known === null ? [] : [known])
  return (
    <Figure
      label={
        most ? t('Refused in 5 min, most by {rule}', { rule: sayRule(table, id, numberOf) }) : t('Refused in 5 min')
      }
      value={data ? printCount(total, currentLanguage()) : '–'}
      to={refusedPage}
    />
  )
}

const refusedPage = 'monitor/logs/traffic?from=-5m&result=drop'

function MachineFigures({ every }: { readonly every: (ms: number) => { readonly everyMs?: number } }): ReactNode {
  const { data: disks } = useRead(showCharts, { query: { group: 'disks' }, ...every(60_000) })
  const { data: load } = useRead(showCharts, { query: { group: 'load' }, ...every(10_000) })
  const last = (reply: typeof disks, name: string): number | null =>
    reply?.data.series.find((one) => one.name === name)?.points.at(-1)?.avg ?? null
  const [used, total] = [last(disks, 'state/used'), last(disks, 'state/total')]
  const minute = last(load, '1_minutes')
  const number = new Intl.NumberFormat(currentLanguage(), { maximumFractionDigits: 1 })
  return (
    <>
      <Figure
        label={t('Disk')}
        value={used !== null && total ? number.format((used / total) * 100) : '–'}
        unit="%"
        to="overview/charts?group=disks"
      />
      <Figure label={t('Load')} value={minute === null ? '–' : number.format(minute)} to="overview/charts?group=load" />
    </>
  )
}

function LeaseFigure({ every }: { readonly every: (ms: number) => { readonly everyMs?: number } }): ReactNode {
  const { data: leases } = useRead(listLeases, every(30_000))
  const { data: settings } = useRead(entries.list)
  const room = roomOf((settings?.data ?? []).flatMap(({ enabled, server }) => (enabled && server ? server.ranges : [])))
  return (
    <Figure
      label={t('Leases')}
      value={leases ? leases.data.length : '–'}
      {...(room > 0 ? { unit: `/ ${room}` } : {})}
      to="network/dhcp/leases"
    />
  )
}

function PeopleFigure(): ReactNode {
  const { sessions } = useHappenings()
  return <Figure label={t('Users online')} value={sessions?.users ?? '–'} to="people/sessions" />
}

function BackupFigure(): ReactNode {
  const { data } = useRead(backups.list, { everyMs: 60_000 })
  const items = useStatus(backupStatus.path)
  const isFailed = items.some(({ status }) => status === 'failed')
  const [newest] = data?.data ?? []
  const value = newest ? (
    <span className={styles.figureText}>
      <Time unix={newest.timestamp} />
    </span>
  ) : data ? (
    t('none')
  ) : (
    '–'
  )
  return (
    <Figure label={isFailed ? t('Backup failed, the last one') : t('Last backup')} value={value} to="system/backups" />
  )
}

function LicenceFigure(): ReactNode {
  const { data } = useRead(showLicence)
  const general = data?.data.general
  if (!data) return null
  if (!data.data.registered || !general) return <Figure label={t('Licence')} value={t('none')} to="system/licence" />
  const days = Math.floor((general.expiration_date - nowSeconds()) / 86_400)
  return general.expiration_date > 0 ? (
    <Figure label={t('Licence, days left')} value={printCount(days, currentLanguage())} to="system/licence" />
  ) : (
    <Figure label={t('Licence')} value={t('valid')} to="system/licence" />
  )
}
