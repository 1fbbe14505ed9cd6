// Endpoints of the connection to a console and of the console itself; its rules are in the file beside this one.

import { randomUUID } from 'node:crypto'
import { secretMask } from '../../contract/fields.ts'
import { handle, type Route } from '../../http/handle.ts'
import { perValue, settingsRoutes } from '../../http/routes.ts'
import { removeItem, updateSingle } from '../../model/list-edits.ts'
import { read } from '../../model/slots.ts'
import { connection, type GroupItem, groups, root, servers, settings, showServer, state } from './config.ts'
import * as contract from './contract.ts'
import { addGroup, removeGroup, updateGroup, updateServer } from './edits.ts'
import { readRootCertificate } from './routes-certificate.ts'
import { ruleRoutes } from './routes-rules.ts'
import { consoleStatus } from './status.ts'

const withRoot = perValue((stored: readonly GroupItem[]): GroupItem[] => [root, ...stored])
const connectionRoutes: readonly Route[] = [
  handle(
    contract.consoleConnection.show,
    // No exchange has ever taken place: nothing connects in this release.
    ({ config }) => ({ ...read(config, connection), last_connect: null, last_sync: null }),
    { slot: connection },
  ),
  handle(
    contract.consoleConnection.update,
    ({ body, change }) => change((config) => updateSingle(config, connection, body)),
    { slot: connection },
  ),
  handle(
    contract.consoleConnection.disconnect,
    ({ change }) => change((config) => updateSingle(config, connection, { cc_server: null })),
    { slot: connection },
  ),
  handle(
    contract.rootCertificate.upload,
    ({ rawBody, services, change }) => {
      const root_ca = readRootCertificate(rawBody, services.clock.now())
      return change((config) => updateSingle(config, connection, { root_ca }))
    },
    { slot: connection },
  ),
  handle(
    contract.rootCertificate.remove,
    ({ change }) => change((config) => updateSingle(config, connection, { root_ca: null })),
    { slot: connection },
  ),
]

const groupRoutes: readonly Route[] = [
  handle(contract.serverGroups.list, ({ config }) => withRoot(read(config, groups)), { slot: groups }),
  handle(
    contract.serverGroups.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config) => addGroup(config, id, body))
      return { id }
    },
    { slot: groups },
  ),
  handle(
    contract.serverGroups.update,
    ({ params, body, change }) => change((config) => updateGroup(config, params.group_id ?? '', body)),
    { slot: groups },
  ),
  handle(
    contract.serverGroups.remove,
    ({ params, change }) => change((config) => removeGroup(config, params.group_id ?? '')),
    { slot: groups },
  ),
]

const serverRoutes: readonly Route[] = [
  handle(
    contract.connectedServers.list,
    ({ config, services }) =>
      read(config, servers).map((server) => showServer(server, services.backups.version.major, secretMask)),
    { slot: servers },
  ),
  handle(
    contract.connectedServers.update,
    ({ params, body, change }) => change((config) => updateServer(config, params.server_id ?? '', body)),
    { slot: servers },
  ),
  handle(
    contract.connectedServers.remove,
    ({ params, change }) =>
      change((config) => removeItem(config, servers, params.server_id ?? '', 'connected gateway')),
    { slot: servers },
  ),
]

export const routes: readonly Route[] = [
  ...connectionRoutes,
  handle(contract.serversStatus, ({ config, services }) => consoleStatus(config, services.brand)),
  ...settingsRoutes(contract.consoleSettings, settings),
  ...settingsRoutes(contract.rulesState, state),
  ...groupRoutes,
  ...serverRoutes,
  ...ruleRoutes,
]
