// What can be done to application control rules: add and replace; their aliases are judged here, in the words of the call.

import { refuse } from '../../contract/error.ts'
import { addItem, type Placement, requireItem, updateItem } from '../../contract/list-edits.ts'
import type { Config } from '../../contract/slots.ts'
import { rootGroup } from '../firewall/contract.ts'
import { rules } from './config.ts'
import type { ApplicationRule, WholeRule } from './contract.ts'
import { ruleProblems } from './verify.ts'

export const ruleItem = 'application control rule'

/** What a body may leave out. */
const defaults = { parent_id: rootGroup, comment: '', enabled: true }

export function addRule(config: Config, id: number, body: WholeRule, placement: Placement): Config {
  return addItem(config, rules, checked(config, { ...defaults, ...body, id }), placement)
}

export function replaceRule(config: Config, id: string, body: WholeRule): Config {
  const current = requireItem(config, rules, id, ruleItem)
  return updateItem(config, rules, checked(config, { ...defaults, ...body, id: current.id }))
}

function checked(config: Config, rule: ApplicationRule): ApplicationRule {
  refuse(ruleProblems(config, rule))
  return rule
}
