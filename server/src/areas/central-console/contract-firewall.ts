// FORWARD and INPUT rules of the console (docs/behaviour/central-console.md 3): they have the fields of the firewall's rules.

import { endpoint } from '../../core/contract/endpoint.ts'
import { named, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { FilterRule, forwardRules } from '../firewall/contract.ts'
import { GroupId, ruleTable } from './contract-tables.ts'

const creation = strictObject({
  ...(forwardRules.create.body as NonNullable<typeof forwardRules.create.body>).properties,
  parent_id: Type.Optional(GroupId),
})

function firewallTable(table: 'FORWARD' | 'INPUT', place: 'before' | 'after', word: string) {
  const path = `/firewall/rules/${table.toLowerCase()}/${place}`
  const item = `${word === 'initial' ? 'an' : 'a'} ${word} ${table} rule of the console`
  return {
    ...ruleTable({
      path,
      title: `${word} ${table} rules of the console`,
      item,
      fields: named('NewConsoleFirewallRule', creation),
      shown: FilterRule,
    }),
    replace: endpoint({
      method: 'PUT',
      path: `${path}/:rule_id`,
      access: 'firewall',
      summary: `Replace ${item}`,
      description: 'The whole rule: what is not sent gets its default.',
      body: named(
        'ConsoleFirewallRuleReplacement',
        strictObject({ id: Type.Optional(Type.Integer()), ...creation.properties }),
      ),
    }),
  }
}

export const forwardBefore = firewallTable('FORWARD', 'before', 'initial')
export const forwardAfter = firewallTable('FORWARD', 'after', 'final')
export const inputBefore = firewallTable('INPUT', 'before', 'initial')
export const inputAfter = firewallTable('INPUT', 'after', 'final')
