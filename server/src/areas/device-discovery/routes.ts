// Endpoints of device discovery.

import { handle, type Route } from '../../core/area/handle.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import { isRandomMac } from '../../shared/net/neighbours.ts'
import { discoverySettings } from './config.ts'
import * as contract from './contract.ts'
import { seenDevices, showDevice } from './devices.ts'
import { mostPerMinute, readSurroundings } from './jobs.ts'
import { cardVendorsService, deviceDiscoveryService } from './service.ts'
import { discoveryStatusItems } from './status.ts'

export const routes: readonly Route[] = [
  ...settingsRoutes(contract.discoverySettings, discoverySettings),
  handle(contract.showStatus, async ({ config, services }) => {
    const [machine, hasVendors] = await Promise.all([
      services.observe(),
      services.of(cardVendorsService)?.isKnown() ?? false,
    ])
    return discoveryStatusItems({
      config,
      machine,
      hasVendors,
      mostPerMinute,
      state: services.of(deviceDiscoveryService)?.state() ?? null,
    })
  }),
  handle(contract.listDevices, async ({ services }) => {
    const around = await readSurroundings(services)
    const seen = seenDevices(around, Math.floor(services.clock.now().getTime() / 1000))
    const macs = seen.map(({ mac }) => mac).filter((mac) => !isRandomMac(mac))
    const names = (await services.of(cardVendorsService)?.lookUp(macs)) ?? new Map<string, string>()
    return seen.map((device) => showDevice(device, names))
  }),
]
