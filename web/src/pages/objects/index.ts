// Pages of the objects that rules are made of.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'objects', section: msg('Objects'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  { ...place, path: 'objects', title: msg('All'), keywords: 'aliases', load: () => import('./all.ts') },
  {
    ...place,
    path: 'objects/addresses',
    title: msg('Addresses'),
    keywords: 'networks ranges domains lists',
    load: () => import('./addresses.ts'),
  },
  { ...place, path: 'objects/ports', title: msg('Ports'), keywords: 'services', load: () => import('./ports.ts') },
  { ...place, path: 'objects/times', title: msg('Times'), keywords: 'schedules', load: () => import('./times.ts') },
  { ...place, path: 'objects/zones', title: msg('Zones'), load: () => import('./zones.ts') },
  {
    ...place,
    path: 'objects/countries',
    title: msg('Countries'),
    keywords: 'geoip',
    load: () => import('./countries.ts'),
  },
]
