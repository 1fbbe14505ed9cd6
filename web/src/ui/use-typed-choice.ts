// What a person types into a combobox and what becomes of it: what is offered for it, taken, and kept when the field is left.

import { useMemo, useRef, useState } from 'react'
import { type Choice, createValue, offered } from './choose.ts'

export interface TypedChoiceProps {
  readonly value: readonly string[]
  readonly onChange: (value: readonly string[]) => void
  readonly options: readonly Choice[]
  readonly isMultiple: boolean
  /** Takes a text that is not in the list; the page adds the value itself. */
  readonly onCreate?: ((text: string) => void) | undefined
  /** Whether a typed text is a whole value by itself: then it is offered before what merely contains it. */
  readonly isValue?: ((text: string) => boolean) | undefined
  /** A text that is typed and left is taken as if it had been added: no one expects a field to forget it. */
  readonly keepsTyped?: boolean
  /** What is typed, for lists that the gateway searches. */
  readonly onSearch?: ((text: string) => void) | undefined
}

export interface TypedChoice {
  readonly text: string
  /** What fits the text, in the order in which it is offered. */
  readonly items: readonly Choice[]
  readonly optionOf: (value: string) => Choice
  readonly take: (next: readonly Choice[]) => void
  readonly search: (next: string, details: { readonly reason: string }) => void
  readonly leave: () => void
}

export function useTypedChoice({
  value,
  onChange,
  options,
  isMultiple,
  onCreate,
  isValue,
  keepsTyped = false,
  onSearch,
}: TypedChoiceProps): TypedChoice {
  const [text, setText] = useState('')
  /** What the person typed since the last choice. */
  const left = useRef('')
  const known = useMemo(() => new Map(options.map((option) => [option.value, option])), [options])
  const optionOf = (one: string): Choice => known.get(one) ?? { value: one, label: one }
  const typed = text.trim()
  const singleLabel = value[0] === undefined ? '' : optionOf(value[0]).label
  // The text of the chosen value is not a search: then the whole list is offered.
  const sought = !isMultiple && typed === singleLabel ? '' : typed
  const canCreate = onCreate !== undefined
  const items = useMemo(
    () => offered(options, { text: sought, canCreate, isValue }),
    [options, sought, canCreate, isValue],
  )

  const take = (next: readonly Choice[]) => {
    left.current = ''
    if (next.some((option) => option.value === createValue)) {
      onCreate?.(typed)
      setText('')
      return
    }
    onChange(next.map((option) => option.value))
    if (isMultiple) setText('')
  }
  const search = (next: string, { reason }: { readonly reason: string }) => {
    if (reason === 'input-change') left.current = next.trim()
    else if (reason === 'escape-key') left.current = ''
    setText(next)
    onSearch?.(next)
  }
  const leave = () => {
    const one = left.current
    left.current = ''
    if (!keepsTyped || one === '' || one === singleLabel || value.includes(one)) return
    const listed = options.find((option) => option.label === one || option.value === one)
    if (listed) take(isMultiple ? [...value.map(optionOf), listed] : [listed])
    else onCreate?.(one)
  }
  return { text, items, optionOf, take, search, leave }
}
