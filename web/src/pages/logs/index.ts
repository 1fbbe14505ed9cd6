// Pages of the logs: the explorer over each of them, forwarding and retention.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const logs = { group: 'monitor', section: msg('Logs') } as const

export const pages: readonly PageEntry[] = [
  {
    ...logs,
    path: 'monitor/logs/firewall',
    title: msg('Firewall'),
    access: 'view',
    keywords: 'log blocked dropped refused live',
    load: () => import('./firewall.tsx'),
  },
  {
    ...logs,
    path: 'monitor/logs/traffic',
    title: msg('Traffic'),
    access: 'reports',
    keywords: 'journal users zones report',
    load: () => import('./traffic.tsx'),
  },
  {
    ...logs,
    path: 'monitor/logs/security',
    title: msg('Security events'),
    access: 'reports',
    keywords: 'ips ids suricata alerts attacks signatures applications blocked pcap',
    load: () => import('./security.tsx'),
  },
  {
    ...logs,
    path: 'monitor/logs/web',
    title: msg('Web'),
    access: 'reports',
    keywords: 'journal sites proxy content filter denied urls',
    load: () => import('./web.tsx'),
  },
  {
    ...logs,
    path: 'monitor/logs/system',
    title: msg('System'),
    access: 'reports',
    keywords: 'journal syslog units services errors',
    load: () => import('./system.tsx'),
  },
  {
    ...logs,
    path: 'monitor/logs/portal',
    title: msg('Portal sign-ins'),
    access: 'reports',
    keywords: 'authentication users',
    load: () => import('./portal.tsx'),
  },
  {
    path: 'monitor/forwarding',
    group: 'monitor',
    section: msg('Keeping and forwarding'),
    title: msg('Forwarding'),
    access: 'view',
    keywords: 'syslog cef siem collector',
    load: () => import('./forwarding.ts'),
  },
  {
    path: 'monitor/retention',
    group: 'monitor',
    section: msg('Keeping and forwarding'),
    title: msg('Retention'),
    access: 'view',
    keywords: 'days size disk',
    load: () => import('./retention.ts'),
  },
]
