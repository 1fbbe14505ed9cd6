// The pages of directories.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'people', section: msg('Directories'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  {
    ...place,
    path: 'people/directories/ad',
    title: msg('AD domains'),
    keywords: 'Active Directory, LDAP',
    load: () => import('./ad-domains.ts'),
  },
  { ...place, path: 'people/directories/ald', title: msg('ALD domains'), load: () => import('./ald-domains.ts') },
  { ...place, path: 'people/directories/ad-groups', title: msg('AD groups'), load: () => import('./ad-groups.ts') },
  { ...place, path: 'people/directories/ald-groups', title: msg('ALD groups'), load: () => import('./ald-groups.ts') },
  { ...place, path: 'people/directories/settings', title: msg('Settings'), load: () => import('./settings.ts') },
]
