// What a schema says about a form: which fields there are, which widget each needs, and what a new value starts with. Pure.

import type { FieldSpec, Item, Widget } from './define.ts'
import { hintOf } from './hints.ts'
import { isListed } from './references.ts'

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly title?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly 'x-fault'?: string
  readonly 'x-secret'?: boolean
  readonly 'x-refers'?: readonly string[]
  readonly 'x-time'?: 'stamp' | 'unix' | 'iso'
  readonly 'x-unit'?: string
  readonly 'x-lines'?: boolean
  readonly 'x-synonym-of'?: string
  readonly 'x-neutral'?: boolean
}

/** Widgets of the declarations, and those that hold other fields. */
export type Kind = Widget | 'group' | 'list' | 'choice'

export interface FormField {
  readonly name: string
  /** Without the null of `nullable`. */
  readonly schema: Schema
  readonly isNullable: boolean
  readonly isRequired: boolean
  readonly kind: Kind
  readonly spec: FieldSpec
  /** Of a group or of the rows of a list. */
  readonly fields: readonly FormField[]
  /** Of a choice: the forms a value can have. */
  readonly forms: readonly (readonly FormField[])[]
}

const isNull = (schema: Schema): boolean => schema.type === 'null'

/** The value without "or null", and of several notations the one that a form uses. */
export function mainSchema(schema: Schema): { readonly schema: Schema; readonly isNullable: boolean } {
  if (!schema.anyOf) return { schema, isNullable: isNull(schema) }
  const { anyOf, ...around } = schema
  const isNullable = anyOf.some(isNull)
  const rest = anyOf.filter((one) => !isNull(one))
  const [only] = rest
  if (rest.length === 1 && only) return { schema: { ...only, ...withoutType(around) }, isNullable }
  if (rest.every((one) => one.type === 'object')) return { schema, isNullable }
  const preferred =
    rest.find((one) => one.type === 'array') ??
    rest.find((one) => one.type === 'object') ??
    rest.find((one) => one.enum !== undefined) ??
    rest.find((one) => one.type === 'string') ??
    only
  return { schema: { ...preferred, ...withoutType(around) }, isNullable }
}

const withoutType = ({ type: _, ...rest }: Schema): Schema => rest

const refersOf = (schema: Schema, spec: FieldSpec): readonly string[] =>
  spec.refers ?? schema['x-refers'] ?? schema.items?.['x-refers'] ?? []

export function kindOf(schema: Schema, spec: FieldSpec): Kind {
  if (spec.widget !== undefined) return spec.widget
  const isList = schema.type === 'array'
  const kinds = refersOf(schema, spec)
  if (isList && kinds.length > 0) return 'objects'
  // Where no list has what can be chosen, the value is typed.
  if (spec.choices !== undefined || isListed(kinds)) return isList ? 'objects' : 'object'
  if (schema['x-secret']) return 'secret'
  if (schema.enum !== undefined) return schema.enum.length <= 4 ? 'radio' : 'select'
  if (schema.anyOf?.every((one) => one.type === 'object')) return 'choice'
  switch (schema.type) {
    case 'boolean':
      return 'switch'
    case 'integer':
    case 'number':
      if (schema['x-unit'] === 'bytes') return 'bytes'
      return schema['x-time'] ? 'moment' : 'number'
    case 'string':
      return schema['x-lines'] || (schema.maxLength ?? 0) > 2_048 ? 'multiline' : 'text'
    case 'object':
      return schema.properties ? 'group' : 'json'
    case 'array':
      return listKind(schema)
    default:
      return 'json'
  }
}

function listKind({ items = {} }: Schema): Kind {
  const { schema } = mainSchema(items)
  if (schema.enum) return 'chips'
  if (schema.type === 'string' || schema.type === 'integer') return 'lines'
  return schema.type === 'object' && schema.properties ? 'list' : 'json'
}

/** A field that a form shows: synonyms and fields of newer clients are for other programs. */
const isShown = (schema: Schema, spec: FieldSpec): boolean =>
  spec.isHidden !== true &&
  schema['x-synonym-of'] === undefined &&
  schema['x-neutral'] !== true &&
  !isFixedValue(schema)

const isFixedValue = (schema: Schema): boolean => schema.enum?.length === 1

type Specs = Readonly<Record<string, FieldSpec>>

/** The body of a call as fields. A body that may also be a list of one is taken as the one. */
export function bodyObject(schema: Schema | null | undefined): Schema {
  if (!schema) return { type: 'object', properties: {} }
  if (schema.anyOf) return schema.anyOf.find((one) => one.type === 'object') ?? schema
  return schema
}

export function formFields(body: Schema, specs: Specs = {}, where = ''): FormField[] {
  const { properties = {}, required = [] } = bodyObject(body)
  return Object.entries(properties).flatMap(([name, own]) => {
    const { schema, isNullable } = mainSchema(own)
    const spec: FieldSpec = { ...hintOf(where === '' ? name : `${where}.${name}`), ...specs[name] }
    if (!isShown(own, spec) || !isShown(schema, spec)) return []
    return [fieldOf(name, schema, { isNullable, isRequired: required.includes(name), spec })]
  })
}

/** Required fields that the form does not show: fixed ones, and those that the page hides. They are sent as they begin. */
export function unseenFields(body: Schema, specs: Specs = {}): FormField[] {
  const { properties = {}, required = [] } = bodyObject(body)
  return required.flatMap((name) => {
    const own = properties[name]
    if (!own || own['x-synonym-of'] !== undefined) return []
    const { schema, isNullable } = mainSchema(own)
    const spec: FieldSpec = { ...hintOf(name), ...specs[name] }
    return isShown(own, spec) && isShown(schema, spec)
      ? []
      : [fieldOf(name, schema, { isNullable, isRequired: true, spec })]
  })
}

function fieldOf(
  name: string,
  schema: Schema,
  { isNullable, isRequired, spec }: Pick<FormField, 'isNullable' | 'isRequired' | 'spec'>,
): FormField {
  const kind = kindOf(schema, spec)
  const inner = kind === 'group' ? schema : kind === 'list' ? mainSchema(schema.items ?? {}).schema : null
  return {
    name,
    schema,
    isNullable,
    isRequired,
    kind,
    spec,
    fields: inner ? formFields(inner, spec.fields, name) : [],
    forms: kind === 'choice' ? (schema.anyOf ?? []).map((one) => formFields(one, spec.fields, name)) : [],
  }
}

/** What a value starts with: required fields have one, and what is on by nature is on. */
export function emptyValue(field: FormField): unknown {
  const { kind, schema, spec, isNullable, fields, name } = field
  if (spec.initial !== undefined) return spec.initial
  if (isNullable) return null
  switch (kind) {
    case 'switch':
      return name === 'enabled'
    case 'radio':
    case 'select':
      return schema.enum?.[0] ?? ''
    case 'number':
    case 'bytes':
    case 'moment':
      return schema.minimum !== undefined && schema.minimum === schema.maximum ? schema.minimum : null
    case 'chips':
    case 'lines':
    case 'objects':
    case 'list':
      return []
    case 'group':
      return emptyItem(fields)
    case 'choice':
      return emptyItem(field.forms[0] ?? [])
    case 'object':
      return schema.type === 'string' ? '' : null
    case 'json':
      return schema.type === 'array' ? [] : schema.type === 'object' ? {} : null
    default:
      return ''
  }
}

export const emptyItem = (fields: readonly FormField[]): Item =>
  Object.fromEntries(fields.map((field) => [field.name, emptyValue(field)]))

/** Every field that only raw JSON can edit, for the test that lists them. */
export const jsonFields = (fields: readonly FormField[], where = ''): string[] =>
  fields.flatMap((field) => {
    const path = where === '' ? field.name : `${where}.${field.name}`
    return [
      ...(field.kind === 'json' ? [path] : []),
      ...jsonFields(field.fields, path),
      ...field.forms.flatMap((form) => jsonFields(form, path)),
    ]
  })
