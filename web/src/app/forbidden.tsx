// A page that the role may not open, with the roles that may.

import { type Access, roles } from '@gateway/server/core/access'
import type { ReactNode } from 'react'
import { rolesFor } from '../api/session.ts'
import { Empty } from '../ui/empty.tsx'
import { t } from '../words.ts'

/** "Firewall administrator or Administrator", shortest first. */
export const roleWords = (access: Access): string =>
  rolesFor(access)
    .map((role) => t(roles[role]))
    .join(', ')

export function Forbidden({ access }: { readonly access: Access }): ReactNode {
  return (
    <Empty title={t('Your role may not open this page')}>
      {t('It needs one of these roles: {roles}.', { roles: roleWords(access) })}
    </Empty>
  )
}
