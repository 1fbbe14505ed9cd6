// The pages of sessions and failed sign-ins of administrators.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'system', section: msg('Administrators'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  { ...place, path: 'system/administrators/sessions', title: msg('Sessions'), load: () => import('./sessions.ts') },
  {
    ...place,
    path: 'system/administrators/blocks',
    title: msg('Blocks'),
    keywords: msg('failed sign-ins, closed accounts, unblock'),
    load: () => import('./blocks.ts'),
  },
]
