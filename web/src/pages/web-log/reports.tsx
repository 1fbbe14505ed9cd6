// Reports of web traffic: over time, and the top sites, users and categories of a period. A name leads to its requests.

import { categories } from '@gateway/server/contract/content-filter'
import { type Measure, measures, type TopKind, webTimeline, webTop } from '@gateway/server/contract/web-log'
import { type ReactNode, useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { useSession } from '../../api/session.ts'
import { Bars } from '../../charts/bars.tsx'
import { Chart } from '../../charts/chart.tsx'
import type { HandPage } from '../../page.ts'
import { hrefOf, useGo, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { printBytes, printCount } from '../../util/amount.ts'
import { type Period, periodSeconds, periods, periodTitles } from '../../util/report-period.ts'
import { printDuration } from '../../util/time.ts'
import { currentLanguage, msg, t } from '../../words.ts'
import { journalSearch, readChoice } from './choice.ts'
import styles from './reports.module.css'

const measureTitles: Readonly<Record<Measure, string>> = {
  requests: msg('By requests'),
  bytes: msg('By bytes'),
  time: msg('By time'),
}

interface Amounts {
  readonly requests: number
  readonly bytes_received: number
  readonly duration_ms: number
}

const sizeOf = (by: Measure, amounts: Amounts): number =>
  by === 'requests' ? amounts.requests : by === 'bytes' ? amounts.bytes_received : amounts.duration_ms

function printSize(by: Measure, amounts: Amounts): string {
  const language = currentLanguage()
  if (by === 'bytes') return printBytes(amounts.bytes_received, language)
  if (by === 'time') return printDuration(Math.round(amounts.duration_ms / 1_000), language)
  return printCount(amounts.requests, language)
}

export function WebReports(): ReactNode {
  const place = usePlace()
  const go = useGo()
  const { may } = useSession()
  const { period, by } = readChoice(place.search)
  // One period for all parts of the page, from whole minutes on, so that they are asked for once.
  const until = Math.ceil(Date.now() / 60_000) * 60
  const range = useMemo(() => ({ from: until - periodSeconds[period], until }), [period, until])
  const sites = useRead(webTop, { query: { kind: 'sites', by, limit: 15, ...range } })
  const users = useRead(webTop, { query: { kind: 'users', by, limit: 15, ...range } })
  const topics = useRead(webTop, { query: { kind: 'categories', by, limit: 15, ...range } })
  const { data: known } = useRead(categories.list, { isEnabled: may('view') })
  const names = useMemo(() => new Map(known?.data.map(({ id, name }) => [id, name])), [known])
  const language = currentLanguage()
  const total = sites.data?.data.total
  const failed = [sites, users, topics].find(({ error }) => error)
  const shared = { period, by }
  return (
    <div className={styles.page}>
      <PageHead title={t('Web traffic')} lead={t('Who used which sites, from the web traffic journal.')} />
      <div className={styles.bar}>
        <Select
          isCompact
          label={t('Time')}
          value={period}
          onChange={(value) => go.setSearch({ from: value === '-1d' ? null : value })}
          options={periods.map((value) => ({ value, label: t(periodTitles[value]) }))}
        />
        <Select
          isCompact
          label={t('Order')}
          value={by}
          onChange={(value) => go.setSearch({ by: value === 'requests' ? null : value })}
          options={measures.map((value) => ({ value, label: t(measureTitles[value]) }))}
        />
        {total ? (
          <span className={styles.figures} role="status">
            {t('{count, plural, one {# request} other {# requests}}, {bytes} received', {
              count: total.requests,
              bytes: printBytes(total.bytes_received, language),
            })}
          </span>
        ) : null}
      </div>
      {failed?.error ? (
        <ProblemBox failure={failed.error} onRetry={() => void failed.refetch()} still={t('Other pages still work.')} />
      ) : null}
      {sites.data?.data.complete === false ? (
        <Bar tone="plain">{t('There were so many different sites that small ones may be missing.')}</Bar>
      ) : null}
      {total?.requests === 0 ? (
        <Empty title={t('No web request was recorded in this time')}>
          {t('Requests are recorded while the content filter or the direct proxy is on and logging is not off.')}
        </Empty>
      ) : (
        <>
          <Timeline range={range} />
          <div className={styles.tops}>
            <Top {...shared} kind="sites" title={t('Top sites')} rows={sites.data?.data.data ?? []} />
            <Top {...shared} kind="users" title={t('Top users')} rows={users.data?.data.data ?? []} />
            <Top
              {...shared}
              kind="categories"
              title={t('Top categories')}
              rows={topics.data?.data.data ?? []}
              nameOf={(id) => names.get(id) ?? id}
            />
          </div>
        </>
      )}
    </div>
  )
}

interface TopProps {
  readonly kind: TopKind
  readonly period: Period
  readonly by: Measure
  readonly title: string
  readonly rows: readonly (Amounts & { readonly value: string })[]
  readonly nameOf?: (value: string) => string
}

function Top({ kind, period, by, title, rows, nameOf = (value) => value }: TopProps): ReactNode {
  return (
    <section className={styles.panel} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      <Bars
        label={title}
        rows={rows.map((row) => ({
          key: row.value,
          name: row.value === '' ? withoutName(kind) : <PlainText text={nameOf(row.value)} limit={80} />,
          value: sizeOf(by, row),
          text: printSize(by, row),
          to: row.value === '' ? undefined : `monitor/logs/web${searchOf(kind, row.value, period)}`,
        }))}
      />
    </section>
  )
}

const withoutName = (kind: TopKind): string => (kind === 'users' ? t('without a user') : t('in no category'))

const searchOf = (kind: TopKind, value: string, period: Period): string =>
  hrefOf('', journalSearch(kind, value, period)).replace(/^[^?]*/, '')

interface TimelineProps {
  readonly range: { readonly from: number; readonly until: number }
}

function Timeline({ range }: TimelineProps): ReactNode {
  const { data, error, refetch } = useRead(webTimeline, { query: range })
  const steps = data?.data
  const series = useMemo(() => {
    const of = (name: string, key: 'allowed' | 'decrypted' | 'denied' | 'redirected') => ({
      name,
      unit: '',
      points: (steps ?? []).map((step) => ({ time: step.from, value: step[key] })),
    })
    return [
      of(t('Allowed'), 'allowed'),
      of(t('Decrypted'), 'decrypted'),
      of(t('Redirected'), 'redirected'),
      of(t('Denied'), 'denied'),
    ]
  }, [steps])
  if (error) return <ProblemBox failure={error} onRetry={() => void refetch()} still={t('Other pages still work.')} />
  const denied = (steps ?? []).reduce((sum, step) => sum + step.denied, 0)
  return (
    <section className={styles.panel} aria-label={t('Requests over time')}>
      <h2 className={styles.title}>{t('Requests over time')}</h2>
      <Chart
        series={series}
        label={t('Requests over time')}
        summary={t('{count, plural, one {# request was denied} other {# requests were denied}} in this time.', {
          count: denied,
        })}
      />
    </section>
  )
}

export const page: HandPage = { kind: 'hand', Component: WebReports }
