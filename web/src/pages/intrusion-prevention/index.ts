// Pages of the area intrusion prevention.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const section = { group: 'protection', section: msg('Intrusion prevention'), access: 'view' } as const
const path = 'protection/intrusion-prevention'

export const pages: readonly PageEntry[] = [
  {
    ...section,
    path: `${path}/profiles`,
    title: msg('Profiles'),
    keywords: 'ips ids suricata',
    load: () => import('./profiles.ts'),
  },
  {
    ...section,
    path: `${path}/signatures`,
    title: msg('Signatures'),
    keywords: 'ips sid rules',
    load: () => import('./signatures.tsx'),
  },
  {
    ...section,
    path: `${path}/tactics`,
    title: msg('Tactics'),
    keywords: 'mitre attack matrix',
    load: () => import('./matrix.tsx'),
  },
  {
    ...section,
    path: `${path}/custom`,
    title: msg('Own signatures'),
    keywords: 'suricata rule file',
    load: () => import('./custom.tsx'),
  },
  {
    ...section,
    path: `${path}/networks`,
    title: msg('Networks'),
    keywords: 'home_net',
    load: () => import('./networks.ts'),
  },
  {
    ...section,
    path: `${path}/exceptions`,
    title: msg('Exceptions'),
    keywords: 'bypass',
    load: () => import('./exceptions.ts'),
  },
  {
    ...section,
    path: `${path}/archives`,
    title: msg('Rule archives'),
    keywords: 'upload emerging threats tar zip suricata rules',
    load: () => import('./archives.tsx'),
  },
  {
    ...section,
    path: `${path}/bases`,
    title: msg('State and bases'),
    keywords: 'update standard advanced enable',
    load: () => import('./bases.ts'),
  },
]
