// The firewall area: rules of five tables, hardware filtering, access lists and rule tests, compiled into nftables.

import { defineArea } from '../../http/handle.ts'
import { settings as dnsSettings } from '../dns/public.ts'
import { slots } from './config.ts'
import { references } from './references.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'
import { serviceSlots } from './services.ts'
import { namedSlots, verify } from './verify.ts'

export const firewall = defineArea({
  name: 'firewall',
  slots,
  reads: [...namedSlots, ...serviceSlots, dnsSettings],
  verify,
  references,
  render,
  routes,
})
