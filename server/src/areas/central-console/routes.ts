// Endpoints of the connection to a console and of the console itself; those of its rules are in routes-rules.ts.

import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, settingsRoutes } from '../../core/area/routes.ts'
import { invalid } from '../../core/contract/error.ts'
import { secretMask } from '../../core/contract/fields.ts'
import { updateSettings } from '../../core/model/lists.ts'
import { read } from '../../core/model/slots.ts'
import { backupsService } from '../backup/service.ts'
import { readRoot } from './certificate.ts'
import { connection, groups, settings, showServer, state } from './config.ts'
import * as contract from './contract.ts'
import { removeGroup } from './edits.ts'
import { connectionSettings, groupList, serverList } from './lists.ts'
import { ruleRoutes } from './routes-rules.ts'
import { consoleStatus } from './status.ts'

const connectionRoutes: readonly Route[] = [
  handle(
    contract.consoleConnection.show,
    // Nothing connects in this release, so there was no exchange yet.
    ({ config }) => ({ ...read(config, connection), last_connect: null, last_sync: null }),
    { slot: connection },
  ),
  handle(
    contract.consoleConnection.update,
    ({ body, change }) => change((config) => updateSettings(config, connectionSettings, body)),
    { slot: connection },
  ),
  handle(
    contract.consoleConnection.disconnect,
    ({ change }) => change((config) => updateSettings(config, connectionSettings, { cc_server: null })),
    { slot: connection },
  ),
  handle(
    contract.rootCertificate.upload,
    ({ rawBody, services, change }) => {
      const root = readRoot(rawBody.toString('latin1'), services.clock.now())
      if ('fault' in root) throw invalid('body', root.fault)
      return change((config) => updateSettings(config, connectionSettings, { root_ca: root.pem }))
    },
    { slot: connection },
  ),
  handle(
    contract.rootCertificate.remove,
    ({ change }) => change((config) => updateSettings(config, connectionSettings, { root_ca: null })),
    { slot: connection },
  ),
]

const { list, create, update } = contract.serverGroups

const groupRoutes: readonly Route[] = [
  ...listRoutes({ list, create, update }, groupList),
  handle(
    contract.serverGroups.remove,
    ({ params, change }) => change((config, { referencesTo }) => removeGroup(config, params.group_id, referencesTo)),
    { slot: groups },
  ),
]

const serverRoutes: readonly Route[] = listRoutes(contract.connectedServers, serverList, {
  shown: (items, { services }) =>
    items.map((server) => showServer(server, services.of(backupsService).version.major, secretMask)),
})

export const routes: readonly Route[] = [
  ...connectionRoutes,
  handle(contract.serversStatus, ({ config, services }) => consoleStatus(config, services.brand)),
  ...settingsRoutes(contract.consoleSettings, settings),
  ...settingsRoutes(contract.rulesState, state),
  ...groupRoutes,
  ...serverRoutes,
  ...ruleRoutes,
]
