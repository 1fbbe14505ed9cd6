// A line across the page or the screen that tells a state and offers what to do about it.

import type { ReactNode } from 'react'
import styles from './bar.module.css'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { StatusMark } from './status.tsx'

export type BarTone = 'plain' | 'warn' | 'bad' | 'accent' | 'kept'

export interface BarProps {
  readonly tone: BarTone
  readonly children: ReactNode
  readonly actions?: ReactNode
}

const marks: Readonly<Record<Exclude<BarTone, 'kept'>, IconName>> = {
  plain: 'info',
  warn: 'warning',
  bad: 'error',
  accent: 'timer',
}

export function Bar({ tone, children, actions }: BarProps) {
  return (
    <div className={cx(styles.bar, styles[tone])} role={tone === 'bad' ? 'alert' : 'status'}>
      <span className={styles.mark}>
        {tone === 'kept' ? <StatusMark state="stored" /> : <Icon name={marks[tone]} />}
      </span>
      <div className={styles.words}>{children}</div>
      {actions === undefined || actions === null ? null : <div className={styles.actions}>{actions}</div>}
    </div>
  )
}
