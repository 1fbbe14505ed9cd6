// Lines over time. The drawing is loaded when a chart is first shown; every chart has a sentence and a table that say the same.

import { lazy, Suspense, useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { loadCode } from '../ui/load-code.ts'
import { t } from '../words.ts'
import { align, lastValue } from './align.ts'
import styles from './chart.module.css'
import { momentOf } from './clock.ts'
import { shortNumber } from './scale.ts'
import type { Series } from './types.ts'

export type { Point, Series } from './types.ts'

const Plot = lazy(() => loadCode(() => import('./plot.tsx')).then((code) => ({ default: code.Plot })))

/** More lines than this cannot be told apart. */
const mostSeries = 6
const tableRows = 200

export interface ChartProps {
  readonly series: readonly Series[]
  readonly label: string
  /** One sentence for those who do not see the lines. */
  readonly summary: string
  /** A click on a moment, in unix seconds. */
  readonly onTime?: ((unix: number) => void) | undefined
  readonly height?: number
}

export function Chart({ series, label, summary, onTime, height = 180 }: ChartProps) {
  const [isTable, setTable] = useState(false)
  const shown = useMemo(() => series.slice(0, mostSeries), [series])
  const data = useMemo(() => align(shown), [shown])
  return (
    <figure className={styles.chart} aria-label={label}>
      <div className={styles.head}>
        <ul className={styles.names}>
          {shown.map((one, index) => {
            const last = lastValue(data.values[index] ?? [])
            return (
              <li key={one.name} className={styles.name}>
                <span className={styles.swatch} data-series={index + 1} />
                {one.name}
                <span className={styles.value}>{last === null ? '–' : shortNumber(last, one.unit)}</span>
              </li>
            )
          })}
        </ul>
        <Button kind="quiet" size="small" onClick={() => setTable(!isTable)} isPressed={isTable}>
          {t('As table')}
        </Button>
      </div>
      <figcaption className="visually-hidden">{summary}</figcaption>
      {isTable ? (
        <div className={styles.table} style={{ height }}>
          <Table series={shown} data={data} label={label} />
        </div>
      ) : (
        <div className={styles.plot} style={{ height }} aria-hidden="true">
          {data.times.length === 0 ? (
            <p className={styles.none}>{t('No measurements yet.')}</p>
          ) : (
            <Suspense fallback={null}>
              <Plot series={shown} data={data} height={height} onTime={onTime} />
            </Suspense>
          )}
        </div>
      )}
    </figure>
  )
}

interface TableProps {
  readonly series: readonly Series[]
  readonly data: ReturnType<typeof align>
  readonly label: string
}

function Table({ series, data, label }: TableProps) {
  const newest = data.times
    .map((time, index) => ({ time, index }))
    .slice(-tableRows)
    .toReversed()
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t('Time')}</th>
          {series.map((one) => (
            <th key={one.name} scope="col">
              {one.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {newest.map(({ time, index }) => (
          <tr key={time}>
            <th scope="row">{momentOf(time)}</th>
            {series.map((one, column) => {
              const value = data.values[column]?.[index] ?? null
              return <td key={one.name}>{value === null ? '–' : shortNumber(value, one.unit)}</td>
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
