// The DNS area: how names are resolved for the local networks, by unbound. Interception is in the firewall's table.

import { defineArea } from '../../core/area/handle.ts'
import { connections } from '../network/public.ts'
import { slots } from './config.ts'
import { ddnsSettings, lists } from './lists.ts'
import { render } from './render.ts'
import { routes } from './routes.ts'

export const dns = defineArea({
  name: 'dns',
  slots,
  lists,
  settings: [ddnsSettings],
  reads: [connections],
  render,
  routes,
})
