// Offers the categories that rules can name, the switches of the filter and whom it concerns, the slots that decide it, the
// files of the decision process, and the explanation of a decision.

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
export { filterUser, placesOfUsers } from './people.ts'
export { type FailureMode, policyAt, policyOf, policySlots } from './policy.ts'
export { renderPolicy } from './render.ts'
export { filteredSources } from './sources.ts'
export { readUrl } from './url.ts'
export { findUserCategories } from './user-lookup.ts'
// files of the decision process, and its status.
export { listCategories, morphology, rules, safeSearch, settings, start, state, userCategories } from './config.ts'
export { stateSettings } from './lists.ts'
export { type FailureMode, policyOf, policySlots } from './policy.ts'
export { filterStatusItems } from './status.ts'
