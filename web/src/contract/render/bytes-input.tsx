// A size with its unit: the wire has bytes, people think in megabytes.

import { type ReactNode, useState } from 'react'
import { NumberInput } from '../../ui/number-input.tsx'
import { Select } from '../../ui/select.tsx'
import { byteFactors, splitBytes } from '../../util/amount.ts'
import { t } from '../../words.ts'
import styles from './form.module.css'

interface BytesInputProps {
  readonly value: number | null
  readonly onChange: (value: number | null) => void
  readonly label: string
  readonly id?: string | undefined
  readonly describedBy?: string | undefined
  readonly isInvalid?: boolean | undefined
  readonly isDisabled?: boolean | undefined
  readonly placeholder?: string | undefined
}

export function BytesInput({ value, onChange, label, ...rest }: BytesInputProps): ReactNode {
  const [factor, setFactor] = useState(() => splitBytes(value ?? 0).factor)
  return (
    <div className={styles.pair}>
      <NumberInput
        {...rest}
        value={value === null ? null : value / factor}
        onChange={(amount) => onChange(amount === null ? null : Math.round(amount * factor))}
      />
      <Select
        label={t('Unit of {field}', { field: label })}
        isCompact
        isDisabled={rest.isDisabled}
        value={String(factor)}
        options={byteFactors.map((one) => ({ value: String(one.factor), label: one.name }))}
        onChange={(next) => setFactor(Number(next))}
      />
    </div>
  )
}
