// What can be done to profiles of application control. An application stands in a profile once, and a profile in use stays.

import { refuse } from '../../contract/error.ts'
import { addItem, removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import type { Reference } from '../../model/references.ts'
import { refuseInUse } from '../../model/references.ts'
import type { Config } from '../../model/slots.ts'
import { profiles } from './config.ts'
import type { ApplicationProfile, ProfileFields } from './contract.ts'

const item = 'profile of application control'

export const addProfile = (config: Config, profile: ApplicationProfile): Config =>
  addItem(config, profiles, checked(profile))

export function copyProfile(config: Config, fromId: string, id: string): Config {
  return addItem(config, profiles, { ...requireItem(config, profiles, fromId, item), id })
}

export const updateProfile = (config: Config, id: string, patch: Partial<ProfileFields>): Config =>
  updateItem(config, profiles, checked({ ...requireItem(config, profiles, id, item), ...patch }))

export function removeProfile(config: Config, id: string, users: readonly Reference[]): Config {
  const { name } = requireItem(config, profiles, id, item)
  refuseInUse(`${item} "${name}"`, users)
  return removeItem(config, profiles, id, item)
}

/** Two entries for one application could contradict each other. */
function checked(profile: ApplicationProfile): ApplicationProfile {
  const seen = new Set<string>()
  const problems = profile.protocols.flatMap(({ id }, index) => {
    if (!seen.has(id)) {
      seen.add(id)
      return []
    }
    return [{ field: `protocols[${index}].id`, message: `${id} stands twice.` }]
  })
  refuse(problems)
  return profile
}
