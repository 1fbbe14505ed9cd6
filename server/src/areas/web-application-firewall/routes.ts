// Endpoints of the web application firewall.

import { handle, type Route } from '../../core/area/handle.ts'
import { listRoutes } from '../../core/area/routes.ts'
import { itemsIn, requireIn } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { categories } from './categories.ts'
import { profiles } from './config.ts'
import { wafCategories, wafExceptions, wafProfiles, wafRules } from './contract.ts'
import { enabledCategories, switchCategory } from './edits.ts'
import { exceptionList, profileList, ruleList } from './lists.ts'

const exceptionsOf = (config: Config, profileId: string) =>
  itemsIn(config, exceptionList, profileId).map(({ profile_id: _, ...shown }) => shown)

const { create, update, remove } = wafProfiles

export const routes: readonly Route[] = [
  // Without a slot: the list also shows the excluded rules, which have their own.
  handle(wafProfiles.list, ({ config }) =>
    read(config, profiles).map((profile) => ({ ...profile, exceptions: exceptionsOf(config, profile.id) })),
  ),
  ...listRoutes({ create, update, remove }, profileList),
  handle(wafCategories.list, () => [...categories]),
  handle(wafCategories.listEnabled, ({ params, config }) =>
    enabledCategories(requireIn(config, profileList, params.profile_id)),
  ),
  handle(
    wafCategories.update,
    ({ params, body, change }) =>
      change((config) => switchCategory(config, params.profile_id, params.category_id, body.enabled)),
    { slot: profiles },
  ),
  ...listRoutes(wafRules, ruleList),
  ...listRoutes(wafExceptions, exceptionList),
]
