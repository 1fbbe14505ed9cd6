// Pages of the area users.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const section = { group: 'people', section: msg('Users and groups'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  {
    ...section,
    path: 'people/users',
    title: msg('Tree'),
    keywords: 'users groups accounts deny access password move',
    load: () => import('./users.tsx'),
  },
  {
    ...section,
    path: 'people/users/found',
    title: msg('List'),
    keywords: 'search users login phone',
    load: () => import('./found.ts'),
  },
]
