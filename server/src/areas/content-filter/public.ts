// Offers the categories that rules can name, the switches of the filter and whom it concerns, the slots that decide it, the
// files of the decision process, the explanation of a decision,
// and its status.

export { findClient } from './client.ts'
export {
  listCategories,
  morphology,
  rules,
  safeSearch,
  settings,
  start,
  state,
  storedCategories,
  userCategories,
} from './config.ts'
export { explainWeb } from './explain.ts'
export { stateSettings } from './lists.ts'
export { filterUser, placesOfUsers } from './people.ts'
export { type FailureMode, policyAt, policyOf, policySlots } from './policy.ts'
export { renderPolicy } from './render.ts'
export { filteredSources } from './sources.ts'
export { filterStatusItems } from './status.ts'
export { readUrl } from './url.ts'
export { findUserCategories } from './user-lookup.ts'
