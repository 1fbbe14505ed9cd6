// The fields of an item or of settings, in groups, with the faults that belong to no field above them.

import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import { later } from '../../ui/later.tsx'
import { loadCode } from '../../ui/load-code.ts'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { tablesIn } from '../../util/rule-numbers.ts'
import { t } from '../../words.ts'
import type { Group, Item } from '../define.ts'
import { type Faults, joinPath } from '../draft.ts'
import { emptyItem, type FormField } from '../schema.ts'
import type { Speaking } from '../values.ts'
import styles from './form.module.css'
import { FormContext, type FormState, useForm } from './form-context.ts'
import type { Names } from './use-names.ts'
import { FormWidget, titleOf } from './widget.tsx'

export interface FormProps {
  readonly fields: readonly FormField[]
  readonly groups?: readonly Group[] | undefined
  readonly value: Item
  readonly base: Item | null
  readonly faults: Faults
  readonly isDisabled: boolean
  readonly onChange: (path: string, value: unknown) => void
  readonly speaking: Speaking & { readonly names: Names }
  readonly isFocused?: boolean
  readonly fixed?: FormState['fixed']
}

export function Form({
  fields,
  groups,
  value,
  base,
  faults,
  isDisabled,
  onChange,
  speaking,
  isFocused = false,
  fixed = null,
}: FormProps): ReactNode {
  const parts = useMemo(() => partsOf(fields, groups ?? []), [fields, groups])
  const focused = isFocused ? firstPath(parts.flatMap((part) => part.fields)) : null
  const state = useMemo<FormState>(
    () => ({ value, base, faults, isDisabled, onChange, speaking, names: speaking.names, focused, fixed }),
    [value, base, faults, isDisabled, onChange, speaking, focused, fixed],
  )
  return (
    <FormContext value={state}>
      <div className={styles.form}>
        <FaultSummary faults={faults} />
        {parts.map(({ group, fields: own }) => (
          <div key={group?.title ?? ''} className={styles.fields}>
            {group ? <h3 className={styles.heading}>{t(group.title)}</h3> : null}
            {group?.text ? <p className={styles.text}>{t(group.text)}</p> : null}
            {group?.isChoice ? (
              <ChosenField group={group} fields={own} />
            ) : (
              own.map((field) => (
                <FormWidget key={field.name} field={field} path={field.name} value={value[field.name]} />
              ))
            )}
          </div>
        ))}
      </div>
    </FormContext>
  )
}

/** One of several objects is used; the others are null. */
function ChosenField({ group, fields }: { readonly group: Group; readonly fields: readonly FormField[] }): ReactNode {
  const { value, isDisabled, onChange } = useForm()
  const chosen = fields.find(({ name }) => value[name] !== null && value[name] !== undefined)
  return (
    <>
      <RadioGroup
        label={t(group.title)}
        isRow
        isDisabled={isDisabled}
        value={chosen?.name ?? null}
        options={fields.map((field) => ({ value: field.name, label: titleOf(field) }))}
        onChange={(name) => {
          for (const field of fields) onChange(field.name, field.name === name ? emptyItem(field.fields) : null)
        }}
      />
      {chosen ? (
        <FormWidget field={{ ...chosen, isNullable: false }} path={chosen.name} value={value[chosen.name]} />
      ) : null}
    </>
  )
}

interface Part {
  readonly group: Group | null
  readonly fields: readonly FormField[]
}

/** What no group names is first, in the order of the contract; a switch for the whole thing before all. */
function partsOf(fields: readonly FormField[], groups: readonly Group[]): Part[] {
  const named = new Set(groups.flatMap((group) => group.fields))
  const rest = fields.filter(({ name }) => !named.has(name))
  const sorted = [...rest].sort((a, b) => orderOf(a) - orderOf(b))
  return [
    ...(sorted.length > 0 ? [{ group: null, fields: sorted }] : []),
    ...groups.map((group) => ({
      group,
      fields: group.fields.flatMap((name) => fields.find((field) => field.name === name) ?? []),
    })),
  ]
}

/** Kinds of widgets that can take the focus when the form opens. */
const focusable: ReadonlySet<string> = new Set(['text', 'number', 'object', 'objects', 'select', 'secret', 'lines'])

/** The first of them from above: a later one would scroll what is before it out of sight. */
function firstPath(fields: readonly FormField[], above = ''): string | null {
  for (const { name, kind, isNullable, fields: inner } of fields) {
    const path = joinPath(above, name)
    const found = kind === 'group' && !isNullable ? firstPath(inner, path) : focusable.has(kind) ? path : null
    if (found !== null) return found
  }
  return null
}

const orderOf = ({ name }: FormField): number => (name === 'enabled' ? 0 : name === 'comment' ? 2 : 1)

const RefusedFields = later(async () => (await loadCode(() => import('./refused-fields.tsx'))).RefusedFields)

/** Faults that belong to no field of this form. It takes the focus, so that a screen reader says it. */
export function FaultSummary({ faults }: { readonly faults: Faults }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const { rest } = faults
  const text = rest.map(({ field, message }) => `${field} ${message}`).join('\n')
  useEffect(() => {
    if (text !== '') box.current?.focus()
  }, [text])
  const numberOf = useRuleNumbers(tablesIn([text]))
  if (rest.length === 0) return null
  return (
    <div ref={box} className={styles.summary} tabIndex={-1} role="alert">
      {t('{count, plural, one {The gateway refuses this:} other {The gateway refuses this for # reasons:}}', {
        count: rest.length,
      })}
      <RefusedFields refused={rest} numberOf={numberOf} />
    </div>
  )
}
