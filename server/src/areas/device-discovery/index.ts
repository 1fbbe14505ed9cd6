// The area of device discovery: its settings. Nothing is looked for by this version.

import { defineArea } from '../../http/handle.ts'
import { discoverySettings } from './config.ts'
import { references } from './edits.ts'
import { routes } from './routes.ts'

export const deviceDiscovery = defineArea({
  name: 'device-discovery',
  slots: [discoverySettings],
  references,
  routes,
})
