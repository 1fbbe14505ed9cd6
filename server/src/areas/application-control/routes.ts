// Endpoints of application control.

import { handle, type Route } from '../../http/handle.ts'
import { orderedRoutes } from '../../http/routes.ts'
import type { ItemList } from '../../model/item-list.ts'
import { rootGroup } from '../firewall/contract.ts'
import { rules } from './config.ts'
import { type ApplicationRule, applicationRules, applicationStatus } from './contract.ts'
import { applicationStatusItems } from './status.ts'
import { ruleProblems } from './verify.ts'

const list: ItemList<ApplicationRule> = {
  slot: rules,
  item: 'application control rule',
  defaults: { parent_id: rootGroup, comment: '', enabled: true },
  problemsOf: ruleProblems,
}

export const routes: readonly Route[] = [
  ...orderedRoutes(applicationRules, list),
  handle(applicationStatus, ({ config }) => applicationStatusItems(config)),
]
