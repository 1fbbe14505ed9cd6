// The area of authorization rules: which hosts belong to which user.

import { defineArea } from '../../http/handle.ts'
import { listRoutes } from '../../http/routes.ts'
import { authorizationRules } from './config.ts'
import * as contract from './contract.ts'
import { ruleList } from './lists.ts'

export const authorization = defineArea({
  name: 'authorization',
  slots: [authorizationRules],
  lists: [ruleList],
  routes: listRoutes(contract.authorizationRules, ruleList),
})
