// What the content filter stores, and what exists from the start: two user categories and a rule for each. They are stored
// by the first change of either list; until then withDefaults() gives them.

import { Enabled, rootGroup, strictObject } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'
import { type Config, list, read, single, write } from '../../core/model/slots.ts'
import { fixedCategories } from './catalogue.ts'
import { FilterSettings } from './contract.ts'
import { type Category, UserCategory } from './contract-categories.ts'
import { Dictionary, type ShownDictionary } from './contract-dictionaries.ts'
import { ContentRule } from './contract-rules.ts'
import { predefinedDictionaries } from './dictionaries.ts'

export const state = single('content_filter.state', Enabled, { enabled: false })

export const settings = single('content_filter.settings', FilterSettings, {
  enabled_extended_categorizer: false,
  quic_reject_enabled: false,
})

export const safeSearch = single('content_filter.safe_search', Enabled, { enabled: false })

export const morphology = single('content_filter.morphology', Enabled, { enabled: false })

export const userCategories = list('content_filter.user_categories', UserCategory)

export const rules = list('content_filter.rules', ContentRule)

/** Of a predefined dictionary only `enabled` counts; one that is not stored is disabled. */
export const dictionaries = list('content_filter.dictionaries', Dictionary)

/** Whether the lists hold the defaults and what administrators made of them. */
export const start = single('content_filter.start', strictObject({ defaults_stored: Type.Boolean() }), {
  defaults_stored: false,
})

export const slots = [state, settings, safeSearch, morphology, userCategories, rules, dictionaries, start]

export const defaultCategories: readonly UserCategory[] = [
  {
    id: 'users.id.1',
    name: 'Allowed sites',
    comment: 'Created by default.',
    urls: ['apertium.org', 'libretranslate.com', 'translate.disroot.org'],
  },
  { id: 'users.id.2', name: 'Forbidden sites', comment: 'Created by default.', urls: [] },
]

const defaultRule = {
  parent_id: rootGroup,
  comment: 'Created by default.',
  aliases: ['any'],
  http_methods: [],
  content_types: [],
  redirect_url: null,
  enabled: true,
  timetable: ['any'],
}

/** Spec gap (docs/behaviour/content-filter.md 3.4): the rules are not described. */
export const defaultRules: readonly ContentRule[] = [
  { ...defaultRule, id: 1, name: 'Allow the allowed sites', categories: ['users.id.1'], access: 'allow' },
  { ...defaultRule, id: 2, name: 'Deny the forbidden sites', categories: ['users.id.2'], access: 'deny' },
]

/** The configuration with the two lists as administrators see them. */
export function withDefaults(config: Config): Config {
  if (read(config, start).defaults_stored) return config
  const filled = write(write(config, userCategories, defaultCategories), rules, defaultRules)
  return write(filled, start, { defaults_stored: true })
}

/** The user categories as administrators see them. */
export const storedCategories = (config: Config): readonly UserCategory[] => read(withDefaults(config), userCategories)

/** User categories first, then the fixed ones. */
export const listCategories = (config: Config): Category[] => [
  ...storedCategories(config).map(({ id, name, comment }) => ({
    id,
    type: 'users' as const,
    name,
    comment,
  })),
  ...fixedCategories,
]

const fixedIds = new Set(fixedCategories.map(({ id }) => id))
export const isFixedCategory = (id: string): boolean => fixedIds.has(id)

const predefinedIds = new Set(predefinedDictionaries.map(({ id }) => id))
export const isPredefined = (id: string): boolean => predefinedIds.has(id)

/** The predefined ones first, then those that administrators added. */
export function showDictionaries(stored: readonly Dictionary[]): ShownDictionary[] {
  const switches = new Map(stored.map(({ id, enabled }) => [id, enabled]))
  return [
    ...predefinedDictionaries.map((dictionary) => ({
      ...dictionary,
      enabled: switches.get(dictionary.id) ?? false,
      read_only: true,
      from_central_console: false,
    })),
    ...stored
      .filter(({ id }) => !isPredefined(id))
      .map((dictionary) => ({ ...dictionary, read_only: false, from_central_console: false })),
  ]
}
