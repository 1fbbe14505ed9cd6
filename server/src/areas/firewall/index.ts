// The firewall area: rules of five tables, hardware filtering, access lists and rule tests, compiled into nftables.

import { defineArea } from '../../http/handle.ts'
import { groups, users } from '../users/config.ts'
import { slots } from './config.ts'
import { foreignSlots } from './policy.ts'
import { references } from './references.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const firewall = defineArea({
  name: 'firewall',
  slots,
  reads: [...foreignSlots, users, groups],
  verify,
  references,
  render,
  routes,
})
