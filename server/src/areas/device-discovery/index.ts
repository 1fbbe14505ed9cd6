// The area of device discovery: unknown hosts of local networks become users, and the devices that are seen there.

import { defineArea } from '../../core/area/handle.ts'
import { discoverySettings, slot } from './config.ts'
import { routes } from './routes.ts'

export const deviceDiscovery = defineArea({
  name: 'device-discovery',
  slots: [slot],
  settings: [discoverySettings],
  routes,
})
