// State, settings and status of the content filter (docs/behaviour/content-filter.md 1); categories, rules and dictionaries
// are in the files beside this one.

import { settingsEndpoints } from '../../core/contract/collections.ts'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Enabled, StatusItem, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export { categories, userCategories } from './contract-categories.ts'
export { categorize, explainRequest, rebuildDatabase, showDatabase } from './contract-database.ts'
export { dictionaries } from './contract-dictionaries.ts'
export { contentRules } from './contract-rules.ts'

export const filterState = settingsEndpoints({
  path: '/content-filter/state',
  title: 'state of the content filter',
  schema: Enabled,
  change: 'firewall',
})

export const FilterSettings = strictObject({
  enabled_extended_categorizer: Type.Boolean({
    description: 'Use topic categories of an external provider; otherwise rules that name them do not match.',
  }),
  quic_reject_enabled: Type.Boolean({ description: 'Block QUIC and HTTP/3, which cannot be filtered.' }),
})

export const filterSettings = settingsEndpoints({
  path: '/content-filter/settings',
  title: 'settings of the content filter',
  schema: FilterSettings,
  change: 'firewall',
})

export const safeSearch = settingsEndpoints({
  path: '/proxy_backend/safe_search',
  title: 'state of safe search in the proxy',
  schema: Enabled,
  change: 'firewall',
})

export const morphologyState = settingsEndpoints({
  path: '/content-filter/morph_analysis/state',
  title: 'state of the morphological analysis',
  schema: Enabled,
  change: 'firewall',
})

/** Spec gap (docs/behaviour/content-filter.md 1.4): an addition with the form of all other status calls. */
export const filterStatus = endpoint({
  method: 'GET',
  path: '/content-filter/status',
  access: 'view',
  summary: 'Show the status of the content filter',
  reply: Type.Array(StatusItem),
})
