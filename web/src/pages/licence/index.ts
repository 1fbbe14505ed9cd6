// The page of the licence.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'system/licence',
    group: 'system',
    section: msg('Licence'),
    title: msg('Licence'),
    access: 'view',
    load: () => import('./licence.ts'),
  },
]
