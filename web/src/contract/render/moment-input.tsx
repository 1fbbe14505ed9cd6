// A moment by the clock of the gateway, typed as `2026-11-16 17:05`.

import { type ReactNode, useEffect, useState } from 'react'
import { TextInput } from '../../ui/text-input.tsx'
import { fromLocalText, momentOf, toLocalText, unixToStamp } from '../../util/time.ts'
import { useForm } from './form-context.ts'

interface MomentInputProps {
  readonly value: number | null
  readonly form: 'stamp' | 'unix'
  readonly onChange: (value: number | null) => void
  readonly id?: string | undefined
  readonly describedBy?: string | undefined
  readonly isInvalid?: boolean | undefined
  readonly isDisabled?: boolean | undefined
}

export function MomentInput({ value, form, onChange, ...rest }: MomentInputProps): ReactNode {
  const { zone } = useForm().speaking
  const shown = (() => {
    const unix = momentOf(value, form, zone)
    return unix === null ? '' : toLocalText(unix, zone)
  })()
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  const change = (next: string): void => {
    setText(next)
    const unix = fromLocalText(next, zone)
    if (next === '') onChange(null)
    else if (unix !== null) onChange(form === 'unix' ? unix : unixToStamp(unix, zone))
  }
  return <TextInput {...rest} isMono value={text} onChange={change} placeholder="2026-01-31 08:00" />
}
