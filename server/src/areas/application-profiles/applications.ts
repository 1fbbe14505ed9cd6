// The applications that a profile can list, and what this release can recognise of them.

import { applications, findApplication } from '../../domain/applications/catalogue.ts'
import type { ApplicationProfile } from './contract.ts'

export { applications }

export interface UnrecognisedApplication {
  readonly id: string
  /** The id itself for one that the catalogue does not have. */
  readonly name: string
}

/** Denied applications of the profile that have no pattern: the profile does not stop them. */
export const unrecognised = ({
  protocols,
}: Pick<ApplicationProfile, 'protocols'>): readonly UnrecognisedApplication[] =>
  protocols.flatMap(({ id, action }) => {
    const found = findApplication(id)
    return action === 'allow' || (found?.patterns.length ?? 0) > 0 ? [] : [{ id, name: found?.name ?? id }]
  })
