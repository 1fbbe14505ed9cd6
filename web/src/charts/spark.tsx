// A tiny course of numbers beside its value, for a cell of a grid.

import styles from './spark.module.css'
import { sparkPath } from './spark-path.ts'

export interface SparkProps {
  readonly values: readonly (number | null)[]
  /** Says what it shows; without it the number beside it says enough. */
  readonly label?: string | undefined
  readonly width?: number
  readonly height?: number
}

export function Spark({ values, label, width = 56, height = 16 }: SparkProps) {
  const path = sparkPath(values, width, height)
  const drawing = path === '' ? null : <path d={path} />
  if (label === undefined) {
    return (
      <svg className={styles.spark} width={width} height={height} aria-hidden="true">
        {drawing}
      </svg>
    )
  }
  return (
    <svg className={styles.spark} width={width} height={height} role="img" aria-label={label}>
      {drawing}
    </svg>
  )
}
