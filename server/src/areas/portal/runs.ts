// How what the portal offers is made.

import { join } from 'node:path'
import { type Run, run } from '../../core/area/run.ts'
import { portalSocket } from '../../engines/portal/protocol.ts'
import { version } from '../../shared/version.ts'
import { logsService } from '../logs/service.ts'
import { targetsService } from '../objects/service.ts'
import { followPortalUsers, portalActions } from './actions.ts'
import { createPortalState } from './runs/portal-state.ts'
import { createProviderCall } from './runs/provider-call.ts'
import { servePortal } from './runs/socket.ts'
import { codeProviderService, earlierSessionsService, portalService, portalSocketService } from './service.ts'

export const runs: readonly Run[] = [
  run(portalService, ({ services, accountTables, log }) => {
    const { clock } = services
    const logs = services.of(logsService)
    const portal = createPortalState({
      accounts: accountTables,
      logs,
      earlier: services.of(earlierSessionsService),
      clock,
      onFault: (error) => log('warning', 'the journal of the portal cannot be stored', { error }),
    })
    return { offers: portal, stop: () => portal.journal.stop() }
  }),
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
