// The overview: the only pages that read several areas.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

export const pages: readonly PageEntry[] = [
  {
    path: 'overview/dashboard',
    group: 'overview',
    section: msg('Dashboard'),
    title: msg('Dashboard'),
    access: 'signed-in',
    keywords: 'home start state now',
    load: () => import('./dashboard.tsx'),
  },
  {
    path: 'overview/health',
    group: 'overview',
    section: msg('Health'),
    title: msg('Health'),
    access: 'view',
    keywords: 'checks status services engines failed',
    load: () => import('./health.tsx'),
  },
  {
    path: 'overview/host',
    group: 'overview',
    section: msg('Hosts'),
    title: msg('Hosts'),
    access: 'view',
    keywords: 'device who is address slow',
    load: () => import('./host.tsx'),
  },
  {
    path: 'overview/set-up',
    group: 'overview',
    section: msg('Set-up list'),
    title: msg('Set-up list'),
    access: 'view',
    keywords: 'first steps branch new',
    load: () => import('./set-up.tsx'),
  },
]
