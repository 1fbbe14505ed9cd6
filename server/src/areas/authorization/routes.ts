// Endpoints of authorization rules.

import type { Route } from '../../http/handle.ts'
import { listRoutes } from '../../http/routes.ts'
import { authorizationRules } from './contract.ts'
import { ruleList } from './edits.ts'

export const routes: readonly Route[] = listRoutes(authorizationRules, ruleList)
