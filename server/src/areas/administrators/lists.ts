// The list of local administrators, and the edits of the gateway itself. Passwords arrive hashed and sealed.

import { declareList } from '../../core/model/declarations.ts'
import { addTo, updateIn } from '../../core/model/lists.ts'
import type { Sealed } from '../../core/model/secret.ts'
import type { Config } from '../../core/model/slots.ts'
import { say } from '../../shared/said.ts'
import { administrators, canonicalLogin, findById } from './config.ts'
import type { AdministratorPatch, NewAdministrator } from './contract.ts'

export const administratorList = declareList({
  slot: administrators,
  noun: 'local administrator',
  ids: { kind: 'uuid' },
  nameOf: ({ login }) => `local administrator ${login}`,
  unique: [
    {
      field: 'login',
      keyOf: ({ login }) => canonicalLogin(login),
      messageOf: ({ login }) => say`The login ${login} is taken.`,
    },
  ],
  secrets: ['password_hash'],
})

export interface NewPassword {
  readonly hash: Sealed
  readonly timestamp: number
}

/** What is stored of a body; the clear text is left out. */
export function storedFields(
  config: Config,
  id: string,
  { password: _plain, ...fields }: AdministratorPatch,
  password: NewPassword | null,
): object {
  if (!password) return fields
  const previous = findById(config, id)?.password_timestamp
  return { ...fields, password_timestamp: otherThan(previous, password.timestamp), password_hash: password.hash }
}

/** Two passwords within one second still differ in their time: sessions end when it changes. */
const otherThan = (previous: number | undefined, timestamp: number): number =>
  timestamp === previous ? timestamp + 1 : timestamp

export const addAdministrator = (config: Config, id: string, fields: NewAdministrator, password: NewPassword): Config =>
  addTo(config, administratorList, id, storedFields(config, id, fields, password))

export const updateAdministrator = (
  config: Config,
  id: string,
  patch: AdministratorPatch,
  password: NewPassword | null,
): Config => updateIn(config, administratorList, id, storedFields(config, id, patch, password))
