// The area of administrators of other systems: rules for groups of directories, and the RADIUS servers to ask. No engine
// asks either yet, so these administrators cannot sign in.

import { defineArea } from '../../core/area/handle.ts'
import { adRules, aldRules, radius, radiusState } from './config.ts'
import { adRuleList, aldRuleList, radiusSettings } from './lists.ts'
import { routes } from './routes.ts'

export const directoryAdministrators = defineArea({
  name: 'directory-administrators',
  slots: [adRules, aldRules, radiusState, radius],
  lists: [adRuleList, aldRuleList],
  settings: [radiusSettings],
  rights: [adRules, aldRules, radiusState, radius],
  routes,
})
