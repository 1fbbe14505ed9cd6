// Pages of the area network: connections with their live state, and the other kinds of interfaces.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const section = { group: 'network', section: msg('Connections'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  {
    ...section,
    path: 'network/connections',
    title: msg('Connections'),
    keywords: 'interfaces lan wan pppoe pptp l2tp vlan address gateway',
    load: () => import('./connections.tsx'),
  },
  {
    ...section,
    path: 'network/aggregated',
    title: msg('Aggregated'),
    keywords: 'bond lacp',
    load: () => import('./aggregated.tsx'),
  },
  { ...section, path: 'network/tunnels', title: msg('Tunnels'), keywords: 'gre', load: () => import('./tunnels.tsx') },
  {
    ...section,
    path: 'network/mirrors',
    title: msg('Mirrors'),
    keywords: 'span tap',
    load: () => import('./mirrors.ts'),
  },
  { ...section, path: 'network/virtual', title: msg('Virtual'), keywords: 'vce', load: () => import('./virtual.ts') },
  {
    ...section,
    path: 'network/kernel',
    title: msg('Kernel settings'),
    keywords: 'sysctl forwarding ip_forward rp_filter redirects conntrack',
    load: () => import('./kernel.tsx'),
  },
]
