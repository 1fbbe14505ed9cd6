// One rule that is written in the drawer: what it starts from, what is sent of it, and how it meets a change by someone else. Pure.

import { createFinder, type ObjectIndex } from '../../../util/objects.ts'
import { isEqual } from './equal.ts'
import { missingOf } from './exchange.ts'
import { isAny } from './rows.ts'
import { kindsOfField, type Rule, type RuleFieldName, type RuleTable } from './tables.ts'

/** Where a new rule goes. */
export type Placement = { readonly anchor: number; readonly isAfter: boolean } | null

/** Cast: the defaults of each table hold the fields of its rules. */
export const newRule = (table: RuleTable): Rule => ({ ...(table.defaults as unknown as Rule), id: 0 })

/** A copy is off until it is looked at, as it does what the original does. */
export const copyOf = (rule: Rule): Rule => ({ ...rule, id: 0 })

export const changedFields = (base: Rule, rule: Rule): readonly (keyof Rule)[] =>
  (Object.keys(rule) as (keyof Rule)[]).filter((name) => name !== 'id' && !isEqual(base[name], rule[name]))

/** What differs from the rule of the gateway. */
export const patchOf = (base: Rule, rule: Rule): Partial<Rule> =>
  Object.fromEntries(changedFields(base, rule).map((name) => [name, rule[name]])) as Partial<Rule>

/** Of a new rule: what differs from the defaults, and the action. */
export function creationOf(table: RuleTable, rule: Rule): Readonly<Record<string, unknown>> {
  const fields = Object.entries(rule).filter(
    ([name, value]) => name !== 'id' && (name === 'action' || !isEqual(table.defaults[name], value)),
  )
  return Object.fromEntries(fields)
}

/** Fields that both sides changed to something else. */
export const disputed = (base: Rule, mine: Rule, theirs: Rule): readonly (keyof Rule)[] =>
  changedFields(base, mine).filter((name) => !isEqual(base[name], theirs[name]) && !isEqual(mine[name], theirs[name]))

/** A rule from the values that are in the address: `?source=10.1.2.9&protocol=tcp&port=443&action=drop`; ids or addresses. */
export function prefilled(table: RuleTable, search: Readonly<Record<string, string>>, index: ObjectIndex): Rule {
  const rule: Record<string, unknown> = { ...newRule(table) }
  const finder = createFinder(index)
  const lists: readonly (readonly [RuleFieldName, string | undefined])[] = [
    ['source_addresses', search.source],
    ['destination_addresses', search.destination],
    ['destination_ports', search.port],
  ]
  for (const [field, text = ''] of lists) {
    const kinds = kindsOfField[field] ?? []
    const values = text.split(',').flatMap((part) => {
      const meant = part === '' ? null : finder.find(part, kinds)
      if (meant !== null && 'id' in meant) return [meant.id]
      return missingOf(part, kinds) === null ? [] : [part]
    })
    if (values.length > 0) rule[field] = values
  }
  const { protocol, action, comment, in: incoming } = search
  if (protocol !== undefined && /^(?:tcp|udp|icmp|gre|esp|ah)$/.test(protocol)) rule.protocol = `protocol.${protocol}`
  if (rule.protocol !== 'protocol.tcp' && rule.protocol !== 'protocol.udp') rule.destination_ports = ['any']
  if (action !== undefined && table.actions.includes(action)) rule.action = action
  if (comment !== undefined) rule.comment = comment.slice(0, 255)
  if (incoming !== undefined && index.byId.has(incoming) && table.fields.includes('incoming_interface'))
    rule.incoming_interface = incoming
  // Cast: what is left are the fields of a rule.
  return rule as unknown as Rule
}

/** Whether nothing narrows the rule down: it is worth a warning. */
export const matchesEverything = (rule: Rule): boolean =>
  rule.protocol === 'any' &&
  isAny(rule.source_addresses) &&
  isAny(rule.destination_addresses) &&
  (rule.incoming_interface ?? 'any') === 'any' &&
  (rule.outgoing_interface ?? 'any') === 'any'
