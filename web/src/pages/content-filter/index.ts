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
    load: () => import('./rules.tsx'),
  },
  {
    ...place,
    path: 'protection/web-filter/explain',
    title: msg('Explain a request'),
    keywords: msg('why is a site blocked, trace, verdict'),
    load: () => import('./explain.tsx'),
  },
  {
    ...place,
    path: 'protection/web-filter/lookup',
    title: msg('Look up an address'),
    keywords: msg('category of a site, URL'),
    load: () => import('./lookup.tsx'),
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
    load: () => import('./own-categories.tsx'),
  },
  {
    ...place,
    path: 'protection/web-filter/dictionaries',
    title: msg('Dictionaries'),
    load: () => import('./dictionaries.ts'),
  },
  {
    ...place,
    path: 'protection/web-filter/database',
    title: msg('Category database'),
    keywords: msg('lists of sites, upload, topics'),
    load: () => import('./database.tsx'),
  },
  {
    ...place,
    path: 'protection/web-filter/settings',
    title: msg('Settings'),
    keywords: msg('safe search, QUIC'),
    load: () => import('./settings.ts'),
  },
]
