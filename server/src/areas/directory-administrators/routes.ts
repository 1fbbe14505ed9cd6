// Endpoints of administrators who are known elsewhere.

import { randomUUID } from 'node:crypto'
import { secretMask } from '../../contract/fields.ts'
import { handle, type Route } from '../../http/handle.ts'
import { settingsRoutes, tableReply } from '../../http/routes.ts'
import { addItem, removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import { type Config, type ListSlot, read } from '../../model/slots.ts'
import { adRules, aldRules, type RadiusServer, radius, radiusState, secretPlace } from './config.ts'
import * as contract from './contract.ts'
import { updateRadius } from './edits.ts'

const item = 'administrator rule'

/** Sessions that such rules opened would end here; as long as nobody signs in through a directory there are none. */
const ruleRoutes = (endpoints: typeof contract.adRules, slot: ListSlot<contract.AdministratorRule>): Route[] => [
  handle(endpoints.list, ({ config, query }) => tableReply(query, contract.ruleColumns, read(config, slot)), { slot }),
  handle(
    endpoints.create,
    async ({ body, change }) => {
      const id = randomUUID()
      await change((config) => addItem(config, slot, { id, ...body }))
      return { id }
    },
    { slot },
  ),
  handle(
    endpoints.update,
    ({ params, body, change }) =>
      change((config) => {
        const current = requireItem(config, slot, params.rule_id ?? '', item)
        return updateItem(config, slot, { ...current, ...body })
      }),
    { slot },
  ),
  handle(
    endpoints.remove,
    ({ params, change }) => change((config) => removeItem(config, slot, params.rule_id ?? '', item)),
    { slot },
  ),
]

/** Shared secrets are never shown; the mask tells that there is one. */
const showRadius = (config: Config): contract.RadiusSettings => {
  const stored = read(config, radius)
  const shown = (which: RadiusServer) => ({
    ...stored[which],
    secret: stored[which].secret === null ? '' : secretMask,
  })
  return { primary: shown('primary'), secondary: shown('secondary') }
}

export const routes: readonly Route[] = [
  ...ruleRoutes(contract.adRules, adRules),
  ...ruleRoutes(contract.aldRules, aldRules),
  ...settingsRoutes(contract.radiusState, radiusState),
  handle(contract.radiusSettings.show, ({ config }) => showRadius(config), { slot: radius }),
  handle(
    contract.radiusSettings.update,
    ({ body, change, services }) =>
      change((config) =>
        updateRadius(config, body, (secret, which) => services.vault.seal(secret, secretPlace(which))),
      ),
    { slot: radius },
  ),
]
