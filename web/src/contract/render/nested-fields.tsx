// Fields that hold other fields: an object as a group, a list of objects as a small editable list, one of several forms as a choice.

import { type ReactNode, useId } from 'react'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { Switch } from '../../ui/switch.tsx'
import { t } from '../../words.ts'
import { faultAt, isItem, joinPath } from '../draft.ts'
import { emptyItem, type FormField } from '../schema.ts'
import { hintText, labelOf } from '../words.ts'
import styles from './form.module.css'
import { useForm } from './form-context.ts'
import { FormWidget, titleOf } from './widget.tsx'

interface NestedProps {
  readonly field: FormField
  readonly path: string
  readonly value: unknown
}

const hintOf = ({ spec, schema }: FormField): string => t(spec.hint ?? hintText(schema))

export function GroupField({ field, path, value }: NestedProps): ReactNode {
  const form = useForm()
  const object = isItem(value) ? value : null
  const hint = hintOf(field)
  const problem = faultAt(form.faults, path)
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{titleOf(field)}</legend>
      {hint === '' ? null : <p className={styles.hint}>{hint}</p>}
      {problem === undefined ? null : <p className={styles.problem}>{problem}</p>}
      {field.isNullable ? (
        <Switch
          isOn={object !== null}
          label={t('Use {name}', { name: titleOf(field) })}
          isDisabled={form.isDisabled}
          onChange={(isOn) => form.onChange(path, isOn ? emptyItem(field.fields) : null)}
        />
      ) : null}
      {object === null
        ? null
        : field.fields.map((inner) => (
            <FormWidget key={inner.name} field={inner} path={joinPath(path, inner.name)} value={object[inner.name]} />
          ))}
    </fieldset>
  )
}

export function ListField({ field, path, value }: NestedProps): ReactNode {
  const form = useForm()
  const headId = useId()
  const entries = Array.isArray(value) ? (value as readonly unknown[]) : []
  const hint = hintOf(field)
  const problem = faultAt(form.faults, path)
  const { maxItems } = field.schema
  const isFull = maxItems !== undefined && entries.length >= maxItems
  const set = (next: readonly unknown[]): void => form.onChange(path, next)
  const swap = (at: number, other: number): void => {
    const next = [...entries]
    ;[next[at], next[other]] = [next[other], next[at]]
    set(next)
  }
  return (
    <div className={styles.group}>
      <span className={styles.legend} id={headId}>
        {titleOf(field)}
      </span>
      {hint === '' ? null : <p className={styles.hint}>{hint}</p>}
      {problem === undefined ? null : <p className={styles.problem}>{problem}</p>}
      <ol className={styles.list} aria-labelledby={headId} hidden={entries.length === 0}>
        {entries.map((entry, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no other name than their place
          <li key={at} className={styles.entry}>
            <div className={styles.entryFields}>
              {field.fields.map((inner) => (
                <FormWidget
                  key={inner.name}
                  field={inner}
                  path={joinPath(joinPath(path, at), inner.name)}
                  value={isItem(entry) ? entry[inner.name] : undefined}
                />
              ))}
            </div>
            <div>
              <IconButton
                icon="up"
                label={t('Move entry {number} up', { number: at + 1 })}
                size="small"
                isDisabled={form.isDisabled || at === 0}
                onClick={() => swap(at, at - 1)}
              />
              <IconButton
                icon="remove"
                label={t('Remove entry {number}', { number: at + 1 })}
                size="small"
                isDisabled={form.isDisabled}
                onClick={() => set(entries.filter((_, other) => other !== at))}
              />
            </div>
          </li>
        ))}
      </ol>
      <div>
        <Button
          icon="add"
          size="small"
          isDisabled={form.isDisabled || isFull}
          why={isFull ? t('At most {count} entries.', { count: maxItems ?? 0 }) : undefined}
          onClick={() => set([...entries, emptyItem(field.fields)])}
        >
          {t('Add an entry')}
        </Button>
      </div>
    </div>
  )
}

/** A value that has one of several forms: which one is chosen by its own fields. */
export function ChoiceField({ field, path, value }: NestedProps): ReactNode {
  const form = useForm()
  const object = isItem(value) ? value : {}
  const names = Object.keys(object)
  const at = Math.max(
    0,
    field.forms.findIndex((fields) => names.every((name) => fields.some((inner) => inner.name === name))),
  )
  const fields = field.forms[at] ?? []
  const titleAt = (index: number): string =>
    t(labelOf(field.forms[index]?.find(({ name }) => name !== 'enabled')?.name ?? String(index + 1)))
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{titleOf(field)}</legend>
      <RadioGroup
        label={titleOf(field)}
        isRow
        isDisabled={form.isDisabled}
        value={String(at)}
        options={field.forms.map((_, index) => ({ value: String(index), label: titleAt(index) }))}
        onChange={(next) => form.onChange(path, emptyItem(field.forms[Number(next)] ?? []))}
      />
      {fields.map((inner) => (
        <FormWidget key={inner.name} field={inner} path={joinPath(path, inner.name)} value={object[inner.name]} />
      ))}
    </fieldset>
  )
}
