// Endpoints of profiles and their rules.

import { randomUUID } from 'node:crypto'
import { type Context, handle, type Route } from '../../core/area/handle.ts'
import { listRoutes, newId } from '../../core/area/routes.ts'
import { addAllTo, addTo, requireIn } from '../../core/model/lists.ts'
import { profiles } from './config.ts'
import * as contract from './contract-profiles.ts'
import { profileList, ruleList } from './lists.ts'
import { allProfiles, catalogueOf, decideProfile } from './resolve.ts'
import { signaturesService } from './service.ts'

interface OfProfile extends Pick<Context, 'config' | 'services'> {
  readonly params: { readonly profile_id: string }
}

/** What the profile of the path does with every signature. */
function decided({ params, config, services }: OfProfile) {
  const { id } = requireIn(config, profileList, params.profile_id)
  return decideProfile(config, catalogueOf(config, services.of(signaturesService)?.current()), id)
}

export const profileRoutes: readonly Route[] = [
  ...listRoutes(contract.profiles, profileList, { copying: { fields: { comment: '' }, owned: [ruleList] } }),
  handle(
    contract.profiles.createWithRules,
    ({ body, change }) => {
      const { rules, ...fields } = body
      const id = randomUUID()
      return change((config, tools) => {
        const added = rules.map((rule) => [newId(ruleList, tools)[0], { ...rule, profile_id: id }] as const)
        return [addAllTo(addTo(config, profileList, id, fields), ruleList, added, 'rules'), { id }] as const
      })
    },
    { slot: profiles },
  ),
  handle(contract.profiles.signatures, (context) => ({ signatures: [...decided(context).signatures] })),
  handle(contract.profiles.counts, ({ config, services }) => {
    const catalogue = catalogueOf(config, services.of(signaturesService)?.current())
    return Object.fromEntries(allProfiles(config).map(({ id }) => [id, decideProfile(config, catalogue, id).counts]))
  }),
  ...listRoutes(contract.profileRules, ruleList),
  handle(contract.profileRules.counts, (context) => Object.fromEntries(decided(context).countsByRule)),
]
