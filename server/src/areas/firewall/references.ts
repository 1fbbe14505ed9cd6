// Every mention of an object in the firewall, so that nobody removes what a rule stands on. Rule tests are left out: a test
// whose interface is gone is a test with the result drop (firewall.md 3, "Tests").

import type { Reference } from '../../model/references.ts'
import { type Config, type Item, read } from '../../model/slots.ts'
import { accessOrder, bypassList, originOf, type RuleTable, ruleSlots, ruleTables, ruleTitle } from './config.ts'
import type { Bypass } from './contract-access-lists.ts'
import type { Rule } from './contract-rules.ts'
import { profileFields } from './inspection.ts'

const listFields = [
  'source_addresses',
  'source_ports',
  'destination_addresses',
  'destination_ports',
  'timetable',
  'hip_profiles',
] as const

const singleFields = [
  'incoming_interface',
  'outgoing_interface',
  'change_destination_address',
  'change_destination_port',
  'change_source_address',
] as const

export const references = (config: Config): Reference[] => [
  ...ruleTables.flatMap((table) =>
    read(config, ruleSlots[table]).flatMap((rule) => known(rule, () => ofRule(table, rule))),
  ),
  ...read(config, bypassList).flatMap((item) => known(item, () => ofBypass(item))),
  ...read(config, accessOrder).acl_ordered_list.flatMap(({ src, hip }, index) => {
    const user = { object: originOf(accessOrder, index), title: `Access list binding ${index + 1}` }
    return [...src.map((id) => ({ ...user, id, field: 'src' })), ...hip.map((id) => ({ ...user, id, field: 'hip' }))]
  }),
]

/** Items never change, so what they mention is gathered once. */
const gathered = new WeakMap<Item, readonly Reference[]>()

function known(item: Item, gather: () => readonly Reference[]): readonly Reference[] {
  const found = gathered.get(item)
  if (found) return found
  const made = gather()
  gathered.set(item, made)
  return made
}

/** `any` and literal addresses are no objects; neither has the form of an id. */
const isObject = (id: string): boolean => /^[a-z_]+\./.test(id)

function ofRule(table: RuleTable, rule: Rule): Reference[] {
  const user = { object: originOf(ruleSlots[table], rule.id), title: ruleTitle(table, rule.id) }
  const lists = listFields.flatMap((field) => (rule[field] ?? []).map((id) => ({ ...user, id, field })))
  const singles = singleFields.map((field) => ({ ...user, id: rule[field] ?? 'any', field }))
  const profiles = profileFields.flatMap((field) => (rule[field] ? [{ ...user, id: rule[field], field }] : []))
  return [...[...lists, ...singles].filter(({ id }) => isObject(id)), ...profiles]
}

const ofBypass = (item: Bypass): Reference[] =>
  item.aliases.map((id) => ({
    id,
    object: originOf(bypassList, item.id),
    field: 'aliases',
    title: `Exception from inspection ${item.comment || item.id}`,
  }))
