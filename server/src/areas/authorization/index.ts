// The area of authorization rules: which hosts belong to which user.

import { defineArea } from '../../http/handle.ts'
import { listRoutes, settingsRoutes } from '../../http/routes.ts'
import { authorizationRules, authorizationSettings, settings } from './config.ts'
import * as contract from './contract.ts'
import { ruleList } from './lists.ts'

export const authorization = defineArea({
  name: 'authorization',
  slots: [authorizationRules, settings],
  lists: [ruleList],
  settings: [authorizationSettings],
  routes: [
    ...listRoutes(contract.authorizationRules, ruleList),
    ...settingsRoutes(contract.authorizationSettings, authorizationSettings),
  ],
})
