// What is known of one thing: names and values, below each other on a narrow screen.

import type { ReactNode } from 'react'
import styles from './facts.module.css'

/** Its children are pairs of `dt` and `dd`. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>
}
