// The page of the client agent.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'network/client-agent',
    group: 'network',
    section: msg('Client agent'),
    title: msg('Settings'),
    access: 'view',
    load: () => import('./settings.ts'),
  },
]
