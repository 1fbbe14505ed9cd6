// Application control profiles, declared.

import type { Problem } from '../../core/contract/error.ts'
import { declareList } from '../../core/model/declarations.ts'
import { say } from '../../shared/said.ts'
import { profiles } from './config.ts'
import type { ApplicationProfile } from './contract.ts'

export const profileList = declareList<ApplicationProfile>({
  slot: profiles,
  noun: 'application control profile',
  nameOf: ({ name }) => `application control profile "${name}"`,
  ids: { kind: 'uuid' },
  // An update may be the only element of a list (docs/behaviour/application-profiles.md 1.3).
  fieldsOf: (body) => (Array.isArray(body) ? body[0] : body),
  problemsOf: (_config, profile) => repeated(profile),
})

/** Two entries for one application could contradict each other. */
function repeated({ protocols }: ApplicationProfile): Problem[] {
  const seen = new Set<string>()
  return protocols.flatMap(({ id }, index) => {
    if (seen.has(id)) return [{ field: `protocols[${index}].id`, message: say`Duplicate entry ${id}.` }]
    seen.add(id)
    return []
  })
}
