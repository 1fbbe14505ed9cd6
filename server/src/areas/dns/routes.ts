// Endpoints of DNS.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, settingsRoutes } from '../../core/area/routes.ts'
import { read } from '../../core/model/slots.ts'
import { ddns, ddnsState, safeSearch, servicePasswordPlace, settings } from './config.ts'
import * as contract from './contract.ts'
import { updateDdns } from './edits.ts'
import { forwardZoneList, masterZoneList, rootServerList } from './lists.ts'
import { ddnsService } from './service.ts'
import { dnsStatusItems } from './status.ts'

/** The password of the provider is for full administrators only, and every time it is shown is in the audit trail. */
function showDdns({ config, revealer }: Context<typeof contract.ddns.show>): contract.Ddns {
  const { service_password: sealed, ...rest } = read(config, ddns)
  const reveal = revealer('The password of the dynamic DNS provider was shown.')
  return { ...rest, service_password: sealed === null ? '' : reveal(sealed, servicePasswordPlace) }
}

export const routes: readonly Route[] = [
  handle(contract.showStatus, async ({ config, services }) => {
    const { brand } = services
    const updater = services.of(ddnsService)
    const updates = updater ? { hasServer: updater.hasServer(), ...updater.state() } : null
    return dnsStatusItems({ ...(await services.observe()), config, facts: services.facts(), brand, ddns: updates })
  }),
  ...settingsRoutes(contract.dnsSettings, settings),
  ...settingsRoutes(contract.safeSearch, safeSearch),
  ...listRoutes(contract.rootServers, rootServerList),
  ...listRoutes(contract.forwardZones, forwardZoneList),
  ...listRoutes(contract.masterZones, masterZoneList),
  ...settingsRoutes(contract.ddnsState, ddnsState),
  handle(contract.ddns.show, showDdns, { slot: ddns }),
  handle(
    contract.ddns.update,
    ({ body, change, services }) =>
      change((config) => updateDdns(config, body, (password) => services.vault.seal(password, servicePasswordPlace))),
    { slot: ddns },
  ),
]
