// A choice out of many by typing: one value, or several as chips. What the list does not have can be added where the page allows it.

import { Combobox as Base } from '@base-ui/react/combobox'
import { useMemo, useRef, useState } from 'react'
import { t } from '../words.ts'
import { type Choice, createValue, offered } from './choose.ts'
import styles from './combobox.module.css'
import control from './control.module.css'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import list from './list.module.css'
import { PlainText } from './plain-text.tsx'
import type { InputProps } from './text-input.tsx'

export type ComboboxOption = Choice

export interface ComboboxProps extends Omit<InputProps, 'onEnter'> {
  readonly value: readonly string[]
  readonly onChange: (value: readonly string[]) => void
  readonly options: readonly ComboboxOption[]
  readonly isMultiple: boolean
  /** Takes a text that is not in the list; the page adds the value itself. */
  readonly onCreate?: ((text: string) => void) | undefined
  /** Whether a typed text is a whole value by itself: then it is offered before what merely contains it. */
  readonly isValue?: ((text: string) => boolean) | undefined
  /** A text that is typed and left is taken as if it had been added: no one expects a field to forget it. */
  readonly keepsTyped?: boolean
  /** What is typed, for lists that the gateway searches. */
  readonly onSearch?: ((text: string) => void) | undefined
  /** By value: a chip that is not valid. */
  readonly problems?: ReadonlyMap<string, string> | undefined
  readonly isMono?: boolean
}

/** More are found by typing on. */
const shownOptions = 100
/** A name of a person's own may be very long. */
const hintLimit = 120

interface ChangeDetails {
  readonly reason: string
  readonly cancel: () => void
  readonly allowPropagation: () => void
}

/** Escape goes one step back and must not empty a field on its way: the drawer around it takes the key. */
function isEscape(details: ChangeDetails): boolean {
  if (details.reason !== 'escape-key') return false
  details.cancel()
  details.allowPropagation()
  return true
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a page that is not yet divided into components
export function Combobox({
  value,
  onChange,
  options,
  isMultiple,
  onCreate,
  isValue,
  keepsTyped = false,
  onSearch,
  problems,
  label,
  id,
  describedBy,
  isInvalid = false,
  isDisabled = false,
  placeholder,
  autoFocus = false,
  isMono = false,
}: ComboboxProps) {
  const [text, setText] = useState('')
  const anchor = useRef<HTMLDivElement>(null)
  /** What the person typed since the last choice. */
  const left = useRef('')
  const known = useMemo(() => new Map(options.map((option) => [option.value, option])), [options])
  const optionOf = (one: string): ComboboxOption => known.get(one) ?? { value: one, label: one }
  const typed = text.trim()
  const singleLabel = value[0] === undefined ? '' : optionOf(value[0]).label
  // The text of the chosen value is no search: then the whole list is offered.
  const sought = !isMultiple && typed === singleLabel ? '' : typed
  const canCreate = onCreate !== undefined
  const items = useMemo(
    () => offered(options, { text: sought, canCreate, isValue }),
    [options, sought, canCreate, isValue],
  )

  const take = (next: readonly ComboboxOption[]) => {
    left.current = ''
    if (next.some((option) => option.value === createValue)) {
      onCreate?.(typed)
      setText('')
      return
    }
    onChange(next.map((option) => option.value))
    if (isMultiple) setText('')
  }
  const search = (next: string, { reason }: Pick<ChangeDetails, 'reason'>) => {
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
  const shared = {
    items,
    // What fits is found here, in the order in which it is offered.
    filter: null,
    isItemEqualToValue: (a: ComboboxOption, b: ComboboxOption) => a.value === b.value,
    itemToStringLabel: (option: ComboboxOption) => option.label,
    itemToStringValue: (option: ComboboxOption) => option.value,
    limit: shownOptions,
    autoHighlight: true,
    disabled: isDisabled,
    modal: false,
  } as const
  const input = (
    <Base.Input
      id={id}
      className={cx(styles.input, isMono && control.mono)}
      placeholder={isMultiple && value.length > 0 ? undefined : placeholder}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isInvalid ? true : undefined}
      autoComplete="off"
      spellCheck={false}
      autoFocus={autoFocus}
      onBlur={leave}
    />
  )
  const popup = (
    <Base.Portal>
      <Base.Positioner className={list.positioner} sideOffset={4} anchor={anchor} collisionPadding={8}>
        <Base.Popup className={list.popup}>
          <Base.Empty className={list.empty}>{t('Nothing fits.')}</Base.Empty>
          <Base.List className={list.list}>
            {(option: ComboboxOption) => (
              <Base.Item key={option.value} value={option} className={list.item}>
                {option.value === createValue ? (
                  <>
                    <span className={list.icon}>
                      <Icon name="add" />
                    </span>
                    <span className={list.text}>{t('Add “{text}”', { text: option.label })}</span>
                  </>
                ) : (
                  <>
                    <span className={cx(list.text, isMono && 'mono')} dir="auto">
                      {option.label}
                      {option.hint === undefined ? null : (
                        <span className={list.hint}>
                          <PlainText text={option.hint} limit={hintLimit} />
                        </span>
                      )}
                    </span>
                    {option.kind === undefined ? null : <span className={list.kind}>{option.kind}</span>}
                    <span className={list.tick}>
                      <Base.ItemIndicator>
                        <Icon name="check" />
                      </Base.ItemIndicator>
                    </span>
                  </>
                )}
              </Base.Item>
            )}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  )
  const box = cx(control.control, styles.box, isInvalid && control.invalid)
  if (!isMultiple) {
    return (
      <Base.Root
        {...shared}
        value={value[0] === undefined ? null : optionOf(value[0])}
        onValueChange={(next, details) => {
          if (!isEscape(details)) take(next === null ? [] : [next])
        }}
        onInputValueChange={search}
      >
        <div ref={anchor} className={box} data-disabled={isDisabled ? '' : undefined}>
          {input}
          <Base.Trigger className={styles.trigger} aria-label={t('Open the list')}>
            <Icon name="up-down" size={14} />
          </Base.Trigger>
        </div>
        {popup}
      </Base.Root>
    )
  }
  return (
    <Base.Root
      {...shared}
      multiple
      value={value.map(optionOf)}
      onValueChange={(next, details) => {
        if (!isEscape(details)) take(next)
      }}
      inputValue={text}
      onInputValueChange={search}
    >
      <Base.Chips ref={anchor} className={cx(box, styles.chips)} data-disabled={isDisabled ? '' : undefined}>
        {value.map(optionOf).map((option) => (
          <Base.Chip
            key={option.value}
            className={cx(styles.chip, problems?.has(option.value) && styles.bad, isMono && 'mono')}
            aria-label={option.label}
            title={problems?.get(option.value)}
          >
            {option.kind === undefined ? null : <span className={styles.kind}>{option.kind}</span>}
            <span className={styles.word} dir="auto">
              {option.label}
            </span>
            <Base.ChipRemove className={styles.remove} aria-label={t('Remove {name}', { name: option.label })}>
              <Icon name="close" size={12} />
            </Base.ChipRemove>
          </Base.Chip>
        ))}
        {input}
      </Base.Chips>
      {popup}
    </Base.Root>
  )
}
