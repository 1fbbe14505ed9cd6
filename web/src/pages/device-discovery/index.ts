// The page of device discovery.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'people/devices',
    group: 'people',
    section: msg('Device discovery'),
    title: msg('Devices'),
    access: 'view',
    keywords: msg('MAC addresses, neighbours, netscan'),
    load: () => import('./devices.ts'),
  },
]
