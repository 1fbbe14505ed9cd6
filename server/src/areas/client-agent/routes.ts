// Endpoints of the client agent.

import { invalid } from '../../contract/error.ts'
import { handle, type Route } from '../../http/handle.ts'
import { settingsRoutes } from '../../http/routes.ts'
import { read } from '../../model/slots.ts'
import { settings, state } from './config.ts'
import { agentSettings, agentState } from './contract.ts'
import { updateSettings } from './edits.ts'
import { faultOfTrust } from './routes-certificate.ts'

export const routes: readonly Route[] = [
  ...settingsRoutes(agentState, state),
  handle(agentSettings.show, ({ config }) => read(config, settings), { slot: settings }),
  handle(
    agentSettings.update,
    ({ body, config, change, services }) => {
      const { trusted_ca_cert } = body
      // A certificate that is kept is not judged again: it may have expired since, and the rest must stay changeable.
      if (typeof trusted_ca_cert === 'string' && trusted_ca_cert !== read(config, settings).trusted_ca_cert) {
        const fault = faultOfTrust(trusted_ca_cert, services.clock.now())
        if (fault !== null) throw invalid('trusted_ca_cert', fault)
      }
      return change((config) => updateSettings(config, body))
    },
    { slot: settings },
  ),
]
