// Stored administrators and what other areas may ask about them.

import type { Static } from 'typebox'
import { hasFullAccess } from '../../core/contract/access.ts'
import { Type } from '../../core/contract/schema.ts'
import { findItem, updateItem } from '../../core/model/list-edits.ts'
import { Sealed } from '../../core/model/secret.ts'
import { type Config, list, read } from '../../core/model/slots.ts'
import { Administrator } from './contract.ts'

export const StoredAdministrator = Type.Object(
  { ...Administrator.properties, password_hash: Sealed },
  { additionalProperties: false },
)
export type StoredAdministrator = Static<typeof StoredAdministrator>

export const administrators = list('administrators.local', StoredAdministrator)

/** Where the vault binds a password hash to. */
export const passwordPlace = (adminId: string): string => `${administrators.key}/${adminId}/password_hash`

/** One spelling per person: `Bob` and `bob` are the same login (docs/behaviour/administrators.md 2). */
export const canonicalLogin = (login: string): string => login.normalize('NFKC').toLowerCase()

export const findByLogin = (config: Config, login: string): StoredAdministrator | undefined =>
  read(config, administrators).find((admin) => canonicalLogin(admin.login) === canonicalLogin(login))

/** Without one, rights could only be restored on the machine itself. */
export const hasFullAdministrator = (config: Config): boolean =>
  read(config, administrators).some(({ enabled, role }) => enabled && hasFullAccess(role))

/** Without one, no one could sign in again. */
export const hasAdministrator = (config: Config): boolean => read(config, administrators).length > 0

export const findById = (config: Config, id: string): StoredAdministrator | undefined =>
  read(config, administrators).find((admin) => admin.id === id)

/** Whether an enabled administrator with this login has full access. */
export function isFullAdministrator(config: Config, login: string): boolean {
  const admin = findByLogin(config, login)
  return admin?.enabled === true && hasFullAccess(admin.role)
}

/** The same password under a better hash; nothing when the administrator changed it in the meantime. */
export function renewPasswordHash(config: Config, of: StoredAdministrator, hash: Sealed): Config {
  const current = findItem(config, administrators, of.id)
  if (!current || current.password_timestamp !== of.password_timestamp) return config
  return updateItem(config, administrators, { ...current, password_hash: hash })
}

interface ItemChange {
  readonly slot: string
  readonly before: unknown
  readonly after: unknown
}

/** By its time, which differs for every new password: a seal also changes when only the key does. */
const hasNewPassword = (before: StoredAdministrator, after: StoredAdministrator): boolean =>
  after.password_timestamp !== before.password_timestamp

/** Administrators whose sessions end with these changes: gone, disabled, or with another password or role. */
export function signedOutBy(changes: readonly ItemChange[]): string[] {
  return ownChanges(changes)
    .filter(({ before, after }) => {
      if (!before) return false
      return !after?.enabled || hasNewPassword(before, after) || after.role !== before.role
    })
    .map(({ before, after }) => (before ?? after)?.id ?? '')
}

/** Nothing but access taken away from administrators: a full disk must not keep it. */
export const isRevocation = (changes: readonly ItemChange[]): boolean => signedOutBy(changes).length === changes.length

/** Administrators another one let in again: a new password, or switched on. */
export const reopenedBy = (changes: readonly ItemChange[]): string[] =>
  ownChanges(changes)
    .filter(({ before, after }) => before && after?.enabled && (hasNewPassword(before, after) || !before.enabled))
    .map(({ after }) => after?.id ?? '')

const ownChanges = (changes: readonly ItemChange[]) =>
  changes
    .filter((change) => change.slot === administrators.key)
    .map((change) => ({
      before: change.before as StoredAdministrator | null,
      after: change.after as StoredAdministrator | null,
    }))
