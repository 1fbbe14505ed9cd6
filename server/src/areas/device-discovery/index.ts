// The area of device discovery: its settings. This version does not look for devices.

import { defineArea } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { discoverySettings, slot } from './config.ts'
import * as contract from './contract.ts'

export const deviceDiscovery = defineArea({
  name: 'device-discovery',
  slots: [slot],
  settings: [discoverySettings],
  routes: settingsRoutes(contract.discoverySettings, discoverySettings),
})
