// The filter line of the rules: words that must be in a row, and terms such as `touches:10.1.2.40`, `action:drop`,
// `is:disabled` or `-comment:test`. Pure; what only the gateway knows is given by the caller.

import { parseSpan } from '@gateway/server/net/ipv4'
import { literalOf, type ObjectIndex, titleOf } from '../../../util/objects.ts'
import { msg } from '../../../words.ts'
import type { Mark } from './marks.ts'
import { actionText, isAny, protocolText, type RuleRow } from './rows.ts'

export interface Term {
  /** `null`: the word may be anywhere. */
  readonly field: FilterField | null
  readonly value: string
  readonly isNot: boolean
  /** As it was written. */
  readonly raw: string
}

export const filterFields = {
  touches: msg('rules that an address or network meets, inside objects too'),
  source: msg('name or value in the source'),
  destination: msg('name or value in the destination'),
  service: msg('protocol or port'),
  action: msg('what the rule does'),
  comment: msg('words of the comment'),
  interface: msg('name of an interface or zone'),
  object: msg('id of an object'),
  rule: msg('number of a rule'),
  is: msg('on, off, hit, unhit, shadowed, marked, any'),
} as const
export type FilterField = keyof typeof filterFields

const shortForms: Readonly<Record<string, FilterField>> = {
  src: 'source',
  from: 'source',
  dst: 'destination',
  to: 'destination',
  port: 'service',
  protocol: 'service',
  in: 'interface',
  zone: 'interface',
  id: 'rule',
}

const fieldOf = (word: string): FilterField | null => {
  const name = word.toLowerCase()
  if (Object.hasOwn(filterFields, name)) return name as FilterField
  return Object.hasOwn(shortForms, name) ? (shortForms[name] ?? null) : null
}

const termPattern = /-?(?:[A-Za-z]+:)?(?:"[^"]*"?|[^\s"]+)/g

export function parseFilter(text: string): Term[] {
  return (text.match(termPattern) ?? []).flatMap((raw) => {
    const isNot = raw.startsWith('-') && raw.length > 1
    const body = isNot ? raw.slice(1) : raw
    const colon = body.indexOf(':')
    const field = colon > 0 ? fieldOf(body.slice(0, colon)) : null
    const value = unquote(field === null ? body : body.slice(colon + 1)).toLowerCase()
    return value === '' ? [] : [{ field, value, isNot, raw }]
  })
}

const unquote = (text: string): string => text.replaceAll('"', '')

/** Terms with a field are shown as chips that can be removed, the rest stays in the line. */
export function splitFilter(text: string): { readonly chips: readonly string[]; readonly words: string } {
  const terms = text.match(termPattern) ?? []
  const isChip = (raw: string): boolean => parseFilter(raw)[0]?.field != null
  return {
    chips: terms.filter(isChip),
    words: terms.filter((raw) => !isChip(raw)).join(' '),
  }
}

/** What was finished with a blank becomes a chip while the person goes on writing. */
export function takeChips(line: string): { readonly chips: readonly string[]; readonly line: string } {
  const end = line.lastIndexOf(' ')
  if (end < 0) return { chips: [], line }
  const { chips } = splitFilter(line.slice(0, end))
  if (chips.length === 0) return { chips, line }
  const left = chips.reduce((rest, chip) => rest.replace(chip, ''), line)
  return { chips, line: left.replace(/\s+/g, ' ').trimStart() }
}

/** Addresses and networks that the gateway has to be asked about. */
export const addressesOf = (terms: readonly Term[]): readonly string[] =>
  terms.filter(({ field, value }) => field === 'touches' && isAskable(value)).map(({ value }) => value)

/** The call takes an address or a network, not a range. */
export const isAskable = (value: string): boolean => !value.includes('-') && parseSpan(value) !== null

export interface FilterContext {
  readonly index: ObjectIndex
  /** Ids of the rules of this table that an address meets; absent while the answer is awaited. */
  readonly touching: ReadonlyMap<string, ReadonlySet<number>>
  readonly marks: ReadonlyMap<number, Mark>
  readonly hitsOf: (id: number) => number | null
}

export function filterRows(
  rows: readonly RuleRow[],
  terms: readonly Term[],
  context: FilterContext,
): readonly RuleRow[] {
  if (terms.length === 0) return rows
  const tests = terms.map((term) => testOf(term, context))
  return rows.filter((row) => tests.every((test) => test(row)))
}

type Test = (row: RuleRow) => boolean

function testOf({ field, value, isNot }: Term, context: FilterContext): Test {
  const test = field === null ? (row: RuleRow) => row.text.includes(value) : fieldTest(field, value, context)
  return isNot ? (row) => !test(row) : test
}

function fieldTest(field: FilterField, value: string, { index, touching, marks, hitsOf }: FilterContext): Test {
  const texts = new Map<string, string>()
  const textOfId = (id: string): string => {
    const known = texts.get(id)
    if (known !== undefined) return known
    const object = index.byId.get(id)
    const text = (object ? `${object.title} ${literalOf(object)} ${id}` : id).toLowerCase()
    texts.set(id, text)
    return text
  }
  const hasObject = (ids: readonly string[]): boolean => ids.some((id) => textOfId(id).includes(value))
  switch (field) {
    case 'touches': {
      const ids = touching.get(value)
      return ({ rule }) => ids?.has(rule.id) ?? false
    }
    case 'source':
      return ({ rule }) => hasObject(rule.source_addresses)
    case 'destination':
      return ({ rule }) => hasObject(rule.destination_addresses)
    case 'service':
      return ({ rule }) =>
        protocolText(rule.protocol).toLowerCase() === value ||
        (!isAny(rule.destination_ports) && hasObject(rule.destination_ports)) ||
        (!isAny(rule.source_ports) && hasObject(rule.source_ports))
    case 'action':
      return ({ rule }) => rule.action === value || actionText(rule.action).toLowerCase() === value
    case 'comment':
      return ({ rule }) => rule.comment.toLowerCase().includes(value)
    case 'interface':
      return ({ rule }) =>
        [rule.incoming_interface, rule.outgoing_interface].some(
          (id) => id !== undefined && id !== 'any' && titleOf(index, id).toLowerCase().includes(value),
        )
    case 'object':
      return ({ rule }) =>
        [
          ...rule.source_addresses,
          ...rule.destination_addresses,
          ...rule.source_ports,
          ...rule.destination_ports,
          ...rule.timetable,
          rule.incoming_interface,
          rule.outgoing_interface,
        ].includes(value)
    case 'rule': {
      const [first, last = first] = value.split('-').map(Number)
      return ({ rule }) => rule.id >= (first ?? Number.NaN) && rule.id <= (last ?? Number.NaN)
    }
    case 'is':
      return stateTest(value, marks, hitsOf)
  }
}

function stateTest(value: string, marks: ReadonlyMap<number, Mark>, hitsOf: (id: number) => number | null): Test {
  switch (value) {
    case 'on':
    case 'enabled':
      return ({ rule }) => rule.enabled
    case 'off':
    case 'disabled':
      return ({ rule }) => !rule.enabled
    case 'hit':
      return ({ rule }) => (hitsOf(rule.id) ?? 0) > 0
    case 'unhit':
      return ({ rule }) => hitsOf(rule.id) === 0
    case 'marked':
      return ({ rule }) => marks.has(rule.id)
    case 'any':
      return ({ rule }) => isAny(rule.source_addresses) && isAny(rule.destination_addresses)
    default:
      return ({ rule }) => marks.get(rule.id)?.kinds.includes(value) ?? false
  }
}
