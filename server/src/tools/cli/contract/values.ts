// Reads what was typed as `field=value` or `field:=json` by the type its schema gives it, and builds bodies and queries
// from it. The schema then decides whether a value is allowed, as on the server.

import type { Problem } from '../../../core/contract/error.ts'
import { verbatim } from '../../../shared/said.ts'
import { badUsage } from '../failure.ts'
import { branchesOf, findField, listFields, type Schema, takesNull } from './schema.ts'
import { nearest } from './suggest.ts'

export interface Assignment {
  readonly name: string
  readonly text: string
  /** `:=` carries JSON. */
  readonly isJson: boolean
}

export function parseAssignment(argument: string): Assignment {
  const at = argument.indexOf('=')
  const isJson = at > 0 && argument[at - 1] === ':'
  const name = argument.slice(0, isJson ? at - 1 : at)
  if (at < 0 || name === '') {
    throw badUsage(`"${argument}" is not a field. Write field=value, or field:=json.`)
  }
  return { name, text: argument.slice(at + 1), isJson }
}

export function parseJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw badUsage(`${what} is not valid JSON: ${(error as Error).message}`)
  }
}

/** The value meant by a text; a text that does not fit any type stays text, and the check names the fault. */
export function readText(schema: Schema, text: string): unknown {
  if (text === 'null' && takesNull(schema)) return null
  for (const branch of branchesOf(schema)) {
    const value = readBranch(branch, text)
    if (value !== undefined) return value
  }
  return text
}

function readBranch(schema: Schema, text: string): unknown {
  if (schema.enum !== undefined) return schema.enum.find((value) => String(value) === text)
  switch (schema.type) {
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'integer':
    case 'number':
      return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
    case 'array':
      return readList(schema.items ?? {}, text)
    case 'object':
      return readObject(text)
    default:
      return undefined
  }
}

const readList = (items: Schema, text: string): readonly unknown[] =>
  text === '' ? [] : text.split(',').map((part) => readText(items, part.trim()))

function readObject(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

export interface Built {
  readonly value: Readonly<Record<string, unknown>>
  /** Unknown fields; the schema finds all other faults. */
  readonly problems: readonly Problem[]
}

/** Later assignments win over earlier ones and over `base`. */
export function buildObject(schema: Schema, assignments: readonly Assignment[], base: object = {}): Built {
  const value: Record<string, unknown> = structuredClone({ ...base })
  const problems: Problem[] = []
  for (const { name, text, isJson } of assignments) {
    const field = findField(schema, name)
    if (field === null) problems.push({ field: name, message: verbatim(unknownField(schema, name)) })
    else setField(value, name.split('.'), isJson ? parseJsonText(text, name) : readText(field, text))
  }
  return { value, problems }
}

/** Only names the schema knows come here, so no part can be `__proto__`. */
function setField(target: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[first] = value
    return
  }
  const inner = target[first]
  const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {}
  target[first] = next
  setField(next, rest, value)
}

export function unknownField(schema: Schema, name: string): string {
  const names = listFields(schema).map((field) => field.name)
  if (names.length === 0) return 'This call has no fields.'
  const meant = nearest(name, names)
  return meant === null
    ? `Unknown field. Known fields: ${names.join(', ')}.`
    : `Unknown field. Did you mean ${meant}? Known fields: ${names.join(', ')}.`
}
