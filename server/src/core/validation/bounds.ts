// The size of a value against its schema, in one walk that stops early: lists with too many entries at any depth, and
// objects with more unknown fields than a refusal names. Ajv looks at every entry before it counts them.

import type { TSchema } from 'typebox'
import { sayText } from '../../shared/said-texts.ts'
import { maxProblems, type Problem } from '../contract/error.ts'
import { faultWords, sayFault } from '../contract/faults.ts'

/** The keywords that our schemas consist of, as far as they say something about size. */
interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Shape[]
}

/** None when the value is small enough to be looked at in detail. */
export function sizeFaults(schema: TSchema, value: unknown): Problem[] {
  const found: Found = { tooLong: [], unknown: [] }
  walk(schema as Shape, value, '', found)
  if (found.tooLong.length === 0 && found.unknown.length < maxProblems) return []
  return [...found.tooLong, ...found.unknown].slice(0, maxProblems)
}

interface Found {
  readonly tooLong: Problem[]
  readonly unknown: Problem[]
}

const isEnough = ({ tooLong, unknown }: Found): boolean => tooLong.length + unknown.length >= maxProblems

function walk(schema: Shape, value: unknown, path: string, found: Found): void {
  if (Array.isArray(value)) {
    const list = branchOf(schema, 'array')
    if (list) walkList(list, value, path, found)
  } else if (typeof value === 'object' && value !== null) {
    const object = branchOf(schema, 'object')
    if (object) walkObject(object, value, path, found)
  }
}

/** A schema has one branch for lists and one for objects at most, which a test of the contract holds. */
const branchOf = (schema: Shape, type: string): Shape | undefined =>
  schema.anyOf ? schema.anyOf.find((branch) => branch.type === type) : schema.type === type ? schema : undefined

function walkList(list: Shape, value: readonly unknown[], path: string, found: Found): void {
  const most = mostItems(list)
  if (value.length > most) {
    found.tooLong.push({
      field: path || 'body',
      message: sayFault({ keyword: 'maxItems', schema: { maxItems: most } }),
    })
    return
  }
  const { items } = list
  if (!items || !hasInside(items)) return
  for (let index = 0; index < value.length && !isEnough(found); index++) {
    walk(items, value[index], `${path}[${index}]`, found)
  }
}

function walkObject({ properties = {} }: Shape, value: object, path: string, found: Found): void {
  // Not Object.entries: a list of the fields of an object that has a million is what must not be made.
  for (const name in value) {
    if (isEnough(found)) return
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    const field = path ? `${path}.${name.slice(0, 80)}` : name.slice(0, 80)
    if (!inner) found.unknown.push({ field, message: sayText(faultWords.unknown) })
    else if (hasInside(inner)) walk(inner, (value as Readonly<Record<string, unknown>>)[name], field, found)
  }
}

/** Entries that differ and are of an enumeration cannot be more than it has. */
export const mostItems = ({ maxItems, uniqueItems, items }: Shape): number =>
  maxItems ?? (uniqueItems && items?.enum ? items.enum.length : Number.POSITIVE_INFINITY)

const inside = new WeakMap<Shape, boolean>()

/** Texts and numbers need no walk, and most lists consist of them. */
function hasInside(schema: Shape): boolean {
  const known = inside.get(schema)
  if (known !== undefined) return known
  const has = schema.type === 'array' || schema.type === 'object' || (schema.anyOf ?? []).some(hasInside)
  inside.set(schema, has)
  return has
}
