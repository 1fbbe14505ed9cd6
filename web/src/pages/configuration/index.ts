// Pages of the history: revisions, audit trail, limits and keys.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const section = { group: 'system', section: msg('History') } as const

export const pages: readonly PageEntry[] = [
  {
    ...section,
    path: 'system/history',
    title: msg('Revisions'),
    access: 'view',
    keywords: 'changes undo put back revert diff who',
    load: () => import('./history.tsx'),
  },
  {
    ...section,
    path: 'system/audit-trail',
    title: msg('Audit trail'),
    access: 'audit',
    keywords: 'audit sign-ins refused who',
    load: () => import('./audit-trail.tsx'),
  },
  {
    ...section,
    path: 'system/history/limits',
    title: msg('Limits'),
    access: 'view',
    load: () => import('./limits.ts'),
  },
  {
    ...section,
    path: 'system/history/keys',
    title: msg('Keys'),
    access: 'configure',
    keywords: 'rotate seal secrets encryption',
    load: () => import('./keys.ts'),
  },
]
