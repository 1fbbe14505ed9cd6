// The DHCP area: addresses for the local networks, leased here or by a server that requests are relayed to. dnsmasq does
// both.

import { defineArea } from '../../http/handle.ts'
import { authorizationRules } from '../authorization/public.ts'
import { aggregated, connections } from '../network/public.ts'
import { slots } from './config.ts'
import { references } from './edits.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const dhcp = defineArea({
  name: 'dhcp',
  slots,
  reads: [connections, aggregated, authorizationRules],
  verify,
  references,
  render,
  routes,
})
