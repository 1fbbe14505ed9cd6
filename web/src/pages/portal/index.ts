// The pages of the portal of users.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'people', section: msg('Portal'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  { ...place, path: 'people/portal/settings', title: msg('Settings'), load: () => import('./settings.ts') },
  {
    ...place,
    path: 'people/portal/sessions',
    title: msg('Sign-ins'),
    keywords: msg('second factor, closed accounts'),
    load: () => import('./sessions.ts'),
  },
]
