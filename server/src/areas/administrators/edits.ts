// What can be done to local administrators. Hashing and sealing happen before; these get the sealed value.

import { GatewayError } from '../../contract/error.ts'
import { addItem, removeItem, requireItem, updateItem } from '../../model/list-edits.ts'
import type { Sealed } from '../../model/secret.ts'
import type { Config } from '../../model/slots.ts'
import { administrators, findByLogin, hasAdministrator, type StoredAdministrator } from './config.ts'
import type { AdministratorPatch, NewAdministrator } from './contract.ts'

const what = 'local administrator'

export interface NewPassword {
  readonly hash: Sealed
  readonly timestamp: number
}

export function addAdministrator(config: Config, id: string, fields: NewAdministrator, password: NewPassword): Config {
  refuseTakenLogin(config, fields.login, null)
  const { password: _plain, ...shown } = fields
  return addItem(config, administrators, {
    ...shown,
    id,
    password_timestamp: password.timestamp,
    password_hash: password.hash,
  })
}

export function updateAdministrator(
  config: Config,
  id: string,
  patch: AdministratorPatch,
  password: NewPassword | null,
): Config {
  const current = requireItem(config, administrators, id, what)
  if (patch.login !== undefined) refuseTakenLogin(config, patch.login, current)
  const { password: _plain, ...fields } = patch
  return updateItem(config, administrators, {
    ...current,
    ...fields,
    ...(password
      ? { password_timestamp: otherThan(current.password_timestamp, password.timestamp), password_hash: password.hash }
      : {}),
  })
}

/** Two passwords within one second still differ in their time: the end of sessions hangs on it. */
const otherThan = (previous: number, timestamp: number): number => (timestamp === previous ? timestamp + 1 : timestamp)

export function removeAdministrator(config: Config, id: string): Config {
  const next = removeItem(config, administrators, id, what)
  if (!hasAdministrator(next)) {
    throw new GatewayError('conflict', 'The last local administrator cannot be removed.')
  }
  return next
}

function refuseTakenLogin(config: Config, login: string, self: StoredAdministrator | null): void {
  const holder = findByLogin(config, login)
  if (!holder || holder.id === self?.id) return
  const message = `The login ${login} is taken.`
  throw new GatewayError('conflict', message, { problems: [{ field: 'login', message }] })
}
