// The pages of VPN for clients.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'network', section: msg('VPN'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  { ...place, path: 'network/vpn/settings', title: msg('Settings'), load: () => import('./settings.ts') },
  { ...place, path: 'network/vpn/access', title: msg('Access'), load: () => import('./access-rules.ts') },
  { ...place, path: 'network/vpn/addresses', title: msg('Addresses'), load: () => import('./address-rules.ts') },
  { ...place, path: 'network/vpn/routes', title: msg('Routes'), load: () => import('./routes.ts') },
  { ...place, path: 'network/vpn/of-user', title: msg('Of a user'), load: () => import('./of-user.ts') },
]
