// The network area: interfaces of all kinds, rendered into links of the kernel.

import { defineArea } from '../../http/handle.ts'
import { aggregated, connections, spans, tunnels, vceConnections, zones } from './config.ts'
import { references } from './references.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'
import { verify } from './verify.ts'

export const network = defineArea({
  name: 'network',
  slots: [connections, aggregated, tunnels, vceConnections, spans, zones],
  verify,
  references,
  render,
  routes,
})
