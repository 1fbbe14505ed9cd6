// What is said of a value that does not fit its schema, from the keyword that refused it and the schema that has the keyword.
// Pure, so that the server and the console say the same; a language is a function that translates the English text.

import type { SaidText } from '../../shared/said.ts'
import { sayText } from '../../shared/said-texts.ts'
import { maxProblems, type Problem } from './error.ts'
import { plainText } from './fields.ts'

export type FaultValues = Readonly<Record<string, string | number>>

/** Gives a text in some language, with `{name}` filled in. */
export type Say = (text: string, values?: FaultValues) => SaidText

/** A value that a schema refuses: where it is, and by which keyword of which schema. */
export interface SchemaFault {
  /** JSON pointer to the value, empty for the whole. */
  readonly place: string
  readonly keyword: string
  /** The one that has the keyword. */
  readonly schema: object
  /** The field that is missing or unknown, where that is the fault. */
  readonly property?: string
}

interface Keywords {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly 'x-fault'?: string
}

/** The words themselves, for the catalogs of other languages. */
export const faultWords = {
  notAllowed: 'This value is not allowed here.',
  missing: 'This field is missing.',
  unknown: 'Unknown field.',
  type: 'Must be {types}.',
  either: '{one} or {other}',
  oneOf: 'Must be one of: {words}.',
  exactly: 'Must be {value}.',
  notEmpty: 'Must not be empty.',
  atLeastCharacters: 'Must have at least {limit} characters.',
  atMostCharacters: 'Must have at most {limit} characters.',
  notEmptyList: 'Must not be an empty list.',
  atLeastEntries: 'Must have at least {limit} entries.',
  atMostEntries: 'Must have at most {limit} entries.',
  duplicate: 'Duplicate entry.',
  atLeast: 'Must be at least {limit}.',
  atMost: 'Must be at most {limit}.',
  control: 'Must not contain control characters.',
  pattern: 'The value has characters or a form that is not allowed here.',
} as const

export const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

/** English, as the server answers. */
export const sayEnglish: Say = (text, values = {}) => sayText(text, values)

function sayTypes(types: readonly string[], say: Say): SaidText {
  const words = [...new Set(types)].map((type) => say(typeWords[type] ?? type))
  return say(faultWords.type, { types: words.reduce((one, other) => say(faultWords.either, { one, other })) })
}

const sayLimit = (say: Say, text: string, limit: number | undefined): SaidText => say(text, { limit: limit ?? 0 })

/** One fault in words. */
export function sayFault(
  { keyword, schema }: Pick<SchemaFault, 'keyword' | 'schema'>,
  say: Say = sayEnglish,
): SaidText {
  const keywords = schema as Keywords
  const own = keywords['x-fault']
  switch (keyword) {
    case 'required':
      return say(faultWords.missing)
    case 'additionalProperties':
      return say(faultWords.unknown)
    case 'type':
      return sayTypes([String(keywords.type)], say)
    case 'enum':
      return own === undefined ? say(faultWords.oneOf, { words: (keywords.enum ?? []).join(', ') }) : say(own)
    case 'const':
      return say(faultWords.exactly, { value: JSON.stringify(keywords.const) })
    case 'minLength':
      return keywords.minLength === 1
        ? say(faultWords.notEmpty)
        : sayLimit(say, faultWords.atLeastCharacters, keywords.minLength)
    case 'maxLength':
      return sayLimit(say, faultWords.atMostCharacters, keywords.maxLength)
    case 'minItems':
      return keywords.minItems === 1
        ? say(faultWords.notEmptyList)
        : sayLimit(say, faultWords.atLeastEntries, keywords.minItems)
    case 'maxItems':
      return sayLimit(say, faultWords.atMostEntries, keywords.maxItems)
    case 'uniqueItems':
      return say(faultWords.duplicate)
    case 'minimum':
      return sayLimit(say, faultWords.atLeast, keywords.minimum)
    case 'maximum':
      return sayLimit(say, faultWords.atMost, keywords.maximum)
    case 'pattern':
      return say(keywords.pattern === plainText ? faultWords.control : (own ?? faultWords.pattern))
    default:
      return say(faultWords.notAllowed)
  }
}

/** Each branch of "or null" has its fault, and then the union; one sentence per field is enough. */
export function problemsOf(faults: readonly SchemaFault[], say: Say = sayEnglish): Problem[] {
  const problems = new Map<string, SaidText>()
  const notAllowed = say(faultWords.notAllowed)
  const unions = new Set(faults.filter(({ keyword }) => keyword === 'anyOf').map(({ place }) => place))
  for (const fault of faults) {
    const { keyword, place } = fault
    const field = fieldOf(fault)
    const inUnion = unions.has(place) && keyword === 'type'
    const isSaidBetter = (other: SchemaFault): boolean =>
      other.place === place && other.keyword !== 'type' && other.keyword !== 'anyOf'
    if (inUnion && faults.some(isSaidBetter)) continue
    const isOfOtherBranch = unions.has(place) && (keyword === 'enum' || keyword === 'const')
    // It is of the right kind, and what is wrong inside is said there.
    if (isOfOtherBranch && faults.some((other) => other.place.startsWith(`${place}/`))) continue
    const isKnown = problems.has(field)
    if (keyword === 'anyOf') {
      if (!isKnown) problems.set(field, notAllowed)
      continue
    }
    if (!isKnown) problems.set(field, inUnion ? sayTypes(typesAt(faults, place), say) : sayFault(fault, say))
    if (problems.size >= maxProblems) break
  }
  const isSaidDeeper = (field: string): boolean =>
    [...problems.keys()].some((other) => other.startsWith(`${field}.`) || other.startsWith(`${field}[`))
  return [...problems]
    .filter(([field, message]) => message !== notAllowed || !isSaidDeeper(field))
    .map(([field, message]) => ({ field, message }))
}

const typesAt = (faults: readonly SchemaFault[], place: string): string[] =>
  faults
    .filter((fault) => fault.place === place && fault.keyword === 'type')
    .map(({ schema }) => String((schema as Keywords).type))

/** The field as problems name it: `ranges[2]`, `sstp.port`, or `body` for the whole. */
export function fieldOf({ place, property }: Pick<SchemaFault, 'place' | 'property'>): string {
  const path = place
    .slice(1)
    .split('/')
    .filter((part) => part !== '')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const parts = property === undefined ? path : [...path, property.slice(0, 80)]
  return (
    parts.reduce((text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text ? `${text}.${part}` : part), '') ||
    'body'
  )
}
