// How what DHCP offers is made.

import { join } from 'node:path'
import { type Run, run } from '../../core/area/run.ts'
import { read } from '../../core/model/slots.ts'
import { leasesPath } from '../../engines/dhcp/index.ts'
import { parseNeighbours } from '../../shared/net/neighbours.ts'
import { entries } from './config.ts'
import { createDhcpLeases } from './runs/dhcp-leases.ts'
import { createUsedAddresses } from './runs/used-addresses.ts'
import { dhcpLeasesService, usedAddressesService } from './service.ts'

/** How soon an address that a host uses without a lease is kept from others. */
const neighboursMilliseconds = 5_000

export const runs: readonly Run[] = [
  run(dhcpLeasesService, ({ settings }) =>
    settings.isOnMachine ? { offers: createDhcpLeases(join(settings.stateDir, leasesPath)) } : null,
  ),
  run(usedAddressesService, ({ services, engine, applier, settings, factsChanged }) => {
    const leases = services.of(dhcpLeasesService)
    if (!leases) return null
    const used = createUsedAddresses({
      neighbours: async () => (settings.isApplied ? parseNeighbours(await applier.neighbours()) : []),
      leases: () => leases.list(services.clock.now().getTime() / 1000),
      elapsed: services.clock.elapsed,
      onChange: factsChanged,
    })
    const look = (): void => {
      // Only where addresses are leased; applyd may be away.
      if (read(engine.config, entries).some(({ enabled }) => enabled)) used.look().catch(() => {})
    }
    let timer: NodeJS.Timeout | undefined
    return {
      offers: used,
      start: () => {
        if (settings.isApplied) timer = setInterval(look, neighboursMilliseconds).unref()
      },
      stop: () => clearInterval(timer),
    }
  }),
]
