// A box to tick, with its label. `isMixed` stands for a selection that has some of many.

import { Checkbox as Base } from '@base-ui/react/checkbox'
import styles from './choice.module.css'
import { Icon } from './icon.tsx'

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
  const box = (
    <Base.Root
      id={id}
      className={`${styles.box}`}
      checked={isOn}
      indeterminate={isMixed}
      onCheckedChange={(next) => onChange(next)}
      disabled={isDisabled}
      aria-label={isBare ? label : undefined}
      aria-describedby={describedBy}
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
        {label}
        {hint === undefined ? null : <span className={styles.hint}>{hint}</span>}
      </span>
    </label>
  )
}
