// The area of monitoring: what passes through the gateway now, journals of it, and the settings of those who watch from
// outside (flow collectors, SNMP, monitoring servers). Nothing is exported or answered yet.

import { defineArea } from '../../http/handle.ts'
import { connections, tunnels, zones } from '../network/public.ts'
import { slots } from './config.ts'
import { references } from './references.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const monitor = defineArea({
  name: 'monitor',
  slots,
  reads: [connections, tunnels, zones],
  verify,
  references,
  routes,
})
