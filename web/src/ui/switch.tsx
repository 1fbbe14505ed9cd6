// On or off, taking effect as the page says. Pending: sent, and not confirmed by the gateway yet.

import { Switch as Base } from '@base-ui/react/switch'
import { useId } from 'react'
import { t } from '../words.ts'
import styles from './choice.module.css'
import { cx } from './cx.ts'
import { leaveSubmit } from './submit-key.ts'
import { Tooltip } from './tooltip.tsx'

export interface SwitchProps {
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly label: string
  readonly isDisabled?: boolean | undefined
  readonly why?: string | undefined
  readonly isPending?: boolean | undefined
  readonly hint?: string | undefined
  /** The label is only for screen readers, as in a grid. */
  readonly isBare?: boolean
  readonly id?: string | undefined
  readonly describedBy?: string | undefined
  readonly tabIndex?: number
}

export function Switch({
  isOn,
  onChange,
  label,
  isDisabled = false,
  why,
  isPending = false,
  hint,
  isBare = false,
  id,
  describedBy,
  tabIndex,
}: SwitchProps) {
  const reasonId = useId()
  const wordId = useId()
  const hintId = useId()
  const isExplained = isDisabled && why !== undefined && why !== ''
  const control = (
    <Base.Root
      id={id}
      className={cx(styles.switch, isBare && styles.bare, isPending && styles.pending)}
      checked={isOn}
      onKeyDown={leaveSubmit}
      onCheckedChange={(next) => {
        if (!isDisabled && !isPending) onChange(next)
      }}
      disabled={isDisabled && !isExplained}
      aria-disabled={isDisabled ? true : undefined}
      aria-busy={isPending ? true : undefined}
      {...(isBare ? { 'aria-label': label } : { 'aria-labelledby': wordId })}
      aria-describedby={cx(describedBy, hint !== undefined && !isBare && hintId, isExplained && reasonId) || undefined}
      {...(tabIndex === undefined ? {} : { tabIndex })}
    >
      <Base.Thumb className={styles.thumb} />
    </Base.Root>
  )
  const explained = isExplained ? <Tooltip text={why}>{control}</Tooltip> : control
  const reason = isExplained ? (
    <span id={reasonId} className="visually-hidden">
      {why}
    </span>
  ) : null
  if (isBare) {
    return (
      <>
        {explained}
        {reason}
      </>
    )
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is the control */}
      <label className={styles.line} data-disabled={isDisabled ? '' : undefined}>
        {explained}
        <span className={styles.text}>
          <span id={wordId}>{label}</span>
          {isPending ? <span className={styles.hint}>{t('waiting for the gateway')}</span> : null}
          {hint === undefined ? null : (
            <span id={hintId} className={styles.hint}>
              {hint}
            </span>
          )}
        </span>
      </label>
      {reason}
    </>
  )
}
