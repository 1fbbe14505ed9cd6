// The pages of DNS.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'network', section: msg('DNS'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  { ...place, path: 'network/dns/servers', title: msg('Servers'), load: () => import('./servers.ts') },
  {
    ...place,
    path: 'network/dns/forward-zones',
    title: msg('Forward zones'),
    load: () => import('./forward-zones.ts'),
  },
  { ...place, path: 'network/dns/own-zones', title: msg('Own zones'), load: () => import('./own-zones.ts') },
  {
    ...place,
    path: 'network/dns/settings',
    title: msg('Settings'),
    keywords: msg('dynamic DNS, interception, safe search'),
    load: () => import('./settings.ts'),
  },
]
