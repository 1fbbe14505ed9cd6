// The content filter area: categories, rules and dictionaries as administrators set them. Its engine is not part of this
// release, so it renders nothing and its status says so.

import { defineArea } from '../../http/handle.ts'
import { objectSlots } from '../objects/public.ts'
import { groups, users } from '../users/public.ts'
import { slots } from './config.ts'
import { references } from './references.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const contentFilter = defineArea({
  name: 'content-filter',
  slots,
  reads: [...objectSlots, users, groups],
  verify,
  references,
  routes,
})
