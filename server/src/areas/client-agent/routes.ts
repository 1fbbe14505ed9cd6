// Endpoints of the client agent.

import { handle, type Route } from '../../core/area/handle.ts'
import { settingsRoutes } from '../../core/area/routes.ts'
import { invalid } from '../../core/contract/error.ts'
import { updateSettings } from '../../core/model/lists.ts'
import { read } from '../../core/model/slots.ts'
import { settings, state } from './config.ts'
import { agentSettings, agentState } from './contract.ts'
import { agentServerSettings } from './settings.ts'
import { faultOfTrust } from './trust.ts'

export const routes: readonly Route[] = [
  ...settingsRoutes(agentState, state),
  handle(agentSettings.show, ({ config }) => read(config, settings), { slot: settings }),
  handle(
    agentSettings.update,
    ({ body, config, change, services }) => {
      const { trusted_ca_cert } = body
      // A stored certificate can expire, and the other fields must stay changeable.
      if (typeof trusted_ca_cert === 'string' && trusted_ca_cert !== read(config, settings).trusted_ca_cert) {
        const fault = faultOfTrust(trusted_ca_cert, services.clock.now())
        if (fault !== null) throw invalid('trusted_ca_cert', fault)
      }
      return change((current) => updateSettings(current, agentServerSettings, body))
    },
    { slot: settings },
  ),
]
