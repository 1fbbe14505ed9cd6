// The pages of administrators that other systems know.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'system', section: msg('Administrators'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  { ...place, path: 'system/administrators/ad', title: msg('AD groups'), load: () => import('./ad.ts') },
  { ...place, path: 'system/administrators/ald', title: msg('ALD groups'), load: () => import('./ald.ts') },
  { ...place, path: 'system/administrators/radius', title: msg('RADIUS'), load: () => import('./radius.ts') },
]
