// What the history and the review call a stored object: `firewall.forward[42]` is "FORWARD rule 3" when it is the third of its table,
// and appears on a page. Pure.

import { msg, t } from '../words.ts'
import { type NumberOf, sayNumber, tableNamed, unknownNumbers } from './rule-numbers.ts'
import { storedKinds } from './stored-kinds.ts'

/** The table of rules, whose items people call by their number; other ids say nothing to a person. */
const numberedTable = (slot: string) =>
  slot.startsWith('firewall.') ? tableNamed(slot.slice('firewall.'.length)) : null

export interface StoredObject {
  readonly slot: string
  readonly id: string | null
}

/** `firewall.forward[42]` or `firewall.settings`. */
export function parseObject(object: string): StoredObject {
  const [, slot = object, id = null] = /^([^[\]]+)\[(.*)\]$/.exec(object) ?? []
  return { slot, id }
}

const humanise = (slot: string): string => {
  const words = slot.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

interface Field {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

const nameFields = ['title', 'name', 'login', 'ip_address', 'address', 'server', 'comment']

/** What a person calls the item, where the change shows it. */
export function nameIn(fields: readonly Field[]): string | null {
  for (const name of nameFields) {
    const found = fields.find(({ field }) => field === name)
    for (const value of [found?.after, found?.before])
      if (typeof value === 'string' && value !== '') return value.length > 60 ? `${value.slice(0, 59)}…` : value
  }
  return null
}

/** "FORWARD rule 3", "Static lease 10.0.0.5", "DNS settings". */
export function titleOfObject(
  object: string,
  fields: readonly Field[] = [],
  numberOf: NumberOf = unknownNumbers,
): string {
  const { slot, id } = parseObject(object)
  const kind = storedKinds[slot]
  const title = kind ? t(kind.title) : humanise(slot)
  if (id === null) return title
  const table = numberedTable(slot)
  const name = table ? sayNumber(numberOf(table, id), id) : (nameIn(fields) ?? (id.length <= 12 ? id : ''))
  return name === '' ? title : `${title} ${name}`
}

/** The page of the object; null when there is none to go to. */
export function pathOfObject(object: string): string | null {
  const { slot, id } = parseObject(object)
  const kind = storedKinds[slot]
  if (!kind) return null
  return id === null || kind.isShared ? kind.path : `${kind.path}/${encodeURIComponent(id)}`
}

/** A value of a field in few words. */
export function wordOfValue(value: unknown, nameOf: (id: string) => string = (id) => id): string {
  if (value === null || value === undefined) return t('none')
  if (value === true) return t('on')
  if (value === false) return t('off')
  if (value === '') return t('empty')
  if (typeof value === 'string') return nameOf(value)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return t('none')
    const shown = value.slice(0, 6).map((one) => wordOfValue(one, nameOf))
    return value.length > 6 ? `${shown.join(', ')} +${value.length - 6}` : shown.join(', ')
  }
  return JSON.stringify(value)
}

interface Change {
  readonly object: string
  readonly action: string
  readonly fields: readonly Field[]
}

const actionWords: Readonly<Record<string, string>> = {
  added: msg('added'),
  removed: msg('removed'),
  moved: msg('moved'),
}

/** "FORWARD rule 3: Action +1 and 3 more": the first of many changes in one line. */
export function summarise(
  changes: readonly Change[],
  labelOf: (field: string) => string,
  numberOf: NumberOf = unknownNumbers,
): string {
  const [first, ...others] = changes
  if (!first) return ''
  const [field, ...fields] = first.fields
  const word = actionWords[first.action]
  const what = word
    ? t(word)
    : field
      ? `${t(labelOf(field.field))}${fields.length > 0 ? ` +${fields.length}` : ''}`
      : ''
  const text = `${titleOfObject(first.object, first.fields, numberOf)}${what === '' ? '' : `: ${what}`}`
  return others.length > 0 ? t('{first} and {count} more', { first: text, count: others.length }) : text
}
