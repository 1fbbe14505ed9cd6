// The pages of the central console.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'system', section: msg('Central console'), access: 'view' } as const
const rules = { group: 'system', section: msg('Rules of the console'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  { ...place, path: 'system/console/connection', title: msg('Connection'), load: () => import('./connection.ts') },
  { ...place, path: 'system/console/settings', title: msg('Settings'), load: () => import('./settings.ts') },
  { ...place, path: 'system/console/groups', title: msg('Groups'), load: () => import('./groups.ts') },
  { ...place, path: 'system/console/gateways', title: msg('Gateways'), load: () => import('./gateways.ts') },
  {
    ...rules,
    path: 'system/console/forward-before',
    title: msg('FORWARD before'),
    load: () => import('./forward-before.ts'),
  },
  {
    ...rules,
    path: 'system/console/forward-after',
    title: msg('FORWARD after'),
    load: () => import('./forward-after.ts'),
  },
  {
    ...rules,
    path: 'system/console/input-before',
    title: msg('INPUT before'),
    load: () => import('./input-before.ts'),
  },
  { ...rules, path: 'system/console/input-after', title: msg('INPUT after'), load: () => import('./input-after.ts') },
  {
    ...rules,
    path: 'system/console/content-before',
    title: msg('Content before'),
    load: () => import('./content-before.ts'),
  },
  {
    ...rules,
    path: 'system/console/content-after',
    title: msg('Content after'),
    load: () => import('./content-after.ts'),
  },
]
