// What users and the command line need to know about a JSON schema: its fields, their types in words, limits and the
// values one may choose from.

/** The part of JSON Schema that contracts use; a TypeBox schema is one. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly description?: string
  readonly 'x-synonym-of'?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly pattern?: string
  readonly 'x-json-text'?: boolean
  readonly 'x-fault'?: string
}

export interface Field {
  /** Fields of a field are named with dots: `params.id`. */
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

export const asSchema = (schema: object | null): Schema => (schema ?? {}) as Schema

export function listFields(schema: Schema, prefix = '', isInside = true): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const isRequired = isInside && (schema.required ?? []).includes(name)
    return inner.properties === undefined
      ? [{ name: `${prefix}${name}`, schema: inner, isRequired }]
      : listFields(inner, `${prefix}${name}.`, isRequired)
  })
}

/** The schema of a field by its dotted name; null when it does not exist. */
export function findField(schema: Schema, name: string): Schema | null {
  let found: Schema | undefined = schema
  for (const part of name.split('.')) {
    found = found?.properties && Object.hasOwn(found.properties, part) ? found.properties[part] : undefined
  }
  return found ?? null
}

const isNull = (schema: Schema): boolean => schema.type === 'null'

export const takesNull = (schema: Schema): boolean => isNull(schema) || (schema.anyOf ?? []).some(isNull)

/** The ways a value may look, without "or null". */
export const branchesOf = (schema: Schema): readonly Schema[] =>
  schema.anyOf === undefined ? [schema] : schema.anyOf.filter((branch) => !isNull(branch)).flatMap(branchesOf)

/** The values a user may choose from; empty when there are too many to list. */
export function choicesOf(schema: Schema): readonly string[] {
  const values = branchesOf(schema).flatMap((branch) => {
    if (branch.enum !== undefined) return branch.enum.map(String)
    if (branch.const !== undefined) return [String(branch.const)]
    return branch.type === 'boolean' ? ['true', 'false'] : []
  })
  return takesNull(schema) && values.length > 0 ? [...values, 'null'] : values
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
}

export function showType(schema: Schema): string {
  const words = branchesOf(schema).map(showBranch)
  return [...new Set(takesNull(schema) ? [...words, 'null'] : words)].join(' or ')
}

function showBranch(schema: Schema): string {
  if (schema.enum !== undefined) return `one of ${[...new Set(schema.enum.map(showWord))].join(', ')}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'array') return `list of ${showType(schema.items ?? {}).replace(/^one of /, '')}`
  return typeNames[schema.type ?? ''] ?? 'any value'
}

/** A number may also be sent as text: one word for both. */
const showWord = (value: unknown): string => (value === '' ? '""' : String(value))

/** Limits in words, such as "1 to 42 characters"; empty when there are none. */
export const showLimits = (schema: Schema): string =>
  branchesOf(schema)
    .flatMap((branch) => [
      showRange(branch.minLength, branch.maxLength, 'characters'),
      showRange(branch.minimum, branch.maximum, ''),
      showRange(branch.minItems, branch.maxItems, 'entries'),
      branch.uniqueItems ? 'each at most once' : '',
    ])
    .filter((words) => words !== '')
    .join(', ')

function showRange(least: number | undefined, most: number | undefined, unit: string): string {
  const range =
    least !== undefined && most !== undefined
      ? `${least} to ${most}`
      : most !== undefined
        ? `at most ${most}`
        : least !== undefined
          ? `at least ${least}`
          : ''
  return range === '' || unit === '' ? range : `${range} ${unit}`
}
