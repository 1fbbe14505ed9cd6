// The pages of the content filter.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'protection', section: msg('Web filter'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  {
    ...place,
    path: 'protection/web-filter/rules',
    title: msg('Rules'),
    keywords: msg('content filter, sites, proxy'),
    load: () => import('./rules.ts'),
  },
  {
    ...place,
    path: 'protection/web-filter/categories',
    title: msg('Categories'),
    load: () => import('./categories.ts'),
  },
  {
    ...place,
    path: 'protection/web-filter/own-categories',
    title: msg('Own categories'),
    load: () => import('./own-categories.ts'),
  },
  {
    ...place,
    path: 'protection/web-filter/dictionaries',
    title: msg('Dictionaries'),
    load: () => import('./dictionaries.ts'),
  },
  {
    ...place,
    path: 'protection/web-filter/settings',
    title: msg('Settings'),
    keywords: msg('safe search, QUIC'),
    load: () => import('./settings.ts'),
  },
]
