// The largest of something as bars with their names and values: a list first, a drawing second.

import type { ReactNode } from 'react'
import { Link } from '../ui/link.tsx'
import { t } from '../words.ts'
import styles from './bars.module.css'
import { shortNumber } from './scale.ts'

export interface BarRow {
  readonly key: string
  readonly name: ReactNode
  /** More about it, such as the name of a host, in grey. */
  readonly detail?: ReactNode
  readonly value: number
  /** How the value is written; otherwise short, with the unit. */
  readonly text?: string | undefined
  readonly to?: string | undefined
}

export interface BarsProps {
  readonly label: string
  readonly rows: readonly BarRow[]
  readonly unit?: string | undefined
}

export function Bars({ label, rows, unit = '' }: BarsProps) {
  const most = Math.max(...rows.map(({ value }) => value), 0)
  if (rows.length === 0) return <p className={styles.none}>{t('Nothing to show.')}</p>
  return (
    <ol className={styles.bars} aria-label={label}>
      {rows.map((row) => (
        <li key={row.key} className={styles.row}>
          <span className={styles.name}>
            {row.to === undefined ? row.name : <Link to={row.to}>{row.name}</Link>}
            {row.detail === undefined ? null : <span className={styles.detail}>{row.detail}</span>}
          </span>
          <span className={styles.track} aria-hidden="true">
            <span className={styles.bar} style={{ width: `${most > 0 ? (row.value / most) * 100 : 0}%` }} />
          </span>
          <span className={styles.value}>{row.text ?? shortNumber(row.value, unit)}</span>
        </li>
      ))}
    </ol>
  )
}
