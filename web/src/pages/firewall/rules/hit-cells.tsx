// Live cells of a rule: hits, the last five minutes as bars, and the last hit. Each listens to its own rule, so that a reading
// draws only what changed on screen.

import { currentLanguage, t } from '../../../words.ts'
import { type CounterStore, useHits } from './counters.ts'
import styles from './hit-cells.module.css'

interface CellProps {
  readonly store: CounterStore
  readonly id: number
}

export function HitsCell({ store, id }: CellProps) {
  const hits = useHits(store, id)
  if (hits === null) return <span className={styles.none}>–</span>
  return (
    <span className={hits.packets === 0 ? styles.none : undefined} title={exact(hits.packets)} data-hits={hits.packets}>
      {short(hits.packets)}
    </span>
  )
}

const height = 16
const width = 5

export function RecentCell({ store, id }: CellProps) {
  const recent = useHits(store, id)?.recent ?? null
  if (recent === null) return null
  const most = Math.max(...recent, 1)
  const sum = recent.reduce((all, count) => all + count, 0)
  const label = t('{count, plural, one {# hit} other {# hits}} in the last five minutes', { count: sum })
  return (
    <svg
      className={styles.spark}
      width={recent.length * width}
      height={height}
      viewBox={`0 0 ${recent.length * width} ${height}`}
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {recent.map((count, at) => {
        const tall = count === 0 ? 1 : Math.max(2, Math.round((count / most) * (height - 2)))
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
            key={at}
            x={at * width}
            y={height - 1 - tall}
            width={width - 2}
            height={tall}
            data-empty={count === 0 ? '' : undefined}
          />
        )
      })}
    </svg>
  )
}

export function LastHitCell({ store, id }: CellProps) {
  const hits = useHits(store, id)
  if (hits === null) return null
  if (hits.lastHit === null) return <span className={styles.none}>{hits.since === null ? '' : t('never')}</span>
  return <span title={new Date(hits.lastHit * 1000).toLocaleString(currentLanguage())}>{ago(hits.lastHit)}</span>
}

const exact = (count: number): string => new Intl.NumberFormat(currentLanguage()).format(count)

const shortFormat = new Map<string, Intl.NumberFormat>()

/** `1.2 M`: at most three figures. */
export function short(count: number): string {
  const language = currentLanguage()
  const known =
    shortFormat.get(language) ?? new Intl.NumberFormat(language, { notation: 'compact', maximumSignificantDigits: 3 })
  shortFormat.set(language, known)
  return count < 10_000 ? exact(count) : known.format(count)
}

/** Short, because it is in a narrow column that changes all the time. */
export function ago(unix: number, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor(now / 1000 - unix))
  if (seconds < 60) return t('{count} s', { count: seconds })
  if (seconds < 3600) return t('{count} min', { count: Math.floor(seconds / 60) })
  if (seconds < 86_400) return t('{count} h', { count: Math.floor(seconds / 3600) })
  return t('{count} d', { count: Math.floor(seconds / 86_400) })
}
