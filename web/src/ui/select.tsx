// A choice of one from a short list.

import { Select as Base } from '@base-ui/react/select'
import { t } from '../words.ts'
import control from './control.module.css'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import list from './list.module.css'
import styles from './select.module.css'
import type { InputProps } from './text-input.tsx'

export interface Option {
  readonly value: string
  readonly label: string
  readonly hint?: string | undefined
}

export interface SelectProps extends Omit<InputProps, 'onEnter'> {
  readonly value: string | null
  readonly onChange: (value: string) => void
  readonly options: readonly Option[]
  /** As wide as its value, for bars and heads. */
  readonly isCompact?: boolean
}

export function Select({
  value,
  onChange,
  options,
  label,
  id,
  describedBy,
  isInvalid = false,
  isDisabled = false,
  placeholder,
  autoFocus = false,
  isCompact = false,
}: SelectProps) {
  const chosen = options.find((option) => option.value === value)
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => {
        if (next !== null) onChange(next)
      }}
      disabled={isDisabled}
      modal={false}
    >
      <Base.Trigger
        id={id}
        className={cx(control.control, styles.trigger, isCompact && styles.compact)}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isInvalid ? true : undefined}
        autoFocus={autoFocus}
      >
        <span className={cx(styles.value, chosen === undefined && styles.placeholder)}>
          {chosen?.label ?? (value === null || value === '' ? (placeholder ?? t('Choose')) : value)}
        </span>
        <Base.Icon className={styles.icon}>
          <Icon name="up-down" size={14} />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={list.positioner} sideOffset={4} alignItemWithTrigger={false} collisionPadding={8}>
          <Base.Popup className={list.popup}>
            <Base.List className={list.list}>
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} label={option.label} className={list.item}>
                  <span className={list.text}>
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.hint === undefined ? null : <span className={list.hint}>{option.hint}</span>}
                  </span>
                  <span className={list.tick}>
                    <Base.ItemIndicator>
                      <Icon name="check" />
                    </Base.ItemIndicator>
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
