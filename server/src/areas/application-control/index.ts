// The application control area: rules by user and application protocol. It renders nothing itself: the firewall sends connections
// to the inspection engine, whose area makes the rules of the engine from these.

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
