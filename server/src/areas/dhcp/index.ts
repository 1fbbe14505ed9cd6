// The DHCP area: addresses for the local networks, leased here or by a server that requests are relayed to. dnsmasq does
// both.

import { defineArea } from '../../core/area/handle.ts'
import { authorizationRules, settings as authorizationSettings } from '../authorization/public.ts'
import { aggregated, connections, tunnels } from '../network/public.ts'
import { settings as portalSettings } from '../portal/public.ts'
import { verify } from './authorized-networks.ts'
import { slots } from './config.ts'
import { lists } from './lists.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'

export const dhcp = defineArea({
  name: 'dhcp',
  slots,
  lists,
  reads: [connections, aggregated, tunnels, authorizationRules, authorizationSettings, portalSettings],
  verify,
  render,
  routes,
})
