// A box to tick, with its label. `isMixed` stands for a selection that has some of many.

import { Checkbox as Base } from '@base-ui/react/checkbox'
import { useId } from 'react'
import styles from './choice.module.css'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import { leaveSubmit } from './submit-key.ts'

export interface CheckboxProps {
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly label: string
  readonly isMixed?: boolean
  readonly isDisabled?: boolean | undefined
  readonly hint?: string | undefined
  /** The label is only for screen readers. */
  readonly isBare?: boolean
  readonly id?: string | undefined
  readonly describedBy?: string | undefined
}

export function Checkbox({
  isOn,
  onChange,
  label,
  isMixed = false,
  isDisabled = false,
  hint,
  isBare = false,
  id,
  describedBy,
}: CheckboxProps) {
  const wordId = useId()
  const hintId = useId()
  const box = (
    <Base.Root
      id={id}
      className={cx(styles.box)}
      checked={isOn}
      indeterminate={isMixed}
      onKeyDown={leaveSubmit}
      onCheckedChange={(next) => onChange(next)}
      disabled={isDisabled}
      {...(isBare ? { 'aria-label': label } : { 'aria-labelledby': wordId })}
      aria-describedby={cx(describedBy, hint !== undefined && !isBare && hintId) || undefined}
    >
      <Base.Indicator className={styles.tick}>
        <Icon name={isMixed ? 'minus' : 'check'} size={12} />
      </Base.Indicator>
    </Base.Root>
  )
  if (isBare) return box
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box inside is the control
    <label className={styles.line} data-disabled={isDisabled ? '' : undefined}>
      {box}
      <span className={styles.text}>
        <span id={wordId}>{label}</span>
        {hint === undefined ? null : (
          <span id={hintId} className={styles.hint}>
            {hint}
          </span>
        )}
      </span>
    </label>
  )
}
