// What needs the administrator, first on the dashboard: the failed parts with their reasons, and quietly what is only stored.

import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { t, told } from '../../words.ts'
import type { Attention, Need } from './attention.ts'
import styles from './overview.module.css'

/** The log of the minutes around the failure. */
export const logSearch = (since: number | null): Record<string, string> =>
  since === null ? { from: '-1h' } : { from: String(since - 300), until: String(since + 300) }

/** What was changed in the hour before it. */
export const changeSearch = (since: number | null): Record<string, string> =>
  since === null ? {} : { from: String(since - 3_600), until: String(since + 60) }

interface NeedsProps {
  readonly attention: Attention
  readonly mayReadLogs: boolean
  readonly onLookAgain: () => void
}

export function Needs({ attention: { needs, stored }, mayReadLogs, onLookAgain }: NeedsProps): ReactNode {
  if (needs.length === 0 && stored.length === 0) return null
  return (
    <section aria-label={t('What needs attention')}>
      <ul className={styles.needs}>
        {needs.map((need) => (
          <NeedRow key={need.key} need={need} mayReadLogs={mayReadLogs} onLookAgain={onLookAgain} />
        ))}
        {stored.length === 0 ? null : (
          <li className={styles.quiet}>
            <details>
              <summary>
                <Status state="stored">
                  {t('{count, plural, one {# part is} other {# parts are}} stored and not applied', {
                    count: stored.length,
                  })}
                </Status>
              </summary>
              <dl className={styles.quietList}>
                {stored.map(({ key, title, message, path }) => (
                  <div key={key} style={{ display: 'contents' }}>
                    <dt>
                      <Link to={path}>{title}</Link>
                    </dt>
                    <dd lang="en">
                      <PlainText text={message} />
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          </li>
        )}
      </ul>
    </section>
  )
}

interface NeedRowProps extends Pick<NeedsProps, 'mayReadLogs' | 'onLookAgain'> {
  readonly need: Need
}

function NeedRow({ need, mayReadLogs, onLookAgain }: NeedRowProps): ReactNode {
  return (
    <li className={styles.need} data-state={need.state}>
      <span>
        <Status state={need.state}>
          <Link to={need.path} className={styles.needTitle}>
            {told(need.says?.title, need.title)}
          </Link>
        </Status>
      </span>
      <span className={styles.needWords}>
        <PlainText text={told(need.says?.message, need.message)} limit={600} />{' '}
        {need.advice === '' ? null : (
          <span className={styles.advice}>
            <PlainText text={told(need.says?.advice, need.advice)} limit={400} />
          </span>
        )}
        {need.since === null ? null : (
          <span className={styles.since}>
            {' '}
            {t('Began')} <Time unix={need.since} />
          </span>
        )}
      </span>
      <span className={styles.needActions}>
        {mayReadLogs ? (
          <Chip to={`monitor/logs/system?${new URLSearchParams(logSearch(need.since))}`}>{t('Log')}</Chip>
        ) : null}
        <Chip to={`system/history?${new URLSearchParams(changeSearch(need.since))}`}>{t('What changed')}</Chip>
        <Button size="small" kind="quiet" icon="refresh" onClick={onLookAgain}>
          {t('Look again')}
        </Button>
      </span>
    </li>
  )
}
