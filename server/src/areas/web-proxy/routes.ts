// Endpoints of the web proxy, and the switch of the content filter: what first switches the proxy on makes its authority in the
// same change.

import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, settingsRoutes } from '../../core/area/routes.ts'
import { updateSettings } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { filterState, filterStatus } from '../content-filter/contract.ts'
import { filterStatusItems, stateSettings } from '../content-filter/public.ts'
import { webFilterService } from '../content-filter/service.ts'
import { requireAuthority, setAuthority, showAuthority } from './authority.ts'
import { authority, keyPlace } from './config.ts'
import * as contract from './contract.ts'
import { exclusionList, proxySettings } from './lists.ts'
import { isWanted } from './resolve.ts'
import { webAuthorityService, webProxyService } from './service.ts'
import { filterEngine, type ProxyView, proxyStatusItems } from './status.ts'

/** A change after which the proxy may run: with an authority, when there is none. */
async function changeWithAuthority({ config, change, services }: Context, edit: (config: Config) => Config) {
  const isMissing = (now: Config): boolean => isWanted(now) && read(now, authority).authority === null
  const made = isMissing(edit(config)) ? await services.of(webAuthorityService)() : null
  return change((now) => {
    const edited = edit(now)
    if (!isMissing(edited) || made === null) return edited
    return setAuthority(edited, 'made', made.certificate, services.vault.seal(made.key, keyPlace))
  })
}

const [showSettings, showState] = [
  settingsRoutes(contract.proxySettings, proxySettings),
  settingsRoutes(filterState, stateSettings),
].map(([show]) => (show ? [show] : []))

const viewOf = async ({ config, services }: Pick<Context, 'config' | 'services'>): Promise<ProxyView> => ({
  config,
  machine: await services.observe(),
  now: services.clock.now(),
  proxy: services.of(webProxyService)?.state() ?? null,
  report: services.of(webFilterService).report(),
})

export const routes: readonly Route[] = [
  ...(showSettings ?? []),
  handle(
    contract.proxySettings.update,
    (context) =>
      changeWithAuthority(context as Context, (config) => updateSettings(config, proxySettings, context.body)),
    { slot: proxySettings.slot },
  ),
  ...(showState ?? []),
  handle(
    filterState.update,
    (context) =>
      changeWithAuthority(context as Context, (config) => updateSettings(config, stateSettings, context.body)),
    { slot: stateSettings.slot },
  ),
  ...listRoutes(contract.exclusions, exclusionList),
  handle(contract.certificate.show, ({ config, services }) => showAuthority(config, services.facts())),
  handle(contract.certificate.upload, ({ body, change, services }) => {
    const { certificate, privateKey } = requireAuthority(body.certificate, body.private_key, services.clock.now())
    return change((config) => setAuthority(config, 'uploaded', certificate, services.vault.seal(privateKey, keyPlace)))
  }),
  handle(contract.certificate.make, async ({ change, services }) => {
    const { certificate, key } = await services.of(webAuthorityService)()
    return change((config) => setAuthority(config, 'made', certificate, services.vault.seal(key, keyPlace)))
  }),
  handle(contract.proxyStatus, async (context) => proxyStatusItems(await viewOf(context))),
  handle(filterStatus, async (context) => {
    const view = await viewOf(context)
    return filterStatusItems(view.config, filterEngine(view))
  }),
]
