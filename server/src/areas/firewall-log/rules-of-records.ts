// From a record of the firewall log to the rule that wrote it.

import { findIn } from '../../core/model/item-index.ts'
import type { Config } from '../../core/model/slots.ts'
import { accessLists, ruleSlots } from '../firewall/public.ts'
import type { LoggedRule } from './contract.ts'

type Named = Pick<LoggedRule, 'table' | 'rule_id'>

const tablesOfRules = { FWD: 'forward', INP: 'input', DNAT: 'dnat', SNAT: 'snat', LOG: 'log' } as const

export function ruleOfRecord(config: Config, { table, rule_id }: Named): LoggedRule {
  const named = { table, rule_id }
  if (table === 'ACL') {
    const found = findIn(config, accessLists, rule_id)
    if (found)
      return { ...named, exists: true, path: `/acl/rules/${found.id}`, name: found.name, action: null, enabled: true }
  } else if (table !== 'SYS') {
    const place = tablesOfRules[table]
    // Other spellings of a number are not the id of a rule.
    const id = Number(rule_id)
    const rule = `${id}` === rule_id ? findIn(config, ruleSlots[place], id) : undefined
    if (rule) {
      const { comment, action, enabled } = rule
      return { ...named, exists: true, path: `/firewall/rules/${place}/${id}`, name: comment, action, enabled }
    }
  }
  return { ...named, exists: false, path: null, name: '', action: null, enabled: false }
}
