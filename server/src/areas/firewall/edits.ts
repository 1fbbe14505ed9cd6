// What can be done to rules and lists of the firewall. The fields of a new or changed item are judged here, in the words of
// the call that sent them; verify.ts judges the whole.

import { GatewayError, refuse } from '../../contract/error.ts'
import type { ListDeclaration } from '../../model/declarations.ts'
import { addItem, type Placement, requireItem } from '../../model/list-edits.ts'
import { addTo } from '../../model/lists.ts'
import { type Config, read, write } from '../../model/slots.ts'
import { accessLists, accessOrder, checks, type RuleTable, ruleDefaults, ruleSlots } from './config.ts'
import type { AccessOrder } from './contract-access-lists.ts'
import type { Rule } from './contract-rules.ts'
import { bindingProblems } from './verify-lists.ts'
import { ruleProblems } from './verify-rules.ts'

export const ruleList = (table: RuleTable): ListDeclaration<Rule> => ({
  slot: ruleSlots[table],
  noun: `${table.toUpperCase()} rule`,
  ids: { kind: 'number' },
  defaults: ruleDefaults[table],
  problemsOf: (config, rule) => ruleProblems(config, table, rule),
})

export const addRule = (config: Config, table: RuleTable, id: number, fields: object, placement: Placement): Config =>
  addTo(config, ruleList(table), id, fields, placement)

export function removeAccessList(config: Config, id: string): Config {
  const list = requireItem(config, accessLists, id, 'access control list')
  const users = read(config, accessOrder).acl_ordered_list.flatMap(({ acl }, index) => (acl === list.id ? [index] : []))
  if (users.length > 0) {
    throw new GatewayError('conflict', 'The access control list is bound in acl-order.', {
      problems: users.map((index) => ({ field: `acl_ordered_list[${index}].acl`, message: `Binding ${index + 1}` })),
    })
  }
  return write(
    config,
    accessLists,
    read(config, accessLists).filter((other) => other !== list),
  )
}

/** Without a list everything stays as it is, as with every change of settings. */
export function replaceBindings(config: Config, { acl_ordered_list: bindings }: Partial<AccessOrder>): Config {
  if (bindings === undefined) return config
  refuse(bindings.flatMap((binding, at) => bindingProblems(config, binding, `acl_ordered_list[${at}]`)))
  return write(config, accessOrder, { acl_ordered_list: bindings })
}

export function copyCheck(config: Config, id: string, newId: string): Config {
  const check = requireItem(config, checks, id, 'rule test')
  return addItem(config, checks, { ...check, id: newId })
}
