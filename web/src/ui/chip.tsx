// A small word: an object, a filter, a mark. With `to` it is a link, with `onRemove` it can be taken away.

import type { ReactNode } from 'react'
import { t } from '../words.ts'
import styles from './chip.module.css'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'

export type ChipTone = 'plain' | 'accent' | 'warn' | 'bad' | 'ok' | 'kept'

export interface ChipProps {
  readonly children: ReactNode
  readonly onRemove?: (() => void) | undefined
  readonly tone?: ChipTone | undefined
  readonly to?: string | undefined
  /** What the remove button names; needed when the children are not a plain text. */
  readonly name?: string | undefined
  readonly title?: string | undefined
}

export function Chip({ children, onRemove, tone = 'plain', to, name, title }: ChipProps) {
  const word =
    to === undefined ? (
      children
    ) : (
      <Link to={to} isQuiet>
        {children}
      </Link>
    )
  const subject = name ?? (typeof children === 'string' ? children : '')
  return (
    <span className={cx(styles.chip, styles[tone], onRemove !== undefined && styles.removable)} title={title}>
      <span className={styles.word}>{word}</span>
      {onRemove === undefined ? null : (
        <button
          type="button"
          className={styles.remove}
          onClick={onRemove}
          aria-label={subject === '' ? t('Remove') : t('Remove {name}', { name: subject })}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </span>
  )
}
