// The pages of application control rules.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'protection/applications/rules',
    group: 'protection',
    section: msg('Applications'),
    title: msg('Rules'),
    access: 'view',
    keywords: msg('application control, DPI'),
    load: () => import('./rules.ts'),
  },
]
