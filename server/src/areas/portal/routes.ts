// Endpoints of the settings and the state of the portal.

import { handle, type Route } from '../../core/area/handle.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import { portalSettings } from './config.ts'
import * as contract from './contract.ts'
import { portalStatusItems } from './status.ts'

export const routes: readonly Route[] = [
  ...settingsRoutes(contract.portalSettings, portalSettings),
  handle(contract.showPortalStatus, async ({ config, services }) =>
    portalStatusItems({ config, facts: services.facts(), ...(await services.observe()) }),
  ),
]
