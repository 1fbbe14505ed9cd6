// The page of usage statistics.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'system/statistics',
    group: 'system',
    section: msg('Licence'),
    title: msg('Usage statistics'),
    access: 'view',
    load: () => import('./settings.ts'),
  },
]
