// One number that matters, with its unit and what it counts.

import type { ReactNode } from 'react'
import styles from './figure.module.css'
import { Link } from './link.tsx'

export interface FigureProps {
  readonly label: string
  readonly value: ReactNode
  readonly unit?: string | undefined
  readonly to?: string | undefined
}

export function Figure({ label, value, unit, to }: FigureProps) {
  const body = (
    <>
      <span className={styles.label}>{label}</span>
      <span className={styles.line}>
        <span className={styles.value}>{value}</span>
        {unit === undefined ? null : <span className={styles.unit}> {unit}</span>}
      </span>
    </>
  )
  if (to === undefined) return <div className={styles.figure}>{body}</div>
  return (
    <Link to={to} className={`${styles.figure} ${styles.link}`}>
      {body}
    </Link>
  )
}
