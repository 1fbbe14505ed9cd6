// The web application firewall: profiles with their categories, rules and excluded rules. Stored; the engine comes later.

import { defineArea } from '../../http/handle.ts'
import { objectSlots } from '../objects/public.ts'
import { slots } from './config.ts'
import { references } from './references.ts'
import { routes } from './routes.ts'

export const webApplicationFirewall = defineArea({
  name: 'web-application-firewall',
  slots,
  reads: objectSlots,
  references,
  routes,
})
