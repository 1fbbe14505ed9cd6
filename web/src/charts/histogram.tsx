// How many records there were over time. A drag chooses a range, a click one bucket, and the arrow keys do the same.

import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { t } from '../words.ts'
import { clockOf, momentOf } from './clock.ts'
import styles from './histogram.module.css'
import { bucketAt, rangeOf } from './range.ts'

export interface Bucket {
  /** Unix seconds of its beginning. */
  readonly time: number
  readonly count: number
}

export interface HistogramProps {
  readonly buckets: readonly Bucket[]
  /** In unix seconds, the end not included. */
  readonly onRange: (from: number, until: number) => void
  readonly label?: string | undefined
  readonly height?: number
}

export function Histogram({ buckets, onRange, label, height = 56 }: HistogramProps) {
  const area = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState<{ readonly from: number; readonly to: number } | null>(null)
  const [hover, setHover] = useState<number | null>(null)
  const isPulling = useRef(false)
  const most = Math.max(...buckets.map(({ count }) => count), 1)
  const first = buckets[0]
  const last = buckets.at(-1)
  const span = first === undefined || last === undefined ? 0 : last.time - first.time

  const indexAt = (event: PointerEvent): number => {
    const box = area.current?.getBoundingClientRect()
    return box === undefined ? 0 : bucketAt(event.clientX - box.left, box.width, buckets.length)
  }
  const finish = (from: number, to: number) => {
    isPulling.current = false
    setRange(null)
    const asked = rangeOf(buckets, from, to)
    if (asked !== null) onRange(asked.from, asked.until)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const now = range ?? { from: buckets.length - 1, to: buckets.length - 1 }
    const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
    if (event.key === 'Enter' && range !== null) finish(range.from, range.to)
    else if (event.key === 'Escape' && range !== null) setRange(null)
    else if (step !== 0) {
      const to = Math.max(0, Math.min(buckets.length - 1, now.to + step))
      setRange(event.shiftKey ? { from: now.from, to } : { from: to, to })
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const marked = range === null ? null : [Math.min(range.from, range.to), Math.max(range.from, range.to)]
  const told = range === null ? (hover === null ? undefined : buckets[hover]) : buckets[range.to]
  return (
    <div className={styles.histogram}>
      <div
        ref={area}
        role="slider"
        className={styles.area}
        style={{ height }}
        tabIndex={0}
        aria-label={label ?? t('Records over time. Arrow keys choose, Shift extends, Enter shows the range.')}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, buckets.length - 1)}
        aria-valuenow={range?.to ?? Math.max(0, buckets.length - 1)}
        aria-valuetext={told === undefined ? undefined : `${momentOf(told.time)}: ${told.count}`}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (event.button !== 0 || buckets.length === 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          isPulling.current = true
          setRange({ from: indexAt(event), to: indexAt(event) })
        }}
        onPointerMove={(event) => {
          const index = indexAt(event)
          setHover(index)
          if (isPulling.current) setRange((now) => ({ from: now?.from ?? index, to: index }))
        }}
        onPointerUp={() => {
          if (isPulling.current && range !== null) finish(range.from, range.to)
        }}
        onPointerLeave={() => setHover(null)}
      >
        {buckets.map((bucket, index) => (
          <span
            key={bucket.time}
            className={styles.bar}
            data-in={marked !== null && index >= (marked[0] ?? 0) && index <= (marked[1] ?? 0) ? '' : undefined}
            style={{ height: `${bucket.count === 0 ? 0 : Math.max(4, (bucket.count / most) * 100)}%` }}
          />
        ))}
      </div>
      <div className={styles.foot}>
        <span>{first === undefined ? '' : clockOf(first.time, span)}</span>
        <span className={styles.told}>
          {told === undefined
            ? ''
            : t('{time}: {count, plural, one {# record} other {# records}}', {
                time: momentOf(told.time),
                count: told.count,
              })}
        </span>
        <span>{last === undefined ? '' : clockOf(last.time, span)}</span>
      </div>
    </div>
  )
}
