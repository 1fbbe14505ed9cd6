// What a place is for while there is nothing in it, with one thing that can be done about it.

import type { ReactNode } from 'react'
import styles from './empty.module.css'

export interface EmptyProps {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children === undefined || children === null ? null : <div className={styles.text}>{children}</div>}
      {action === undefined || action === null ? null : <div className={styles.action}>{action}</div>}
    </div>
  )
}
