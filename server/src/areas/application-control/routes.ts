// Endpoints of application control.

import { moveItem, removeItem } from '../../contract/list-edits.ts'
import { read } from '../../contract/slots.ts'
import { handle, type Route } from '../../http/handle.ts'
import { rules } from './config.ts'
import { type ApplicationRule, applicationRules, applicationStatus } from './contract.ts'
import { addRule, replaceRule, ruleItem } from './edits.ts'
import { applicationStatusItems } from './status.ts'

const ofRules = { slot: rules }

export const routes: readonly Route[] = [
  handle(applicationRules.list, ({ config }) => read(config, rules) as ApplicationRule[], ofRules),
  handle(
    applicationRules.create,
    ({ body, query, change }) =>
      change((config, tools) => {
        const id = tools.nextId(rules)
        return [addRule(config, id, body, query), { id }] as const
      }),
    ofRules,
  ),
  handle(
    applicationRules.replace,
    ({ params, body, change }) => change((config) => replaceRule(config, params.rule_id ?? '', body)),
    ofRules,
  ),
  handle(
    applicationRules.move,
    ({ body, change }) => {
      const { id, ...placement } = body.params
      return change((config) => moveItem(config, rules, id, placement, ruleItem))
    },
    ofRules,
  ),
  handle(
    applicationRules.remove,
    ({ params, change }) => change((config) => removeItem(config, rules, params.rule_id ?? '', ruleItem)),
    ofRules,
  ),
  handle(applicationStatus, ({ config }) => applicationStatusItems(config)),
]
