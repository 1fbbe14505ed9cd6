// Pages of the area health beside the overview: charts, conflicts, notifications and metrics.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const notifications = { group: 'overview', section: msg('Notifications'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  {
    path: 'overview/charts',
    group: 'overview',
    section: msg('Health'),
    title: msg('Charts'),
    access: 'view',
    keywords: 'cpu memory load disk interfaces traffic graph',
    load: () => import('./charts.tsx'),
  },
  {
    path: 'overview/conflicts',
    group: 'overview',
    section: msg('Health'),
    title: msg('Conflicts'),
    access: 'view',
    keywords: 'doctor ufw docker firewalld resolved port apparmor networkmanager',
    load: () => import('./conflicts.tsx'),
  },
  {
    ...notifications,
    path: 'overview/notifications',
    title: msg('By e-mail'),
    keywords: 'mail smtp alert',
    load: () => import('./mail.ts'),
  },
  {
    ...notifications,
    path: 'overview/notifications/webhooks',
    title: msg('Webhooks'),
    keywords: 'alert https post',
    load: () => import('./webhooks.ts'),
  },
  {
    ...notifications,
    path: 'overview/notifications/metrics',
    title: msg('Metrics'),
    keywords: 'prometheus token',
    load: () => import('./metrics.tsx'),
  },
]
