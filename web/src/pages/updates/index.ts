// The page of updates.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'system/updates',
    group: 'system',
    section: msg('Licence'),
    title: msg('Updates'),
    access: 'view',
    keywords: 'upgrade version package deb install',
    load: () => import('./updates.tsx'),
  },
]
