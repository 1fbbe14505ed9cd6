// A draft is plain JSON beside the state it began from. Everything else (merge, review, As command, the guard) works on values.

import { heard } from '../words.ts'
import type { Item } from './define.ts'
import { bodyObject, type FormField, mainSchema, type Schema } from './schema.ts'

/** `sstp.port`, `ranges[2]`, `routes[0].gateway`: as the gateway names fields in its refusals. */
export type FieldPath = string

export interface Draft {
  /** As it was read; null for a new one. */
  readonly base: Item | null
  readonly value: Item
}

type Step = string | number

export function stepsOf(path: FieldPath): Step[] {
  const steps: Step[] = []
  for (const part of path.split('.')) {
    const [, head = '', rest = ''] = /^([^[]*)(.*)$/.exec(part) ?? []
    if (head !== '') steps.push(head)
    for (const [, index] of rest.matchAll(/\[(\d+)\]/g)) steps.push(Number(index))
  }
  return steps
}

export const joinPath = (around: FieldPath, step: Step): FieldPath =>
  typeof step === 'number' ? `${around}[${step}]` : around === '' ? step : `${around}.${step}`

export function getAt(value: unknown, path: FieldPath): unknown {
  let at: unknown = value
  for (const step of stepsOf(path)) {
    if (at === null || typeof at !== 'object') return undefined
    at = (at as Readonly<Record<Step, unknown>>)[step]
  }
  return at
}

/** A copy with one value replaced; all else is shared. */
export function setAt<T>(value: T, path: FieldPath, next: unknown): T {
  const put = (at: unknown, [step, ...rest]: readonly Step[]): unknown => {
    if (step === undefined) return next
    if (typeof step === 'number') {
      const list = Array.isArray(at) ? [...at] : []
      list[step] = put(list[step], rest)
      return list
    }
    const object = (at ?? {}) as Readonly<Record<string, unknown>>
    return { ...object, [step]: put(object[step], rest) }
  }
  return put(value, stepsOf(path)) as T
}

export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [keysA, keysB] = [Object.keys(a), Object.keys(b)]
  return (
    keysA.length === keysB.length &&
    keysA.every((key) => Object.hasOwn(b, key) && isEqual(a[key as keyof typeof a], b[key as keyof typeof b]))
  )
}

/** The fields that differ from the base, by name; of a new item those that differ from `empty`. */
export const changedFields = ({ base, value }: Draft, empty: Item = {}): string[] => {
  const before = base ?? empty
  return Object.keys({ ...before, ...value }).filter((name) => !isEqual(before[name], value[name]))
}

export const isDirty = (draft: Draft, empty?: Item): boolean => changedFields(draft, empty).length > 0

/** The body of a creation: what is required, and what was filled in, by the person or by the page. */
export function wholeNew(fields: readonly FormField[], value: Item): Item {
  return Object.fromEntries(
    fields.flatMap(({ name, isRequired }) => {
      const given = value[name]
      return given === undefined || (!isRequired && isBlank(given)) ? [] : [[name, given]]
    }),
  )
}

const isBlank = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Only what changed, inside objects whose fields may be left out too. */
export function patchBody(schema: Schema, base: Item, value: Item): Item {
  const { properties = {} } = bodyObject(schema)
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, own]) => {
      if (own['x-synonym-of'] !== undefined || own['x-neutral']) return []
      const [before, after] = [base[name], value[name]]
      if (after === undefined || isEqual(before, after)) return []
      const { schema: inner } = mainSchema(own)
      const takesSubset =
        inner.type === 'object' && inner.properties !== undefined && (inner.required ?? []).length === 0
      return [[name, takesSubset && isItem(before) && isItem(after) ? patchBody(inner, before, after) : after]]
    }),
  )
}

/** The whole object, for PUT: every field that the body takes. */
export function wholeBody(schema: Schema, value: Item): Item {
  const { properties = {}, required = [] } = bodyObject(schema)
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, own]) => {
      if (own['x-synonym-of'] !== undefined || own['x-neutral']) return []
      const given = value[name]
      if (given === undefined || (given === '' && !required.includes(name) && !takesEmpty(own))) return []
      return [[name, given]]
    }),
  )
}

const takesEmpty = (schema: Schema): boolean => {
  const { schema: main } = mainSchema(schema)
  return main.type === 'string' && (main.minLength ?? 0) === 0
}

export const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Faults by field: those that belong to a shown field, and the rest for the summary. */
export interface Faults {
  readonly at: ReadonlyMap<FieldPath, string>
  readonly rest: readonly { readonly field: string; readonly message: string }[]
}

export const noFaults: Faults = { at: new Map(), rest: [] }

/** A fault beside the deepest shown field that contains it; what belongs to none is left for the summary. */
export function sortFaults(
  problems: readonly { readonly field: string; readonly message: string }[],
  shown: ReadonlySet<string>,
): Faults {
  const at = new Map<FieldPath, string>()
  const rest: { field: string; message: string }[] = []
  for (const { field, message } of problems) {
    const own = ownerOf(field, shown)
    if (own === null) rest.push({ field, message })
    else if (!at.has(field)) at.set(field, message)
  }
  return { at, rest }
}

const ownerOf = (field: string, shown: ReadonlySet<string>): string | null => {
  const [first] = stepsOf(field)
  return typeof first === 'string' && shown.has(first) ? first : null
}

/** The fault of a field itself, or of something inside it that has no widget of its own. */
export function faultAt(faults: Faults, path: FieldPath, isInner = false): string | undefined {
  const own = faults.at.get(path)
  if (own !== undefined) return heard(own)
  if (!isInner) return undefined
  for (const [field, message] of faults.at)
    if (field.startsWith(`${path}.`) || field.startsWith(`${path}[`)) return heard(message)
  return undefined
}

/** Faults of the entries of a list, by their index. */
export function entryFaults(faults: Faults, path: FieldPath): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const [field, message] of faults.at) {
    if (!field.startsWith(`${path}[`)) continue
    const index = Number(/^\[(\d+)\]/.exec(field.slice(path.length))?.[1] ?? Number.NaN)
    if (Number.isInteger(index)) found.set(index, heard(message))
  }
  return found
}
