// A labelled control with its hint and its problem. The control gets the ids, so that both are read with it.

import { type ReactNode, useId } from 'react'
import { t } from '../words.ts'
import { cx } from './cx.ts'
import styles from './field.module.css'
import { Icon } from './icon.tsx'

export interface FieldIds {
  readonly id: string
  readonly describedBy: string | undefined
  readonly isInvalid: boolean
}

export interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly problem?: string | undefined
  readonly children: (ids: FieldIds) => ReactNode
  readonly isRequired?: boolean | undefined
  readonly unit?: string | undefined
  /** Beside the label, such as "not applied" or "changed". */
  readonly mark?: ReactNode
}

export function Field({ label, hint, problem, children, isRequired = false, unit, mark }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const problemId = `${id}-problem`
  const isInvalid = problem !== undefined && problem !== ''
  const hasHint = hint !== undefined && hint !== null && hint !== ''
  const describedBy = cx(isInvalid && problemId, hasHint && hintId) || undefined
  return (
    <div className={styles.field} data-invalid={isInvalid ? '' : undefined}>
      <div className={styles.head}>
        <label className={styles.label} htmlFor={id}>
          {label}
        </label>
        {isRequired ? <span className={styles.required}>{t('required')}</span> : null}
        {mark}
      </div>
      <div className={cx(styles.control, unit !== undefined && styles.united)}>
        {children({ id, describedBy, isInvalid })}
        {unit === undefined ? null : <span className={styles.unit}>{unit}</span>}
      </div>
      {isInvalid ? (
        <p id={problemId} className={styles.problem}>
          <Icon name="error" size={14} />
          <span>{problem}</span>
        </p>
      ) : null}
      {hasHint ? (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      ) : null}
    </div>
  )
}
