// One line of text.

import type { Ref } from 'react'
import styles from './control.module.css'
import { cx } from './cx.ts'

export interface InputProps {
  readonly label?: string | undefined
  readonly id?: string | undefined
  readonly describedBy?: string | undefined
  readonly isInvalid?: boolean | undefined
  readonly isDisabled?: boolean | undefined
  readonly placeholder?: string | undefined
  readonly autoFocus?: boolean | undefined
  readonly onEnter?: (() => void) | undefined
}

export interface TextInputProps extends InputProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isMono?: boolean | undefined
  readonly maxLength?: number | undefined
  readonly type?: 'text' | 'password' | 'search'
  readonly autoComplete?: string
  readonly name?: string | undefined
  readonly ref?: Ref<HTMLInputElement>
}

export function TextInput({
  value,
  onChange,
  label,
  id,
  describedBy,
  isInvalid = false,
  isDisabled = false,
  placeholder,
  isMono = false,
  maxLength,
  autoFocus = false,
  onEnter,
  type = 'text',
  autoComplete = 'off',
  name,
  ref,
}: TextInputProps) {
  return (
    <input
      ref={ref}
      id={id}
      type={type}
      name={name}
      dir={isMono ? 'ltr' : 'auto'}
      className={cx(styles.control, isMono && styles.mono)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || onEnter === undefined || event.nativeEvent.isComposing) return
        if (event.ctrlKey || event.metaKey || event.altKey) return
        event.preventDefault()
        onEnter()
      }}
      disabled={isDisabled}
      placeholder={placeholder}
      maxLength={maxLength}
      autoComplete={autoComplete}
      autoCapitalize="off"
      spellCheck={false}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isInvalid ? true : undefined}
      // biome-ignore lint/a11y/noAutofocus: the page decides, for the first field of a form that was just opened
      autoFocus={autoFocus}
    />
  )
}
