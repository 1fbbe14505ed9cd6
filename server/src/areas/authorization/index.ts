// The area of authorization: which hosts belong to which user, and the sessions that follow from it.

import { defineArea } from '../../core/area/handle.ts'
import { groups, users } from '../users/public.ts'
import { authorizationRules, authorizationSettings, settings } from './config.ts'
import { ruleList } from './lists.ts'
import { routes } from './routes.ts'

export const authorization = defineArea({
  name: 'authorization',
  slots: [authorizationRules, settings],
  lists: [ruleList],
  settings: [authorizationSettings],
  reads: [users, groups],
  routes,
})
