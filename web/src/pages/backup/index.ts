// Pages of the area backup.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const section = { group: 'system', section: msg('Backups') } as const

export const pages: readonly PageEntry[] = [
  {
    ...section,
    path: 'system/backups',
    title: msg('Backups'),
    access: 'view',
    keywords: 'restore download upload',
    load: () => import('./backups.tsx'),
  },
  {
    ...section,
    path: 'system/backups/schedule',
    title: msg('Schedule and upload'),
    access: 'view',
    keywords: 'ftp cifs automatic',
    load: () => import('./schedule.ts'),
  },
  {
    ...section,
    path: 'system/backups/key',
    title: msg('Recovery key'),
    access: 'configure',
    load: () => import('./recovery-key.ts'),
  },
]
