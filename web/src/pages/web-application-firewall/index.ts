// The page of the web application firewall.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'protection/web-servers',
    group: 'protection',
    section: msg('Web servers'),
    title: msg('Profiles'),
    access: 'view',
    keywords: msg('WAF, web application firewall'),
    load: () => import('./profiles.ts'),
  },
]
