// Endpoints of profiles and their rules.

import { randomUUID } from 'node:crypto'
import { type Context, handle, type Route } from '../../http/handle.ts'
import { profileRules, profiles } from './config.ts'
import * as contract from './contract-profiles.ts'
import {
  addProfile,
  addProfileRule,
  copyProfile,
  moveProfileRule,
  removeProfile,
  removeProfileRule,
  requireProfile,
  shownRules,
  updateProfile,
  updateProfileRule,
} from './edits-profiles.ts'
import { allProfiles, catalogueOf, decideProfile } from './resolve.ts'

/** What the profile of the path does with every signature. */
function decided({ params, config, services }: Context) {
  const { id } = requireProfile(config, params.profile_id ?? '')
  return decideProfile(config, catalogueOf(config, services.signatures?.current()), id)
}

const ruleRoutes: readonly Route[] = [
  handle(contract.profileRules.list, ({ params, config }) => {
    const { id } = requireProfile(config, params.profile_id ?? '')
    return [...shownRules(config, id)]
  }),
  handle(
    contract.profileRules.create,
    ({ params, query, body, change }) =>
      change((config, tools) => {
        const id = tools.nextId(profileRules)
        return [addProfileRule(config, params.profile_id ?? '', id, body, query), { id }] as const
      }),
    { slot: profileRules },
  ),
  handle(
    contract.profileRules.update,
    ({ params, body, change }) =>
      change((config) => updateProfileRule(config, params.profile_id ?? '', params.rule_id ?? '', body)),
    { slot: profileRules },
  ),
  handle(
    contract.profileRules.move,
    ({ body, change }) => {
      const { profile_id, rule_id, ...placement } = body.params
      return change((config) => moveProfileRule(config, profile_id, rule_id, placement))
    },
    { slot: profileRules },
  ),
  handle(
    contract.profileRules.remove,
    ({ params, change }) =>
      change((config) => removeProfileRule(config, params.profile_id ?? '', params.rule_id ?? '')),
    { slot: profileRules },
  ),
  handle(contract.profileRules.counts, (context) => Object.fromEntries(decided(context as Context).countsByRule)),
]

export const profileRoutes: readonly Route[] = [
  handle(contract.profiles.list, ({ config }) => [...allProfiles(config)], { slot: profiles }),
  handle(
    contract.profiles.create,
    ({ body, change }) => {
      const id = randomUUID()
      return change((config) => [addProfile(config, id, body, [], () => 0), { id }] as const)
    },
    { slot: profiles },
  ),
  handle(
    contract.profiles.createWithRules,
    ({ body, change }) => {
      const id = randomUUID()
      const { rules, ...fields } = body
      return change((config, tools) => {
        const next = addProfile(config, id, fields, rules, () => tools.nextId(profileRules))
        return [next, { id }] as const
      })
    },
    { slot: profiles },
  ),
  handle(
    contract.profiles.copy,
    ({ params, change }) => {
      const id = randomUUID()
      return change((config, tools) => {
        const next = copyProfile(config, params.profile_id ?? '', id, () => tools.nextId(profileRules))
        return [next, { id }] as const
      })
    },
    { slot: profiles },
  ),
  handle(
    contract.profiles.update,
    ({ params, body, change }) => change((config) => updateProfile(config, params.profile_id ?? '', body)),
    { slot: profiles },
  ),
  handle(
    contract.profiles.remove,
    ({ params, change, services }) => {
      const id = params.profile_id ?? ''
      return change((config) => removeProfile(config, id, services.referencesTo(config, id)))
    },
    { slot: profiles },
  ),
  handle(contract.profiles.signatures, (context) => ({ signatures: [...decided(context as Context).signatures] })),
  handle(contract.profiles.counts, ({ config, services }) => {
    const catalogue = catalogueOf(config, services.signatures?.current())
    return Object.fromEntries(allProfiles(config).map(({ id }) => [id, decideProfile(config, catalogue, id).counts]))
  }),
  ...ruleRoutes,
]
