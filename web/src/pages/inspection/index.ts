// The page of the inspection engine, which intrusion prevention and application control share.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'protection/inspection',
    group: 'protection',
    section: msg('Inspection'),
    title: msg('Engine'),
    access: 'view',
    keywords: 'suricata engine channels fail open closed failed signatures',
    load: () => import('./engine.tsx'),
  },
]
