// A choice of one from a few, all visible.

import { Radio } from '@base-ui/react/radio'
import { RadioGroup as Base } from '@base-ui/react/radio-group'
import { useId } from 'react'
import styles from './choice.module.css'
import { cx } from './cx.ts'
import type { Option } from './select.tsx'

export interface RadioGroupProps {
  readonly value: string | null
  readonly onChange: (value: string) => void
  readonly options: readonly Option[]
  readonly label: string
  readonly isDisabled?: boolean | undefined
  readonly id?: string | undefined
  readonly describedBy?: string | undefined
  readonly isInvalid?: boolean | undefined
  /** Beside each other instead of below each other. */
  readonly isRow?: boolean
}

export function RadioGroup({
  value,
  onChange,
  options,
  label,
  isDisabled = false,
  id,
  describedBy,
  isInvalid = false,
  isRow = false,
}: RadioGroupProps) {
  const own = useId()
  return (
    <Base
      id={id}
      className={cx(styles.group, isRow && styles.row)}
      value={value}
      onValueChange={(next) => {
        if (typeof next === 'string') onChange(next)
      }}
      disabled={isDisabled}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isInvalid ? true : undefined}
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the radio inside is the control
        <label key={option.value} className={styles.line} data-disabled={isDisabled ? '' : undefined}>
          <Radio.Root
            value={option.value}
            className={cx(styles.box, styles.radio)}
            aria-labelledby={`${own}-${index}-word`}
            aria-describedby={option.hint === undefined ? undefined : `${own}-${index}-hint`}
          >
            <Radio.Indicator className={styles.dot} />
          </Radio.Root>
          <span className={styles.text}>
            <span id={`${own}-${index}-word`}>{option.label}</span>
            {option.hint === undefined ? null : (
              <span id={`${own}-${index}-hint`} className={styles.hint}>
                {option.hint}
              </span>
            )}
          </span>
        </label>
      ))}
    </Base>
  )
}
