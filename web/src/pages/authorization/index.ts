// Pages of the area authorization: which hosts belong to which users, and who is on the network now.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const section = { group: 'people', section: msg('Authorization'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  {
    ...section,
    path: 'people/sessions',
    title: msg('Sessions of users'),
    keywords: 'online who is signed in',
    load: () => import('./sessions.ts'),
  },
  {
    ...section,
    path: 'people/authorization',
    title: msg('Rules'),
    keywords: 'ip mac binding host',
    load: () => import('./rules.ts'),
  },
  {
    ...section,
    path: 'people/authorization/settings',
    title: msg('Settings'),
    keywords: 'captive portal everyone',
    load: () => import('./settings.ts'),
  },
]
