// Endpoints of administrators of other systems.

import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, settingsRoutes, tableReply } from '../../core/area/routes.ts'
import { secretMask } from '../../core/contract/fields.ts'
import type { ListDeclaration } from '../../core/model/declarations.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type RadiusServer, radius, radiusState, secretPlace } from './config.ts'
import * as contract from './contract.ts'
import { updateRadius } from './edits.ts'
import { adRuleList, aldRuleList } from './lists.ts'

/** A change of a rule will end the sessions it opened; in this release no rule opens any. */
const ruleRoutes = (
  { list, create, update, remove }: typeof contract.adRules,
  rules: ListDeclaration<contract.AdministratorRule>,
): Route[] => [
  handle(list, ({ config, query }) => tableReply(query, contract.ruleColumns, read(config, rules.slot)), {
    slot: rules.slot,
  }),
  ...listRoutes({ create, update, remove }, rules),
]

/** Shared secrets are never shown; the mask shows that one is set. */
const showRadius = (config: Config): contract.RadiusSettings => {
  const stored = read(config, radius)
  const shown = (which: RadiusServer) => ({
    ...stored[which],
    secret: stored[which].secret === null ? '' : secretMask,
  })
  return { primary: shown('primary'), secondary: shown('secondary') }
}

export const routes: readonly Route[] = [
  ...ruleRoutes(contract.adRules, adRuleList),
  ...ruleRoutes(contract.aldRules, aldRuleList),
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
