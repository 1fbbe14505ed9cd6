// Stored settings of device discovery. Off, and into the topmost group, until somebody decides otherwise.

import { single } from '../../model/slots.ts'
import { DiscoverySettings } from './contract.ts'

export const discoverySettings = single('device_discovery.settings', DiscoverySettings, {
  enabled: false,
  group_id: 1,
  networks: [],
})
