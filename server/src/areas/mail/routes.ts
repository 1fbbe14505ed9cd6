// Endpoints of the mail relay: settings, disk, rules and queue. Filtering and DKIM are in routes-filter.ts.

import { handle, type Route, type Services } from '../../core/area/handle.ts'
import { listRoutes, perItem, settingsRoutes } from '../../core/area/routes.ts'
import type { ListDeclaration } from '../../core/model/declarations.ts'
import { writeSettings } from '../../core/model/lists.ts'
import { read, write } from '../../core/model/slots.ts'
import { disksService } from '../logs/service.ts'
import * as slots from './config.ts'
import * as contract from './contract.ts'
import type { AddressRule } from './contract-rules.ts'
import { connectDisk, showAddressRule, updateGeneral, willNeedSigningKey } from './edits.ts'
import { allowedList, deniedList, forwardingList, trustedNetworkSettings } from './lists.ts'
import { filterRoutes, makeSigningKey } from './routes-filter.ts'
import { diskState, mailStatusItems } from './status.ts'

const settings: readonly Route[] = [
  handle(contract.showStatus, ({ config, services }) => mailStatusItems(config, services.brand)),
  ...settingsRoutes(contract.mailState, slots.state),
  handle(contract.general.show, ({ config }) => read(config, slots.general), { slot: slots.general }),
  handle(
    contract.general.update,
    async ({ body, config, change, services }) => {
      const made = willNeedSigningKey(config, body) ? await makeSigningKey(services.vault) : null
      await change((current) => updateGeneral(current, body, made))
    },
    { slot: slots.general },
  ),
  ...settingsRoutes(contract.serverAccess, slots.serverAccess),
  handle(contract.advanced.show, ({ config }) => read(config, slots.advanced), { slot: slots.advanced }),
  handle(contract.advanced.replace, ({ body, change }) => change((config) => write(config, slots.advanced, body)), {
    slot: slots.advanced,
  }),
  ...settingsRoutes(contract.security, slots.security),
  handle(contract.trustedNetworks.show, ({ config }) => read(config, slots.trustedNetworks), {
    slot: slots.trustedNetworks,
  }),
  handle(
    contract.trustedNetworks.replace,
    ({ body, change }) => change((config) => writeSettings(config, trustedNetworkSettings, body)),
    { slot: slots.trustedNetworks },
  ),
]

const disksOf = async (services: Services) => (await services.of(disksService)?.list()) ?? []

const diskRoutes: readonly Route[] = [
  handle(contract.disk.list, async ({ services }) => (await disksOf(services)).map(({ id, title }) => ({ id, title }))),
  handle(contract.disk.show, async ({ config, services }) => diskState(config, await disksOf(services))),
  handle(
    contract.disk.connect,
    async ({ body, change, services }) => {
      const disk = (await disksOf(services)).find(({ id }) => id === body.id)
      await change((config) => connectDisk(config, disk))
    },
    { slot: slots.chosenDisk },
  ),
  handle(
    contract.disk.disconnect,
    ({ change }) => change((config) => write(config, slots.chosenDisk, { disk: null })),
    { slot: slots.chosenDisk },
  ),
]

const addressRoutes = (endpoints: typeof contract.allowed, list: ListDeclaration<AddressRule>): readonly Route[] =>
  listRoutes(endpoints, list, { shown: perItem(showAddressRule) })

export const routes: readonly Route[] = [
  ...settings,
  ...diskRoutes,
  ...filterRoutes,
  ...listRoutes(contract.forwarding, forwardingList),
  ...addressRoutes(contract.allowed, allowedList),
  ...addressRoutes(contract.denied, deniedList),
  // No engine queues messages in this release, so every message that a call names has already left.
  handle(contract.queue.list, () => []),
  handle(contract.queue.retry, () => undefined),
  handle(contract.queue.remove, () => undefined),
]
