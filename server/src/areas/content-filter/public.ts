// Offers the categories that rules can name, the switches of the filter and whom it concerns, and the slots that decide it.

export { listCategories, morphology, rules, safeSearch, settings, start, state, userCategories } from './config.ts'
export { filteredSources } from './sources.ts'
