// A value that no widget fits, as JSON. What is not JSON stays on screen and is not sent.

import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../../words.ts'
import { isEqual } from '../draft.ts'
import styles from './form.module.css'
import { TextArea, type TextAreaProps } from './text-area.tsx'

interface JsonInputProps extends Omit<TextAreaProps, 'value' | 'onChange' | 'isCode'> {
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

const print = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2))

function read(text: string): { readonly value: unknown } | null {
  if (text.trim() === '') return { value: null }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

export function JsonInput({ value, onChange, ...rest }: JsonInputProps): ReactNode {
  const [text, setText] = useState(() => print(value))
  const now = read(text)
  useEffect(() => {
    setText((shown) => (isEqual(read(shown)?.value, value) ? shown : print(value)))
  }, [value])
  return (
    <>
      <TextArea
        {...rest}
        isCode
        isInvalid={rest.isInvalid === true || now === null}
        value={text}
        onChange={(next) => {
          setText(next)
          const given = read(next)
          if (given) onChange(given.value)
        }}
      />
      {now === null ? <p className={styles.problem}>{t('This is not JSON yet.')}</p> : null}
    </>
  )
}
