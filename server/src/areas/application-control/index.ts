// The application control area: rules by user and application protocol. Its engine is not part of this release, so it
// renders nothing and its status says so.

import { defineArea } from '../../http/handle.ts'
import { objectSlots } from '../objects/public.ts'
import { groups, users } from '../users/public.ts'
import { rules } from './config.ts'
import { routes } from './routes.ts'
import { references, verify } from './verify.ts'

export const applicationControl = defineArea({
  name: 'application-control',
  slots: [rules],
  reads: [...objectSlots, users, groups],
  verify,
  references,
  routes,
})
