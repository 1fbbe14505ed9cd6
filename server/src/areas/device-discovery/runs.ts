// How what device discovery offers is made.

import { type Run, run } from '../../core/area/run.ts'
import { userSessionsService } from '../authorization/service.ts'
import { startDiscovery } from './jobs.ts'
import { createCardVendors } from './runs/card-vendors.ts'
import { cardVendorsService, deviceDiscoveryService } from './service.ts'

export const runs: readonly Run[] = [
  run(cardVendorsService, ({ settings }) => (settings.isOnMachine ? { offers: createCardVendors() } : null)),
  run(deviceDiscoveryService, ({ services, settings, log }) => {
    if (!settings.isOnMachine) return null
    const discovery = startDiscovery(services, (error) => log('warning', 'devices were not added', { error }))
    services.of(userSessionsService).onUnknown(discovery.note)
    return { offers: discovery, stop: discovery.stop }
  }),
]
