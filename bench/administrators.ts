// Administrators that no one can sign in as, to fill a list with.

import { randomUUID } from 'node:crypto'
import { passwordPlace, type StoredAdministrator } from '../server/src/areas/administrators/config.ts'
import type { Vault } from '../server/src/core/vault.ts'

export const makeAdministrators = (vault: Vault, count: number): StoredAdministrator[] =>
  Array.from({ length: count }, (_, index) => {
    const id = randomUUID()
    return {
      id,
      enabled: true,
      name: `Administrator ${index}`,
      login: `admin-${index}`,
      role: 'predefined_admin_write',
      comment: `Works in building ${index % 7}, floor ${index % 5}`,
      password_timestamp: 1_700_000_000 + index,
      password_hash: vault.seal('no password fits this', passwordPlace(id)),
    }
  })
