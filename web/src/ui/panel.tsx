// A titled part of a page on its own surface. Panels are never put into panels.

import { type ReactNode, useId } from 'react'
import styles from './panel.module.css'

export interface PanelProps {
  readonly title?: ReactNode
  readonly children: ReactNode
  readonly actions?: ReactNode
  /** For grids and lists that reach the edge. */
  readonly isFlush?: boolean
}

export function Panel({ title, children, actions, isFlush = false }: PanelProps) {
  const id = useId()
  const hasTitle = title !== undefined && title !== null && title !== ''
  return (
    <section className={styles.panel} aria-labelledby={hasTitle ? id : undefined}>
      {hasTitle || actions !== undefined ? (
        <header className={styles.head}>
          {hasTitle ? (
            <h2 id={id} className={styles.title}>
              {title}
            </h2>
          ) : (
            <span />
          )}
          <div className={styles.actions}>{actions}</div>
        </header>
      ) : null}
      <div className={isFlush ? styles.flush : styles.body}>{children}</div>
    </section>
  )
}
