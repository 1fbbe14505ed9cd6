// The pages of application profiles.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'protection/applications/profiles',
    group: 'protection',
    section: msg('Applications'),
    title: msg('Profiles'),
    access: 'view',
    load: () => import('./profiles.tsx'),
  },
]
