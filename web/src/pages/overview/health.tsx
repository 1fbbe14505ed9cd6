// Health: every check and every status item, what is not in order first.

import { listStatuses } from '@gateway/server/contract/events'
import { showHealth } from '@gateway/server/contract/health'
import type { ReactNode } from 'react'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { heard, t, told } from '../../words.ts'
import { isStoredOnly, pathOfCheck, reasonOf, subjectOf, titleOfItem } from './attention.ts'
import styles from './overview.module.css'

const rank = { failed: 0, warning: 1, unknown: 2, ok: 3 } as const
const everyMs = 5_000

export function Health(): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  const health = useRead(showHealth, { everyMs })
  const statuses = useRead(listStatuses, { everyMs })
  const needle = (search.q ?? '').toLowerCase()
  const fits = (...texts: readonly string[]): boolean =>
    needle === '' || texts.some((text) => text.toLowerCase().includes(needle))
  const counts = health.data?.data.counts
  const checks = [...(health.data?.data.checks ?? [])]
    .sort((a, b) => rank[a.state] - rank[b.state] || a.title.localeCompare(b.title))
    .filter(({ id, title, message, says }) =>
      fits(id, title, told(says.title, title), message, told(says.message, message)),
    )
  const items = (statuses.data?.data ?? []).flatMap(({ path, items: inside }) => {
    const subject = subjectOf(path)
    return inside
      .filter(({ name, msg }) => fits(t(subject.title), name, heard(titleOfItem(name)), ...msg))
      .map((item) => ({ path, subject, item }))
  })
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Health')}
        lead={t('Everything is looked at every 10 seconds.')}
        status={health.data ? <Status state={health.data.data.state} /> : null}
      />
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        count={
          counts
            ? t('{failed} failed, {warning} warnings, {ok} in order', {
                failed: counts.failed,
                warning: counts.warning,
                ok: counts.ok,
              })
            : undefined
        }
      />
      {health.error ? <ProblemBox failure={health.error} onRetry={() => void health.refetch()} /> : null}
      <Panel title={t('Checks')} isFlush>
        {health.isPending ? <Skeleton lines={8} /> : null}
        {health.data && checks.length === 0 ? <Empty title={t('Nothing fits')} /> : null}
        <ul className={styles.checks}>
          {checks.map(({ id, title, state, since, message, advice, says }) => (
            <li key={id} className={styles.check}>
              <Status state={state} />
              <Link to={pathOfCheck(id)}>{told(says.title, title)}</Link>
              <span>
                <PlainText text={told(says.message, message)} limit={600} />{' '}
                <span className={styles.advice}>
                  <PlainText text={told(says.advice, advice)} limit={400} />
                </span>
              </span>
              <span className={styles.since}>
                <Time unix={since} />
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      {statuses.error ? <ProblemBox failure={statuses.error} onRetry={() => void statuses.refetch()} /> : null}
      <Panel title={t('Engines and services')} isFlush>
        {statuses.isPending ? <Skeleton lines={8} /> : null}
        <ul className={styles.checks}>
          {items.map(({ path, subject, item }) => (
            <li key={`${path} ${item.name}`} className={styles.check}>
              <Status state={isStoredOnly(item) ? 'stored' : item.status} />
              <span>
                <Link to={subject.path}>{t(subject.title)}</Link>{' '}
                <span className={styles.muted}>
                  <PlainText text={heard(titleOfItem(item.name))} limit={60} />
                </span>
              </span>
              <span>
                <PlainText text={reasonOf(item, heard)} limit={600} />
              </span>
              <span />
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  )
}

export const page: HandPage = { kind: 'hand', Component: Health }
