// What profiles do while the engine does not run, declared. It is removed along with its profile.

import { declareList } from '../../core/model/declarations.ts'
import { type Config, read, write } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { profiles as applicationProfiles, isProfile as isApplicationProfile } from '../application-profiles/public.ts'
import { isProfile as isPreventionProfile, profiles as preventionProfiles } from '../intrusion-prevention/public.ts'
import { failures } from './config.ts'
import type { ProfileFailure } from './contract.ts'

export const isAnyProfile = (config: Config, id: string): boolean =>
  isPreventionProfile(config, id) || isApplicationProfile(config, id)

export const failureList = declareList<ProfileFailure>({
  slot: failures,
  noun: 'behaviour of a profile without the engine',
  ids: { kind: 'given' },
  // Its id is that of the profile, and no one names this by it.
  mentionedAs: ({ id }) => `inspection.failure.${id}`,
  references: [
    {
      field: 'id',
      isList: false,
      idsOf: ({ id }) => [id],
      faultOf: (config, id) => (isAnyProfile(config, id) ? null : say`There is no profile with the id ${id}.`),
      slots: [preventionProfiles, applicationProfiles],
      isRemovedAlong: true,
    },
  ],
})

/** Only what differs from `pass` is stored. */
export function setFailure(config: Config, { id, on_failure }: ProfileFailure): Config {
  const others = read(config, failures).filter((one) => one.id !== id)
  return write(config, failures, on_failure === 'pass' ? others : [...others, { id, on_failure }])
}
