// The head of every page: title, state, actions, and the tabs of its siblings.

import type { ReactNode } from 'react'
import styles from './page-head.module.css'

export interface PageHeadProps {
  readonly title: ReactNode
  /** What the page belongs to, above its title. */
  readonly over?: ReactNode
  /** Actions, at the end of the line. */
  readonly children?: ReactNode
  readonly tabs?: ReactNode
  readonly status?: ReactNode
  readonly lead?: ReactNode
}

export function PageHead({ title, over, children, tabs, status, lead }: PageHeadProps) {
  return (
    <header className={styles.head}>
      <div className={styles.line}>
        <div className={styles.words}>
          {over ? <p className={styles.over}>{over}</p> : null}
          <div className={styles.titles}>
            <h1 className={styles.title}>{title}</h1>
            {status}
          </div>
          {lead === undefined || lead === null || lead === '' ? null : <p className={styles.lead}>{lead}</p>}
        </div>
        {children === undefined || children === null ? null : <div className={styles.actions}>{children}</div>}
      </div>
      {tabs}
    </header>
  )
}
