// A choice out of many by typing: one value, or several as chips. What the list does not have can be added where the page allows it.

import { Combobox as Base } from '@base-ui/react/combobox'
import { type RefObject, useRef } from 'react'
import { t } from '../words.ts'
import { type Choice, createValue } from './choose.ts'
import styles from './combobox.module.css'
import control from './control.module.css'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import list from './list.module.css'
import { PlainText } from './plain-text.tsx'
import type { InputProps } from './text-input.tsx'
import { type TypedChoiceProps, useTypedChoice } from './use-typed-choice.ts'

export type ComboboxOption = Choice

export interface ComboboxProps extends TypedChoiceProps, Omit<InputProps, 'onEnter'> {
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

const offer = {
  // What fits is found here, in the order in which it is offered.
  filter: null,
  isItemEqualToValue: (a: ComboboxOption, b: ComboboxOption) => a.value === b.value,
  itemToStringLabel: (option: ComboboxOption) => option.label,
  itemToStringValue: (option: ComboboxOption) => option.value,
  limit: shownOptions,
  autoHighlight: true,
  modal: false,
} as const

export function Combobox(props: ComboboxProps) {
  const { value, isMultiple, problems, isInvalid = false, isDisabled = false, isMono = false } = props
  const { text, items, optionOf, take, search, leave } = useTypedChoice(props)
  const anchor = useRef<HTMLDivElement>(null)
  const shared = { ...offer, items, disabled: isDisabled }
  const input = <TypedInput {...props} onLeave={leave} />
  const popup = <OfferedOptions anchor={anchor} isMono={isMono} />
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
          <ChosenChip key={option.value} option={option} problem={problems?.get(option.value)} isMono={isMono} />
        ))}
        {input}
      </Base.Chips>
      {popup}
    </Base.Root>
  )
}

interface TypedInputProps extends ComboboxProps {
  readonly onLeave: () => void
}

function TypedInput(props: TypedInputProps) {
  const { value, isMultiple, placeholder } = props
  return (
    <Base.Input
      id={props.id}
      className={cx(styles.input, props.isMono && control.mono)}
      placeholder={isMultiple && value.length > 0 ? undefined : placeholder}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-invalid={props.isInvalid ? true : undefined}
      autoComplete="off"
      spellCheck={false}
      autoFocus={props.autoFocus ?? false}
      onBlur={props.onLeave}
    />
  )
}

interface ChosenChipProps {
  readonly option: ComboboxOption
  readonly problem: string | undefined
  readonly isMono: boolean
}

function ChosenChip({ option, problem, isMono }: ChosenChipProps) {
  return (
    <Base.Chip
      className={cx(styles.chip, problem !== undefined && styles.bad, isMono && 'mono')}
      aria-label={option.label}
      title={problem}
    >
      {option.kind === undefined ? null : <span className={styles.kind}>{option.kind}</span>}
      <span className={styles.word} dir="auto">
        {option.label}
      </span>
      <Base.ChipRemove className={styles.remove} aria-label={t('Remove {name}', { name: option.label })}>
        <Icon name="close" size={12} />
      </Base.ChipRemove>
    </Base.Chip>
  )
}

interface OfferedOptionsProps {
  readonly anchor: RefObject<HTMLDivElement | null>
  readonly isMono: boolean
}

function OfferedOptions({ anchor, isMono }: OfferedOptionsProps) {
  return (
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
}
