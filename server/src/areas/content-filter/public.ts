// Offers the categories that rules can name, the switches of the filter and whom it concerns, the slots that decide it, and
// the files of the decision process.

export { listCategories, morphology, rules, safeSearch, settings, start, state, userCategories } from './config.ts'
export { type FailureMode, policyOf, policySlots } from './policy.ts'
export { renderPolicy } from './render.ts'
export { filteredSources } from './sources.ts'
export { filterUser, placesOfUsers } from './people.ts'
