// Reports of security events. Their journal is one of the logs.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'monitor/security',
    group: 'monitor',
    section: msg('Reports'),
    title: msg('Security events'),
    access: 'reports',
    keywords: 'top signatures attacks countries applications ips report statistics',
    load: () => import('./reports.tsx'),
  },
]
