// Reports of web traffic. Its journal is one of the logs.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'monitor/web',
    group: 'monitor',
    section: msg('Reports'),
    title: msg('Web traffic'),
    access: 'reports',
    keywords: 'top sites users categories report statistics',
    load: () => import('./reports.tsx'),
  },
]
