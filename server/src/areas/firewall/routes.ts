// Firewall endpoints, one line each.

import { read } from '../../contract/slots.ts'
import { handle, type Route } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { settings, state } from './config.ts'
import { firewallSettings, firewallState, firewallStatus } from './contract.ts'
import { firewallStatusItems } from './status.ts'

export const routes: readonly Route[] = [
  ...settingsRoutes(firewallSettings, settings),
  ...settingsRoutes(firewallState, state),
  handle(firewallStatus, async ({ config, services }) => {
    const machine = await services.observe()
    return firewallStatusItems({ ...machine, settings: read(config, settings), facts: services.facts() })
  }),
]
