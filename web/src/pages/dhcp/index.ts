// Pages of the area dhcp.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const dhcp = { group: 'network', section: msg('DHCP'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  {
    ...dhcp,
    path: 'network/dhcp/leases',
    title: msg('Leases'),
    keywords: 'devices addresses keep',
    load: () => import('./leases.tsx'),
  },
  {
    ...dhcp,
    path: 'network/dhcp/static',
    title: msg('Static leases'),
    keywords: 'reservation mac',
    load: () => import('./static-leases.ts'),
  },
  {
    ...dhcp,
    path: 'network/dhcp/interfaces',
    title: msg('Interfaces'),
    keywords: 'ranges relay options',
    load: () => import('./interfaces.ts'),
  },
]
