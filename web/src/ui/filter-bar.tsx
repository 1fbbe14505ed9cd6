// The line over a list: text to filter by, what is filtered as chips, how many are left. The key `/` goes to its field.

import { type ReactNode, useRef } from 'react'
import { t } from '../words.ts'
import { Chip } from './chip.tsx'
import styles from './filter-bar.module.css'
import { Icon } from './icon.tsx'
import { Keys } from './keys.tsx'
import { PlainText } from './plain-text.tsx'

export interface FilterBarProps {
  readonly text: string
  readonly onText: (text: string) => void
  readonly chips?: readonly { readonly id: string; readonly label: string; readonly onRemove: () => void }[] | undefined
  /** More controls, at the end of the line. */
  readonly children?: ReactNode
  readonly count?: string | undefined
  readonly label?: string | undefined
  readonly placeholder?: string | undefined
}

export function FilterBar({ text, onText, chips = [], children, count, label, placeholder }: FilterBarProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <search className={styles.bar}>
      <div className={styles.search}>
        <span className={styles.icon}>
          <Icon name="search" size={14} />
        </span>
        <input
          ref={input}
          type="search"
          className={styles.input}
          data-filter=""
          dir="auto"
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || text === '') return
            event.stopPropagation()
            onText('')
          }}
          placeholder={placeholder ?? t('Filter')}
          aria-label={label ?? t('Filter')}
          aria-keyshortcuts="/"
          spellCheck={false}
          autoComplete="off"
        />
        {text === '' ? (
          <span className={styles.key}>
            <Keys keys="/" />
          </span>
        ) : (
          <button
            type="button"
            className={styles.clear}
            aria-label={t('Clear the filter')}
            onClick={() => {
              onText('')
              input.current?.focus()
            }}
          >
            <Icon name="close" size={14} />
          </button>
        )}
      </div>
      {chips.map((chip) => (
        <Chip key={chip.id} name={chip.label} onRemove={chip.onRemove} tone="accent">
          <PlainText text={chip.label} limit={120} />
        </Chip>
      ))}
      {count === undefined ? null : (
        <span className={styles.count} role="status">
          {count}
        </span>
      )}
      {children === undefined || children === null ? null : <div className={styles.more}>{children}</div>}
    </search>
  )
}
