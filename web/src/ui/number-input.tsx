// A whole or broken number, or nothing. A value out of range stays as typed: the check beside the field says what is wrong.

import { NumberField } from '@base-ui/react/number-field'
import styles from './control.module.css'
import { cx } from './cx.ts'
import type { InputProps } from './text-input.tsx'

export interface NumberInputProps extends InputProps {
  readonly value: number | null
  readonly onChange: (value: number | null) => void
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly step?: number | undefined
}

const plain: Intl.NumberFormatOptions = { useGrouping: false, maximumFractionDigits: 6 }

export function NumberInput({
  value,
  onChange,
  min,
  max,
  step = 1,
  label,
  id,
  describedBy,
  isInvalid = false,
  isDisabled = false,
  placeholder,
  autoFocus = false,
  onEnter,
}: NumberInputProps) {
  return (
    <NumberField.Root
      id={id}
      value={value}
      onValueChange={(next) => onChange(next)}
      min={min}
      max={max}
      step={step}
      format={plain}
      locale="en"
      allowOutOfRange
      disabled={isDisabled}
    >
      <NumberField.Input
        className={cx(styles.control, styles.number)}
        placeholder={placeholder}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isInvalid ? true : undefined}
        autoComplete="off"
        autoFocus={autoFocus}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && onEnter !== undefined && !event.ctrlKey && !event.metaKey) onEnter()
        }}
      />
    </NumberField.Root>
  )
}
