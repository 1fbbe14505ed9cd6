// Endpoints of the DHCP server and relay.

import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes } from '../../core/area/routes.ts'
import * as contract from './contract.ts'
import { showLeases } from './leases.ts'
import { entryList, leaseList } from './lists.ts'
import { dhcpLeasesService } from './service.ts'
import { dhcpStatusItems } from './status.ts'

export const routes: readonly Route[] = [
  handle(contract.showStatus, async ({ config, services }) =>
    dhcpStatusItems({ config, facts: services.facts(), machine: await services.observe() }),
  ),
  ...listRoutes(contract.entries, entryList),
  ...listRoutes(contract.staticLeases, leaseList),
  handle(contract.listLeases, async ({ config, services }) => {
    const seconds = Math.floor(services.clock.now().getTime() / 1000)
    return showLeases(config, (await services.of(dhcpLeasesService)?.list(seconds)) ?? [])
  }),
]
