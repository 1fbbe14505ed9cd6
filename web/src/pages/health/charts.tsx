// Numbers of the gateway over time: processors, memory, connections, people, interfaces and disks.

import { showCharts } from '@gateway/server/contract/health'
import { type ReactNode, useMemo } from 'react'
import { useRead } from '../../api/reads.ts'
import { Chart } from '../../charts/chart.tsx'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useKept } from '../../ui/use-kept.ts'
import { msg, t } from '../../words.ts'
import styles from './health.module.css'
import { chartParts } from './series.ts'

const groups = {
  interfaces: msg('Interfaces'),
  cpu: msg('Processors'),
  memory: msg('Memory'),
  load: msg('Load'),
  connections: msg('Tracked connections'),
  users: msg('Users'),
  sessions: msg('Administrators'),
  disks: msg('Disks'),
} as const
type Group = keyof typeof groups

const spans = {
  '-1h': 3_600,
  '-2h': 7_200,
  '-1d': 86_400,
  '-7d': 604_800,
  '-30d': 2_592_000,
  '-90d': 7_776_000,
} as const
type Span = keyof typeof spans

const spanTitles: Readonly<Record<Span, string>> = {
  '-1h': msg('Last hour'),
  '-2h': msg('Last 2 hours'),
  '-1d': msg('Last day'),
  '-7d': msg('Last 7 days'),
  '-30d': msg('Last 30 days'),
  '-90d': msg('Last 90 days'),
}

const everyMs = 10_000

export function Charts(): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  const group = (Object.hasOwn(groups, search.group ?? '') ? search.group : 'interfaces') as Group
  const span = (Object.hasOwn(spans, search.from ?? '') ? search.from : '-2h') as Span
  // Rounded to the step, so that the address of the read changes only with it.
  const step = span === '-1h' || span === '-2h' ? 10 : 600
  const from = Math.floor(Date.now() / 1_000 / step) * step - spans[span]
  const charts = useRead(showCharts, { query: { group, ...(span === '-2h' ? {} : { from }) }, everyMs })
  const data = useKept(charts.data)?.data
  const parts = useMemo(() => (data ? chartParts(data) : []), [data])
  return (
    <div className={styles.stack}>
      <PageHead title={t('Charts')} lead={t('Steps of 10 seconds are kept for 2 hours, coarser ones for 90 days.')}>
        <Select
          isCompact
          label={t('Time')}
          value={span}
          onChange={(value) => go.setSearch({ from: value === '-2h' ? null : value })}
          options={Object.entries(spanTitles).map(([value, label]) => ({ value, label: t(label) }))}
        />
      </PageHead>
      <Tabs
        tabs={Object.entries(groups).map(([id, title]) => ({ id, title: t(title) }))}
        active={group}
        onChange={(id) => go.setSearch({ group: id === 'interfaces' ? null : id })}
        label={t('Charts')}
      />
      {charts.error ? <ProblemBox failure={charts.error} onRetry={() => void charts.refetch()} /> : null}
      {charts.isPending && !data ? <Skeleton lines={8} /> : null}
      {charts.data && parts.length === 0 ? (
        <Empty title={t('There are no numbers yet')}>
          {t('The first ones come within half a minute after the start.')}
        </Empty>
      ) : null}
      <div className={styles.charts}>
        {parts.map(({ name, series }) => (
          <Panel key={name} title={name === '' ? t(groups[group]) : name}>
            <Chart
              label={name === '' ? t(groups[group]) : name}
              summary={t('{count, plural, one {# line} other {# lines}} over time.', { count: series.length })}
              series={series}
              height={200}
              onTime={(unix) => go.open('monitor/logs/system', { from: String(unix - 60), until: String(unix + 60) })}
            />
          </Panel>
        ))}
      </div>
    </div>
  )
}

export const page: HandPage = { kind: 'hand', Component: Charts }
