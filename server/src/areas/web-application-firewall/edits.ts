// Enables and disables the categories of a profile.

import { invalid, notFound } from '../../core/contract/error.ts'
import { requireIn, updateIn } from '../../core/model/lists.ts'
import type { Config } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { categories, findCategory } from './categories.ts'
import type { Category, StoredProfile } from './contract.ts'
import { mustStay, profileList } from './lists.ts'

export const enabledCategories = ({ disabled_categories }: StoredProfile): Category[] =>
  categories.filter(({ id }) => !disabled_categories.includes(id))

export function switchCategory(config: Config, profileId: string, id: string, isEnabled: boolean | undefined): Config {
  const profile = requireIn(config, profileList, profileId)
  const found = findCategory(id)
  if (!found) throw notFound(say`category with the id ${id.slice(0, 80)}`)
  if (isEnabled === undefined) return config
  if (found.required && !isEnabled) throw invalid('enabled', mustStay)
  const others = profile.disabled_categories.filter((one) => one !== id)
  return updateIn(config, profileList, profileId, { disabled_categories: isEnabled ? others : [...others, id] })
}
