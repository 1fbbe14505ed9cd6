// One field of many rules: what each of them becomes, and which of them cannot take it. Pure.

import { createFinder, type ObjectIndex } from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import { isEqual } from './equal.ts'
import { fieldNamed, missingOf, readCell } from './exchange.ts'
import { isAny } from './rows.ts'
import { kindsOfField, listFields, type Rule, type RuleFieldName, type RuleTable } from './tables.ts'

export type BulkMode = 'set' | 'add' | 'remove' | 'append'

export interface BulkEdit {
  readonly field: RuleFieldName
  readonly mode: BulkMode
  readonly value: unknown
}

export interface BulkPlan {
  readonly changes: readonly { readonly id: number; readonly body: Readonly<Record<string, unknown>> }[]
  /** Rules that have the value already. */
  readonly same: number
  readonly faults: readonly { readonly id: number; readonly message: string }[]
}

const isListField = (field: RuleFieldName): field is (typeof listFields)[number] =>
  (listFields as readonly string[]).includes(field)

export const modesOf = (field: RuleFieldName): readonly BulkMode[] => {
  if (isListField(field)) return ['set', 'add', 'remove']
  return field === 'comment' ? ['set', 'append'] : ['set']
}

export const bulkFields = ({ fields }: RuleTable): readonly RuleFieldName[] => [
  'action',
  ...fields.filter((field) => field !== 'action'),
]

const longestComment = 255
const mostObjects = 200

export function planBulk(rules: readonly Rule[], edit: BulkEdit): BulkPlan {
  const changes: BulkPlan['changes'][number][] = []
  const faults: BulkPlan['faults'][number][] = []
  let same = 0
  for (const rule of rules) {
    const next = nextValue(rule, edit)
    if (isFault(next)) faults.push({ id: rule.id, message: next.fault })
    else if (isEqual(rule[edit.field], next)) same++
    else changes.push({ id: rule.id, body: { [edit.field]: next } })
  }
  return { changes, same, faults }
}

interface Fault {
  readonly fault: string
}

const isFault = (value: unknown): value is Fault => typeof value === 'object' && value !== null && 'fault' in value

function nextValue(rule: Rule, { field, mode, value }: BulkEdit): unknown {
  if (isListField(field)) return nextList(rule, field, mode, value as readonly string[])
  if (field === 'comment' && mode === 'append') {
    const text = [rule.comment, String(value)].filter((part) => part !== '').join(' ')
    return [...text].length > longestComment ? { fault: t('The comment would be longer than 255 characters.') } : text
  }
  const needsPorts = !(isAny(rule.source_ports) && isAny(rule.destination_ports))
  if (field === 'protocol' && needsPorts && value !== 'protocol.tcp' && value !== 'protocol.udp')
    return { fault: t('It has ports, which need TCP or UDP.') }
  return value
}

function nextList(rule: Rule, field: (typeof listFields)[number], mode: BulkMode, value: readonly string[]) {
  const now = rule[field]
  const isPort = field === 'source_ports' || field === 'destination_ports'
  if (
    isPort &&
    mode !== 'remove' &&
    !isAny(value) &&
    rule.protocol !== 'protocol.tcp' &&
    rule.protocol !== 'protocol.udp'
  )
    return { fault: t('Ports need TCP or UDP.') }
  if (mode === 'set') return value
  if (mode === 'remove') {
    const left = now.filter((id) => !value.includes(id))
    // Without its last object the rule would mean everything.
    return left.length === 0 ? { fault: t('It would be left without an object, which would mean any.') } : left
  }
  if (isAny(now)) return { fault: t('It takes any already.') }
  const all = [...now, ...value.filter((id) => !now.includes(id))]
  return all.length > mostObjects ? { fault: t('It would have more than 200 objects.') } : all
}

/** `action = drop`, `source += Office`, `comment += ticket 7`, `destination -= Web 1`. */
export function readEdit(line: string, table: RuleTable, index: ObjectIndex): BulkEdit | { readonly problem: string } {
  const found = /^\s*([^=+-]+?)\s*([+-]?=)\s*(.*?)\s*$/.exec(line)
  if (!found) return { problem: t('Write a field and its value, such as action = drop.') }
  const [, name = '', sign = '=', text = ''] = found
  const field = fieldNamed(name, table)
  if (field === null) return { problem: t('No field is called {name}.', { name }) }
  const mode: BulkMode = sign === '=' ? 'set' : sign === '-=' ? 'remove' : field === 'comment' ? 'append' : 'add'
  if (!modesOf(field).includes(mode)) return { problem: t('This field can only be set, with =.') }
  if (text === '' && field !== 'comment') return { problem: t('The value is missing.') }
  if (text === '') return { field, mode, value: '' }
  const written = isListField(field) ? writtenList(field, text, index) : null
  if (written !== null) return { field, mode, value: written }
  const read = readCell(field, text, table, createFinder(index))
  return 'fault' in read ? { problem: read.fault.message } : { field, mode, value: read.value }
}

/** Addresses and ports without an object are taken as they are: their objects are made with the review. */
function writtenList(field: RuleFieldName, text: string, index: ObjectIndex): readonly string[] | null {
  const kinds = kindsOfField[field] ?? []
  const finder = createFinder(index)
  const parts = text.split(/[|,;]/).map((part) => part.trim())
  const values = parts.map((part) => {
    const meant = finder.find(part, kinds)
    if (meant !== null && 'id' in meant) return meant.id
    return missingOf(part, kinds) === null ? null : part
  })
  return values.includes(null) ? null : (values as readonly string[])
}
