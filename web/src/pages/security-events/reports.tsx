// Reports of security events: over time, and the top signatures, hosts and more of a period. A name leads to its events.

import { eventTimeline, eventTop, type TopKind } from '@gateway/server/contract/security-events'
import { type ReactNode, useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { Bars } from '../../charts/bars.tsx'
import { Chart } from '../../charts/chart.tsx'
import { valueWord } from '../../contract/words.ts'
import type { HandPage } from '../../page.ts'
import { hrefOf, useGo, usePlace } from '../../place.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { printCount } from '../../util/amount.ts'
import { type Period, periodSeconds, periods, periodTitles, readPeriod } from '../../util/report-period.ts'
import { currentLanguage, msg, t } from '../../words.ts'
import { journalSearch } from './choice.ts'
import styles from './reports.module.css'

interface Range {
  readonly from: number
  readonly until: number
}

interface TopPart {
  readonly kind: TopKind
  readonly title: string
  /** Said for events without the value. */
  readonly none: string
  /** Only events that this module found. */
  readonly module?: 'ips' | 'application'
}

const tops: readonly TopPart[] = [
  { kind: 'signatures', title: msg('Top signatures'), none: msg('not known'), module: 'ips' },
  { kind: 'sources', title: msg('Top sources'), none: msg('without an address') },
  { kind: 'destinations', title: msg('Top destinations'), none: msg('without an address') },
  { kind: 'countries', title: msg('Countries of the sources'), none: msg('own networks, or not known') },
  { kind: 'applications', title: msg('Denied applications'), none: msg('not known'), module: 'application' },
  { kind: 'classtypes', title: msg('Groups of signatures'), none: msg('in no group'), module: 'ips' },
  { kind: 'tactics', title: msg('Tactics'), none: msg('without a tactic'), module: 'ips' },
  { kind: 'profiles', title: msg('Profiles'), none: msg('not known') },
  { kind: 'rules', title: msg('Firewall rules'), none: msg('not known') },
]

export function SecurityReports(): ReactNode {
  const place = usePlace()
  const go = useGo()
  const period = readPeriod(place.search)
  // One period for all parts of the page, from whole minutes on, so that they are asked for once.
  const until = Math.ceil(Date.now() / 60_000) * 60
  const range = useMemo(() => ({ from: until - periodSeconds[period], until }), [period, until])
  const results = useRead(eventTop, { query: { kind: 'results', limit: 2, ...range } })
  const total = results.data?.data.total
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Security events')}
        lead={t('What was found in the traffic most often, and where it came from.')}
      >
        <Button icon="log" onClick={() => go.open('monitor/logs/security', { from: period })}>
          {t('All events')}
        </Button>
      </PageHead>
      <div className={styles.bar}>
        <Select
          isCompact
          label={t('Time')}
          value={period}
          onChange={(value) => go.setSearch({ from: value === '-1d' ? null : value })}
          options={periods.map((value) => ({ value, label: t(periodTitles[value]) }))}
        />
        {total ? (
          <span className={styles.figures} role="status">
            {t('{count, plural, one {# event} other {# events}}, {blocked} blocked', {
              count: total.events,
              blocked: printCount(total.blocked, currentLanguage()),
            })}
          </span>
        ) : null}
      </div>
      {results.error ? <ProblemBox failure={results.error} onRetry={() => void results.refetch()} /> : null}
      {total?.events === 0 ? (
        <Empty title={t('Nothing was found in this time')}>
          {t('Traffic is inspected where a firewall rule that accepts it names a profile.')}
        </Empty>
      ) : (
        <>
          <Timeline range={range} />
          <div className={styles.tops}>
            {tops.map((part) => (
              <Top key={part.kind} part={part} period={period} range={range} />
            ))}
          </div>
        </>
      )}
    </div>
  )
}

interface TopProps {
  readonly part: TopPart
  readonly period: Period
  readonly range: Range
}

const onlyOf = (module: TopPart['module']) =>
  module === undefined
    ? {}
    : { filter: [{ items: [{ column_name: 'module' as const, operator: 'equals' as const, value: [module] }] }] }

function Top({ part: { kind, module, ...part }, period, range }: TopProps): ReactNode {
  const { data, error, refetch } = useRead(eventTop, { query: { kind, limit: 10, ...range, ...onlyOf(module) } })
  const title = t(part.title)
  const language = currentLanguage()
  const found = data?.data
  const rows = found?.data ?? []
  // A part that has nothing but events without the value tells nothing.
  if (found && rows.every(({ value }) => value === '')) return null
  return (
    <section className={styles.panel} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {error ? <ProblemBox failure={error} onRetry={() => void refetch()} /> : null}
      {found?.complete === false ? (
        <Bar tone="plain">{t('There were so many different values that small ones may be missing.')}</Bar>
      ) : null}
      <Bars
        label={title}
        rows={rows.map(({ value, title: name, events, blocked }) => ({
          key: value,
          name: value === '' ? t(part.none) : <PlainText text={nameOf(kind, value, name)} limit={80} />,
          value: events,
          text:
            blocked === 0
              ? printCount(events, language)
              : t('{events}, {blocked} blocked', {
                  events: printCount(events, language),
                  blocked: printCount(blocked, language),
                }),
          to: value === '' ? undefined : `monitor/logs/security${searchOf(kind, value, period)}`,
        }))}
      />
    </section>
  )
}

function nameOf(kind: TopKind, value: string, name: string): string {
  if (kind === 'rules') return value.replace('.', ' ').toUpperCase()
  return name === '' ? (kind === 'results' ? t(valueWord(value)) : value) : name
}

const searchOf = (kind: TopKind, value: string, period: Period): string =>
  hrefOf('', journalSearch(kind, value, period)).replace(/^[^?]*/, '')

function Timeline({ range }: { readonly range: Range }): ReactNode {
  const { data, error, refetch } = useRead(eventTimeline, { query: range })
  const steps = data?.data
  const series = useMemo(() => {
    const of = (name: string, key: 'critical' | 'important' | 'warning' | 'blocked') => ({
      name,
      unit: '',
      points: (steps ?? []).map((step) => ({ time: step.from, value: step[key] })),
    })
    return [
      of(t('Critical'), 'critical'),
      of(t('Important'), 'important'),
      of(t('Warning'), 'warning'),
      of(t('Blocked'), 'blocked'),
    ]
  }, [steps])
  if (error) return <ProblemBox failure={error} onRetry={() => void refetch()} still={t('Other pages still work.')} />
  const critical = (steps ?? []).reduce((sum, step) => sum + step.critical, 0)
  return (
    <section className={styles.panel} aria-label={t('Events over time')}>
      <h2 className={styles.title}>{t('Events over time')}</h2>
      <Chart
        series={series}
        label={t('Events over time')}
        summary={t('{count, plural, one {# critical event} other {# critical events}} in this time.', {
          count: critical,
        })}
      />
    </section>
  )
}

export const page: HandPage = { kind: 'hand', Component: SecurityReports }
