// The pages of the web proxy under the content filter.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const place = { group: 'protection', section: msg('Web proxy'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  {
    ...place,
    path: 'protection/web-filter/proxy',
    title: msg('Proxy settings'),
    keywords: msg('direct proxy, port, WPAD, Squid'),
    load: () => import('./settings.ts'),
  },
  {
    ...place,
    path: 'protection/web-filter/exclusions',
    title: msg('Exclusions'),
    keywords: msg('not filtered, bypass'),
    load: () => import('./exclusions.ts'),
  },
  {
    ...place,
    path: 'protection/web-filter/authority',
    title: msg('Certificate authority'),
    keywords: msg('CA, root certificate, decryption, HTTPS'),
    load: () => import('./authority.tsx'),
  },
  {
    ...place,
    path: 'protection/web-filter/antivirus',
    title: msg('Web antivirus'),
    keywords: msg('virus, malware, ClamAV'),
    load: () => import('./antivirus.ts'),
  },
  {
    ...place,
    path: 'protection/web-filter/status',
    title: msg('State'),
    keywords: msg('web filter status, proxy status'),
    load: () => import('./status.ts'),
  },
]
