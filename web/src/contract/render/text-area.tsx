// Text of several lines, such as a zone file or a certificate.

import type { ReactNode } from 'react'
import styles from './form.module.css'

export interface TextAreaProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly id?: string | undefined
  readonly describedBy?: string | undefined
  readonly isInvalid?: boolean | undefined
  readonly isDisabled?: boolean | undefined
  readonly placeholder?: string | undefined
  readonly isCode?: boolean
}

export function TextArea({
  value,
  onChange,
  id,
  describedBy,
  isInvalid = false,
  isDisabled = false,
  placeholder,
  isCode = false,
}: TextAreaProps): ReactNode {
  return (
    <textarea
      id={id}
      className={isCode ? `${styles.area} ${styles.code}` : styles.area}
      dir={isCode ? 'ltr' : 'auto'}
      spellCheck={false}
      rows={Math.min(20, Math.max(4, value.split('\n').length + 1))}
      value={value}
      placeholder={placeholder}
      disabled={isDisabled}
      aria-describedby={describedBy}
      aria-invalid={isInvalid ? true : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
