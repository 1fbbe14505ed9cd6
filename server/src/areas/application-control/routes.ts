// Endpoints of application control.

import { handle, type Route } from '../../http/handle.ts'
import { listRoutes } from '../../http/routes.ts'
import type { ListDeclaration } from '../../model/declarations.ts'
import { rootGroup } from '../firewall/contract.ts'
import { rules } from './config.ts'
import { type ApplicationRule, applicationRules, applicationStatus } from './contract.ts'
import { applicationStatusItems } from './status.ts'
import { ruleProblems } from './verify.ts'

const list: ListDeclaration<ApplicationRule> = {
  slot: rules,
  noun: 'application control rule',
  ids: { kind: 'number' },
  defaults: { parent_id: rootGroup, comment: '', enabled: true },
  problemsOf: ruleProblems,
}

export const routes: readonly Route[] = [
  ...listRoutes(applicationRules, list),
  handle(applicationStatus, ({ config }) => applicationStatusItems(config)),
]
