// How what DNS offers is made.

import { join } from 'node:path'
import { type Run, run } from '../../core/area/run.ts'
import { version } from '../../shared/version.ts'
import { startDdns } from './jobs.ts'
import { createDdnsUpdater, readDdnsServer } from './runs/ddns.ts'
import { sendUpdate } from './runs/ddns-request.ts'
import { ddnsService } from './service.ts'

export const runs: readonly Run[] = [
  run(ddnsService, ({ services, settings: { stateDir, folder, isOnMachine, isApplied }, log }) => {
    if (!isOnMachine || !isApplied) return null
    // The provider is the operator's choice, in files of the state folder.
    const updater = createDdnsUpdater({
      clock: services.clock,
      send: sendUpdate(`${services.brand}/${version}`),
      server: () => readDdnsServer(join(stateDir, 'ddns-server'), join(stateDir, 'ddns-ca.pem')),
      path: join(folder, 'ddns.json'),
    })
    let follower: ReturnType<typeof startDdns> | null = null
    return {
      offers: updater,
      start: () => {
        follower = startDdns(services, (error) => log('warning', 'dynamic DNS was not updated', { error }))
      },
      follow: () => follower?.look(),
      stop: () => follower?.stop(),
    }
  }),
]
