// A secret that the gateway never sends back: it shows that one is set, an empty field keeps it, and removing it is an explicit act.

import { useState } from 'react'
import { t } from '../words.ts'
import { Button } from './button.tsx'
import styles from './control.module.css'
import { cx } from './cx.ts'
import { IconButton } from './icon-button.tsx'
import type { InputProps } from './text-input.tsx'

export interface SecretInputProps extends InputProps {
  readonly value: string
  readonly onChange: (value: string) => void
  /** The gateway has one; it comes as `***`. */
  readonly isSet: boolean
  /** Offers to remove the one that is set. */
  readonly onRemove?: (() => void) | undefined
  readonly autoComplete?: string
  readonly maxLength?: number | undefined
}

export function SecretInput({
  value,
  onChange,
  isSet,
  onRemove,
  label,
  id,
  describedBy,
  isInvalid = false,
  isDisabled = false,
  placeholder,
  autoFocus = false,
  onEnter,
  autoComplete = 'new-password',
  maxLength,
}: SecretInputProps) {
  const [isShown, setShown] = useState(false)
  return (
    <div className={styles.group}>
      <div className={styles.group} style={{ flex: 1 }}>
        <input
          id={id}
          type={isShown ? 'text' : 'password'}
          className={cx(styles.control, styles.secret, isShown && styles.mono)}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && onEnter !== undefined && !event.ctrlKey && !event.metaKey) onEnter()
          }}
          disabled={isDisabled}
          placeholder={isSet ? t('Set. Leave empty to keep it') : placeholder}
          maxLength={maxLength}
          autoComplete={autoComplete}
          spellCheck={false}
          aria-label={label}
          aria-describedby={describedBy}
          aria-invalid={isInvalid ? true : undefined}
          // biome-ignore lint/a11y/noAutofocus: the page decides, for the first field of a form that was just opened
          autoFocus={autoFocus}
        />
        <span className={styles.inside}>
          <IconButton
            icon={isShown ? 'hide' : 'show'}
            label={isShown ? t('Hide what is typed') : t('Show what is typed')}
            size="small"
            isDisabled={isDisabled || value === ''}
            onClick={() => setShown(!isShown)}
          />
        </span>
      </div>
      {isSet && onRemove !== undefined ? (
        <Button kind="quiet" onClick={onRemove} isDisabled={isDisabled}>
          {t('Remove')}
        </Button>
      ) : null}
    </div>
  )
}
