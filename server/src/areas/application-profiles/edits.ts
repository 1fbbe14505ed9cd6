// What can be done to profiles of application control. An application stands in a profile once, and a profile in use stays.

import { GatewayError, type Problem, refuse } from '../../contract/error.ts'
import { addItem, removeItem, requireItem, updateItem } from '../../contract/list-edits.ts'
import { type Config, read } from '../../contract/slots.ts'
import { originOf, ruleSlots, ruleTitle } from '../firewall/config.ts'
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

export function removeProfile(config: Config, id: string): Config {
  const { name } = requireItem(config, profiles, id, item)
  const users = profileUsers(config, id)
  if (users.length > 0) {
    throw new GatewayError('conflict', `The profile "${name}" is used by ${users[0]?.message}.`, { problems: users })
  }
  return removeItem(config, profiles, id, item)
}

/** Firewall rules that send their traffic through the profile, switched on or not. */
const profileUsers = (config: Config, id: string): Problem[] =>
  (['forward', 'input'] as const).flatMap((table) =>
    read(config, ruleSlots[table])
      .filter((rule) => rule.dpi_profile === id)
      .map((rule) => ({
        field: `${originOf(ruleSlots[table], rule.id)}.dpi_profile`,
        message: ruleTitle(table, rule.id),
      })),
  )

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
