// The pages of administrators.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'system/administrators/local',
    group: 'system',
    section: msg('Administrators'),
    title: msg('Local'),
    access: 'view',
    keywords: msg('accounts, passwords, roles'),
    load: () => import('./local.ts'),
  },
]
