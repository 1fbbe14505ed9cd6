// A time of day as HH:MM, typed in 24 hours in every language.

import { useEffect, useState } from 'react'
import { type InputProps, TextInput } from './text-input.tsx'
import { readTimeOfDay } from './time-of-day.ts'

export interface TimeInputProps extends InputProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

export function TimeInput({ value, onChange, ...rest }: TimeInputProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const change = (next: string) => {
    setText(next)
    const time = readTimeOfDay(next)
    if (time !== null && next.length >= 5) onChange(time)
  }
  const settle = () => {
    const time = readTimeOfDay(text)
    if (time !== null) onChange(time)
    setText(time ?? value)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears that the field inside was left
    <div style={{ width: 76 }} onBlur={settle}>
      <TextInput {...rest} value={text} onChange={change} isMono maxLength={5} placeholder="00:00" />
    </div>
  )
}
