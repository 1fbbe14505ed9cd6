// One field of a form, by what the contract says about its value.

import type { ReactNode } from 'react'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Field, type FieldIds } from '../../ui/field.tsx'
import { LinesEditor } from '../../ui/lines-editor.tsx'
import { NumberInput } from '../../ui/number-input.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { SecretInput } from '../../ui/secret-input.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/switch.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { TimeInput } from '../../ui/time-input.tsx'
import { isMac, tidyMac } from '../../util/address.ts'
import { t } from '../../words.ts'
import { entryFaults, faultAt, isEqual } from '../draft.ts'
import { takesTyped } from '../references.ts'
import type { FormField } from '../schema.ts'
import { refersOf, secretMask, unitWords, valueText, wordOf } from '../values.ts'
import { hintText, labelOf } from '../words.ts'
import { BytesInput } from './bytes-input.tsx'
import styles from './form.module.css'
import { useForm } from './form-context.ts'
import { JsonInput } from './json-input.tsx'
import { MomentInput } from './moment-input.tsx'
import { ChoiceField, GroupField, ListField } from './nested-fields.tsx'
import { TextArea } from './text-area.tsx'
import { asChoice, asValue } from './use-names.ts'

export const titleOf = ({ name, spec }: Pick<FormField, 'name' | 'spec'>): string => t(spec.label ?? labelOf(name))

const noneValue = '\u0000none'

interface WidgetProps {
  readonly field: FormField
  readonly path: string
  readonly value: unknown
}

/** A field with its label, its hint and what is wrong with it. */
export function FormWidget(props: WidgetProps): ReactNode {
  const form = useForm()
  const { spec } = props.field
  if (spec.when && !spec.when(form.value)) return null
  return (
    <>
      <OwnWidget {...props} />
      {spec.help?.(form.value)}
    </>
  )
}

function OwnWidget({ field, path, value }: WidgetProps): ReactNode {
  const form = useForm()
  const { spec, schema, kind, isRequired } = field
  if (spec.render) {
    const { isDisabled, onChange, value: item } = form
    const problem = faultAt(form.faults, path, true)
    return spec.render({
      name: field.name,
      value,
      item,
      problem,
      problems: entryFaults(form.faults, path),
      isDisabled: isDisabled || isFixed(form.fixed, path),
      onChange: (next) => onChange(path, next),
    })
  }
  if (kind === 'group') return <GroupField field={field} path={path} value={value} />
  if (kind === 'list') return <ListField field={field} path={path} value={value} />
  if (kind === 'choice') return <ChoiceField field={field} path={path} value={value} />
  const label = titleOf(field)
  const hint = t(spec.hint ?? hintText(schema))
  const problem = faultAt(form.faults, path, kind !== 'lines')
  const isOff = form.isDisabled || spec.isReadOnly === true || isFixed(form.fixed, path)
  if (kind === 'switch' && !field.isNullable)
    return (
      <div>
        <Switch
          isOn={(value === true) !== (spec.isInverted === true)}
          onChange={(isOn) => form.onChange(path, isOn !== (spec.isInverted === true))}
          label={label}
          hint={hint === '' ? undefined : hint}
          isDisabled={isOff}
          why={form.fixed?.why}
        />
        {problem === undefined ? null : <p className={styles.problem}>{problem}</p>}
      </div>
    )
  const unit = spec.unit ?? unitOf(field)
  return (
    <Field
      label={label}
      hint={hint}
      problem={problem}
      isRequired={isRequired && isEmptyRefused(field) && form.base === null}
      unit={unit === undefined ? undefined : t(unit)}
      mark={form.base !== null && !isEqual(form.base[path], value) && isTop(path) ? <ChangedMark /> : null}
    >
      {(ids) => <Control field={field} path={path} value={value} ids={ids} isOff={isOff} label={label} />}
    </Field>
  )
}

const isTop = (path: string): boolean => !/[.[]/.test(path)

const isFixed = (fixed: { readonly except: readonly string[] } | null, path: string): boolean =>
  fixed !== null &&
  !fixed.except.some((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))

function ChangedMark(): ReactNode {
  return <span className={styles.changed}>{t('changed')}</span>
}

/** A required field that takes an empty text is not marked as required: it needs nothing. */
const isEmptyRefused = ({ schema, kind, isNullable }: FormField): boolean => {
  if (isNullable) return false
  if (kind === 'text' || kind === 'multiline' || kind === 'code' || kind === 'secret')
    return (schema.minLength ?? 0) > 0 || (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(''))
  if (kind === 'lines' || kind === 'chips' || kind === 'objects') return (schema.minItems ?? 0) > 0
  return kind === 'number' || kind === 'object'
}

const unitOf = ({ schema, kind }: FormField): string | undefined =>
  kind === 'number' && schema['x-unit'] !== undefined ? unitWords[schema['x-unit']] : undefined

interface ControlProps extends WidgetProps {
  readonly ids: FieldIds
  readonly isOff: boolean
  readonly label: string
}

const isMono = ({ schema, name }: FormField): boolean =>
  /address|(^|_)ips?($|_)|mac|gateway|network|dns|server|host|domain|url|guid|sid|port|path/.test(name) &&
  schema.pattern !== undefined

function Control({ field, path, value, ids, isOff, label }: ControlProps): ReactNode {
  const form = useForm()
  const { schema, kind, spec, isNullable } = field
  const set = (next: unknown): void => form.onChange(path, next)
  const base = {
    ...ids,
    isDisabled: isOff,
    autoFocus: form.focused === path,
    placeholder: spec.placeholder ?? (isNullable ? t('none') : undefined),
  }
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value)
  switch (kind) {
    case 'text':
      return (
        <TextInput
          {...base}
          value={text}
          onChange={(next) => set(next === '' && isNullable ? null : tidy(field.name, next, schema.type))}
          isMono={isMono(field)}
        />
      )
    case 'multiline':
    case 'code':
      return (
        <TextArea
          {...base}
          value={text}
          onChange={(next) => set(next === '' && isNullable ? null : next)}
          isCode={kind === 'code' || isMono(field) || /config|cert|key|ca$/.test(field.name)}
        />
      )
    case 'secret':
      return <Secret {...{ field, path, value, ids, isOff, label }} />
    case 'number':
      return (
        <NumberInput
          {...base}
          value={typeof value === 'number' ? value : null}
          onChange={set}
          min={schema.minimum}
          max={schema.maximum}
        />
      )
    case 'bytes':
      return <BytesInput {...base} value={typeof value === 'number' ? value : null} onChange={set} label={label} />
    case 'moment':
      return (
        <MomentInput
          {...base}
          value={typeof value === 'number' ? value : null}
          form={schema['x-time'] === 'stamp' ? 'stamp' : 'unix'}
          onChange={set}
        />
      )
    case 'time-of-day':
      return <TimeInput {...base} value={text} onChange={set} />
    case 'switch':
    case 'radio':
    case 'select':
      return <Fixed {...{ field, path, value, ids, isOff, label }} />
    case 'chips':
      return <Chips {...{ field, path, value, ids, isOff, label }} />
    case 'lines':
      return (
        <LinesEditor
          {...base}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(lines) => set(readLines(lines, field))}
          problems={entryFaults(form.faults, path)}
          lines={Math.min(12, Math.max(3, Array.isArray(value) ? value.length + 1 : 3))}
        />
      )
    case 'object':
    case 'objects':
      return <Picker {...{ field, path, value, ids, isOff, label }} />
    default:
      return <JsonInput {...base} value={value} onChange={set} />
  }
}

/** MACs are pasted in many forms; the gateway takes one. */
const tidy = (name: string, text: string, type: string | undefined): unknown => {
  if (type === 'integer' || type === 'number') return text === '' ? null : Number(text)
  return /(^|_)mac$/.test(name) ? tidyMac(text) : text
}

function readLines(lines: readonly string[], { schema }: FormField): readonly unknown[] {
  const items = schema.items ?? {}
  const isNumber = items.type === 'integer'
  const isEither = items.anyOf?.some(({ type }) => type === 'integer') ?? false
  return lines.map((line) => ((isNumber || isEither) && /^-?\d{1,15}$/.test(line) ? Number(line) : line))
}

/** One of a few fixed values, or none of them. */
function Fixed({ field, path, value, ids, isOff, label }: ControlProps): ReactNode {
  const form = useForm()
  const { schema, spec, isNullable, kind } = field
  const values = kind === 'switch' ? [true, false] : fixedValues(schema.enum ?? Object.keys(spec.options ?? {}))
  const words = (one: unknown): string => (kind === 'switch' ? (one === true ? t('yes') : t('no')) : wordOf(one, spec))
  const options = [
    ...(isNullable ? [{ value: noneValue, label: t('none') }] : []),
    ...values.map((one) => ({ value: String(one), label: words(one) })),
  ]
  const chosen = value === null || value === undefined ? (isNullable ? noneValue : null) : String(value)
  const set = (next: string): void =>
    form.onChange(path, next === noneValue ? null : values.find((one) => String(one) === next))
  const rest = { ...ids, label, isDisabled: isOff }
  if (kind === 'select')
    return <Select {...rest} autoFocus={form.focused === path} value={chosen} options={options} onChange={set} />
  return <RadioGroup {...rest} value={chosen} options={options} onChange={set} isRow={isShort(options)} />
}

/** Where a value may be written as a number or as text, the number is meant. */
function fixedValues(values: readonly unknown[]): readonly unknown[] {
  const numbers = new Set(values.filter((value) => typeof value === 'number').map(String))
  return values.filter((value) => typeof value === 'number' || !numbers.has(String(value)))
}

const isShort = (options: readonly { readonly label: string }[]): boolean =>
  options.reduce((sum, { label }) => sum + label.length + 4, 0) < 56

/** Several of a few fixed values. */
function Chips({ field, path, value, ids, isOff, label }: ControlProps): ReactNode {
  const form = useForm()
  const { schema, spec } = field
  const values = schema.items?.enum ?? Object.keys(spec.options ?? {})
  const chosen = Array.isArray(value) ? value : []
  const isNumber = schema.items?.type === 'integer'
  const read = (text: string): unknown => (isNumber ? Number(text) : text)
  if (values.length <= 8)
    return (
      <fieldset className={styles.fields} id={ids.id} aria-label={label} aria-describedby={ids.describedBy}>
        <div className={styles.entryFields}>
          {values.map((one) => (
            <Checkbox
              key={String(one)}
              isOn={chosen.some((has) => String(has) === String(one))}
              label={wordOf(one, spec)}
              isDisabled={isOff}
              onChange={(isOn) => {
                const next = values.filter((other) =>
                  String(other) === String(one) ? isOn : chosen.some((has) => String(has) === String(other)),
                )
                form.onChange(
                  path,
                  next.map((entry) => read(String(entry))),
                )
              }}
            />
          ))}
        </div>
      </fieldset>
    )
  return (
    <Combobox
      {...ids}
      isDisabled={isOff}
      isMultiple
      label={label}
      value={chosen.map(String)}
      options={values.map((one) => ({ value: String(one), label: wordOf(one, spec) }))}
      onChange={(next) => form.onChange(path, next.map(read))}
    />
  )
}

/** References are chosen by name; the wire has ids. */
function Picker({ field, path, value, ids, isOff, label }: ControlProps): ReactNode {
  const form = useForm()
  const { schema, spec, isNullable, kind } = field
  const kinds = refersOf(schema, spec)
  const isMultiple = kind === 'objects'
  const isNumber = (isMultiple ? schema.items?.type : schema.type) === 'integer'
  const { choices } = spec
  const options = choices
    ? form.names.rowsOf(choices).map((row) => ({ value: String(choices.value(row)), label: choices.label(row) }))
    : form.names.choicesFor(kinds)
  const given = Array.isArray(value) ? value : value === null || value === undefined || value === '' ? [] : [value]
  const read = (id: string): unknown => {
    if (choices) return isNumber ? Number(id) : id
    return asValue(kinds.includes('card') ? tidyMac(id) : id, isNumber) ?? id
  }
  const problems = new Map(
    [...entryFaults(form.faults, path)].map(([at, message]) => [asChoice(given[at], options), message]),
  )
  const set = (next: readonly string[]): void => {
    const last = next.at(-1)
    const nothing = isNullable || isNumber ? null : ''
    const one = last === undefined ? nothing : read(last)
    form.onChange(path, isMultiple ? withoutAny(next, given.map(String)).map(read) : one)
  }
  const isTyped = takesTyped(kinds)
  return (
    <Combobox
      {...ids}
      label={label}
      isDisabled={isOff}
      isMultiple={isMultiple}
      autoFocus={form.focused === path}
      value={given.map((one) => asChoice(one, options))}
      options={options}
      onChange={set}
      placeholder={isNullable ? t('none') : undefined}
      problems={problems}
      keepsTyped={isTyped}
      isValue={kinds.includes('card') ? isMac : undefined}
      {...(isTyped ? { onCreate: (text: string) => set(isMultiple ? [...given.map(String), text] : [text]) } : {})}
    />
  )
}

/** "Any" is alone: choosing something else takes it away, and choosing it takes away the rest. */
const withoutAny = (next: readonly string[], before: readonly string[]): readonly string[] => {
  if (!next.includes('any') || next.length === 1) return next
  return before.includes('any') ? next.filter((id) => id !== 'any') : ['any']
}

/** `***` on the wire: one is set. Empty keeps it, removing it is an act of its own. */
function Secret({ field, path, value, ids, isOff, label }: ControlProps): ReactNode {
  const form = useForm()
  const before = form.base === null ? undefined : form.base[path]
  const isSet =
    value === secretMask || (before === secretMask && value === secretMask) || form.base?.[`has_${field.name}`] === true
  const isRemoved = before === secretMask && (value === null || value === '')
  const text = typeof value === 'string' && value !== secretMask ? value : ''
  const canRemove = before === secretMask && (field.isNullable || (field.schema.minLength ?? 0) === 0)
  if (isRemoved)
    return (
      <div className={styles.pair}>
        <span className={styles.hint}>{t('Will be removed')}</span>
        <button type="button" className={styles.linkButton} onClick={() => form.onChange(path, secretMask)}>
          {t('Keep it')}
        </button>
      </div>
    )
  return (
    <SecretInput
      {...ids}
      label={label}
      isDisabled={isOff}
      isSet={isSet}
      value={text}
      maxLength={field.schema.maxLength}
      onChange={(next) => form.onChange(path, next === '' ? (before ?? '') : next)}
      {...(canRemove ? { onRemove: () => form.onChange(path, '') } : {})}
    />
  )
}

/** A value that cannot be changed here. */
export function ShownValue({ field, value }: { readonly field: FormField; readonly value: unknown }): ReactNode {
  const { speaking } = useForm()
  const text = valueText(value, field.schema, field.spec, speaking)
  return text === '' ? <span className={styles.none}>{t('none')}</span> : <PlainText text={text} limit={2_000} />
}
