// What can be done to rules and lists of the firewall. The fields of a new or changed item are judged here, in the words of
// the call that sent them; verify.ts judges the whole.

import { GatewayError, invalid, type Problem, refuse } from '../../contract/error.ts'
import { addItem, type Placement, requireItem, updateItem } from '../../contract/list-edits.ts'
import { type Config, type Item, type ListSlot, read, write } from '../../contract/slots.ts'
import { accessLists, accessOrder, checks, type RuleTable, ruleDefaults, ruleSlots, ruleTitle } from './config.ts'
import type { AccessOrder } from './contract-access-lists.ts'
import type { Rule } from './contract-rules.ts'
import { bindingProblems } from './verify-lists.ts'
import { ruleProblems } from './verify-rules.ts'

export const ruleItem = (table: RuleTable): string => `${table.toUpperCase()} rule`

export function addRule(config: Config, table: RuleTable, id: number, fields: object, placement: Placement): Config {
  const rule = { ...ruleDefaults[table], ...fields, id } as Rule
  refuse(ruleProblems(config, table, rule))
  return addItem(config, ruleSlots[table], rule, placement)
}

export function updateRule(config: Config, table: RuleTable, id: string, patch: object): Config {
  const current = requireItem(config, ruleSlots[table], id, ruleItem(table))
  return putRule(config, table, { ...current, ...patch })
}

export function replaceRule(config: Config, table: RuleTable, id: string, fields: { readonly id?: number }): Config {
  const current = requireItem(config, ruleSlots[table], id, ruleItem(table))
  if (fields.id !== undefined && fields.id !== current.id)
    throw invalid('id', `The path names ${ruleTitle(table, current.id)}, the body another one.`)
  return putRule(config, table, { ...ruleDefaults[table], ...fields, id: current.id } as Rule)
}

function putRule(config: Config, table: RuleTable, rule: Rule): Config {
  refuse(ruleProblems(config, table, rule))
  return updateItem(config, ruleSlots[table], rule)
}

export function addTo<T extends Item>(config: Config, list: CheckedList<T>, item: T): Config {
  refuse(list.problemsOf(config, item))
  return addItem(config, list.slot, item)
}

export function updateIn<T extends Item>(config: Config, list: CheckedList<T>, id: string, patch: object): Config {
  const item = { ...requireItem(config, list.slot, id, list.item), ...patch }
  refuse(list.problemsOf(config, item))
  return updateItem(config, list.slot, item)
}

/** A list whose items must hold more than their schema says. */
export interface CheckedList<T extends Item> {
  readonly slot: ListSlot<T>
  /** One item in words, for messages. */
  readonly item: string
  readonly problemsOf: (config: Config, item: T) => readonly Problem[]
}

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
