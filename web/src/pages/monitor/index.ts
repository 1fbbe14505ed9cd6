// Pages of the area monitor: traffic now, and what the gateway tells to other machines.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const traffic = { group: 'monitor', section: msg('Traffic now'), access: 'reports' } as const
const telling = { group: 'monitor', section: msg('Monitoring servers'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  {
    ...traffic,
    path: 'monitor/traffic',
    title: msg('Sessions'),
    keywords: 'connections conntrack bandwidth rate',
    load: () => import('./sessions.tsx'),
  },
  {
    ...traffic,
    path: 'monitor/traffic/sources',
    title: msg('Sources'),
    keywords: 'top talkers hosts',
    load: () => import('./sources.tsx'),
  },
  {
    ...traffic,
    path: 'monitor/traffic/applications',
    title: msg('Applications'),
    load: () => import('./applications.tsx'),
  },
  {
    ...traffic,
    path: 'monitor/traffic/detection',
    title: msg('Detection'),
    access: 'view',
    keywords: 'dpi application detection ndpi',
    load: () => import('./detection.ts'),
  },
  {
    ...telling,
    path: 'monitor/flows',
    title: msg('Flow export'),
    keywords: 'netflow ipfix',
    load: () => import('./flows.ts'),
  },
  { ...telling, path: 'monitor/snmp', title: msg('SNMP'), load: () => import('./snmp.ts') },
  { ...telling, path: 'monitor/agent', title: msg('Agent'), keywords: 'zabbix', load: () => import('./agent.ts') },
]
