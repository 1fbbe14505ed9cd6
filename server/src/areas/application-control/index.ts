// The application control area: rules by user and application protocol. This release has no engine for them, so the area
// renders nothing and its status says so.

import { defineArea } from '../../core/area/handle.ts'
import { rules } from './config.ts'
import { ruleList } from './lists.ts'
import { routes } from './routes.ts'

export const applicationControl = defineArea({
  name: 'application-control',
  slots: [rules],
  lists: [ruleList],
  routes,
})
