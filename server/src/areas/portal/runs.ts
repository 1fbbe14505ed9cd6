// How what the portal offers is made.

import { join } from 'node:path'
import { type Run, run } from '../../core/area/run.ts'
import { portalSocket } from '../../engines/portal/protocol.ts'
import { version } from '../../shared/version.ts'
import { targetsService } from '../objects/service.ts'
import { followPortalUsers, portalActions } from './jobs-portal.ts'
import { createProviderCall } from './runs/provider-call.ts'
import { servePortal } from './runs/socket.ts'
import { codeProviderService, portalSocketService } from './service.ts'

export const runs: readonly Run[] = [
  run(codeProviderService, ({ services, settings }) =>
    settings.isOnMachine
      ? {
          offers: {
            lookUp: services.of(targetsService).lookUpOther,
            call: createProviderCall(`${services.brand}/${version}`),
          },
        }
      : null,
  ),
  run(portalSocketService, ({ services, settings, log }) => {
    const users = followPortalUsers(services)
    let server: ReturnType<typeof servePortal> | null = null
    return {
      offers: {},
      start: () => {
        server = servePortal({ path: join(settings.stateDir, portalSocket), actions: portalActions(services), log })
      },
      stop: async () => {
        users.stop()
        await server?.close()
      },
    }
  }),
]
