// The area of the VPN servers: settings, access, addresses and routes of VPN clients. What serves them comes with a later
// release.

import { defineArea } from '../../http/handle.ts'
import { connections, tunnels } from '../network/public.ts'
import { objectSlots } from '../objects/public.ts'
import { groups, users } from '../users/public.ts'
import { slots } from './config.ts'
import { references } from './references.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const vpn = defineArea({
  name: 'vpn',
  slots,
  reads: [...objectSlots, users, groups, connections, tunnels],
  verify,
  references,
  routes,
})
