// Endpoints of DNS.

import { secretMask } from '../../contract/fields.ts'
import { type Context, handle, type Route, signedIn } from '../../http/handle.ts'
import { listRoutes, settingsRoutes } from '../../http/routes.ts'
import { read } from '../../model/slots.ts'
import { ddns, ddnsState, safeSearch, servicePasswordPlace, settings } from './config.ts'
import * as contract from './contract.ts'
import { updateDdns } from './edits.ts'
import { dnsStatusItems } from './status.ts'
import { forwardZoneList, masterZoneList, rootServerList } from './verify.ts'

/** The password of the provider is for full administrators only, and each look at it is in the journal. */
function showDdns(context: Context<typeof contract.ddns.show>): contract.Ddns {
  const { config, services } = context
  const { service_password: sealed, ...rest } = read(config, ddns)
  const { role, login } = signedIn(context)
  if (sealed === null) return { ...rest, service_password: '' }
  if (role !== 'predefined_admin_write') return { ...rest, service_password: secretMask }
  services.audit.note({
    event: 'action',
    who: login,
    address: context.address,
    what: 'GET /dns/ddns',
    result: 'ok',
    message: 'The password of the dynamic DNS provider was shown.',
    request_id: context.requestId,
    revision: null,
    changes: [],
  })
  return { ...rest, service_password: services.vault.reveal(sealed, servicePasswordPlace) }
}

export const routes: readonly Route[] = [
  handle(contract.showStatus, async ({ config, services }) => {
    const { brand, ddns: updater } = services
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
