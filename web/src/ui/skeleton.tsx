// Where text will be. It appears after 150 ms, so that quick answers do not flicker.

import { t } from '../words.ts'
import styles from './skeleton.module.css'

export interface SkeletonProps {
  readonly lines: number
  /** The height of one line in pixels. */
  readonly height?: number
}

const widths = ['92%', '76%', '84%', '61%', '88%', '70%']

export function Skeleton({ lines, height = 28 }: SkeletonProps) {
  return (
    <div className={styles.skeleton} role="status" aria-busy="true" aria-label={t('Loading')}>
      {Array.from({ length: lines }, (_, index) => index).map((index) => (
        <div key={index} className={styles.line} style={{ height }}>
          <span style={{ width: widths[index % widths.length] }} />
        </div>
      ))}
    </div>
  )
}
