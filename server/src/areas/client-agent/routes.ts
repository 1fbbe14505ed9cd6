// Endpoints of the client agent.

import { invalid } from '../../contract/error.ts'
import { handle, type Route } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { updateSettings } from '../../model/lists.ts'
import { read } from '../../model/slots.ts'
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
