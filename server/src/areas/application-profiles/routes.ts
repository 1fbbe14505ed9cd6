// Endpoints of the profiles of application control.

import { randomUUID } from 'node:crypto'
import { handle, type Route } from '../../http/handle.ts'
import { read } from '../../model/slots.ts'
import { profiles } from './config.ts'
import { type ApplicationProfile, applicationProfiles as contract } from './contract.ts'
import { addProfile, copyProfile, removeProfile, updateProfile } from './edits.ts'

const ofProfiles = { slot: profiles }

export const routes: readonly Route[] = [
  handle(contract.list, ({ config }) => read(config, profiles) as ApplicationProfile[], ofProfiles),
  handle(
    contract.create,
    async ({ body, change }) => {
      const profile = { id: randomUUID(), ...body }
      await change((config) => addProfile(config, profile))
      return [profile]
    },
    ofProfiles,
  ),
  handle(
    contract.copy,
    ({ params, change }) => {
      const id = randomUUID()
      return change((config) => [copyProfile(config, params.profile_id ?? '', id), { id }] as const)
    },
    ofProfiles,
  ),
  handle(
    contract.update,
    ({ params, body, change }) => {
      const patch = Array.isArray(body) ? body[0] : body
      return change((config) => updateProfile(config, params.profile_id ?? '', patch ?? {}))
    },
    ofProfiles,
  ),
  handle(
    contract.remove,
    ({ params, change, services }) => {
      const id = params.profile_id ?? ''
      return change((config) => removeProfile(config, id, services.referencesTo(config, id)))
    },
    ofProfiles,
  ),
]
