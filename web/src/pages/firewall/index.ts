// Pages of the firewall: rules, tracer, access lists, hardware filter, rule tests, hygiene and settings.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const policy = { group: 'policy', access: 'view' } as const
const rules = { ...policy, section: msg('Rules') } as const
const access = { ...policy, section: msg('Access lists') } as const
const hardware = { ...policy, section: msg('Hardware filter') } as const

export const pages: readonly PageEntry[] = [
  {
    ...rules,
    path: 'policy/rules/forward',
    title: 'FORWARD',
    keywords: 'firewall rules',
    load: () => import('./rules/forward.ts'),
  },
  {
    ...rules,
    path: 'policy/rules/input',
    title: 'INPUT',
    keywords: 'rules to the gateway',
    load: () => import('./rules/input.ts'),
  },
  {
    ...rules,
    path: 'policy/rules/dnat',
    title: 'DNAT',
    keywords: 'port forwarding',
    load: () => import('./rules/dnat.ts'),
  },
  { ...rules, path: 'policy/rules/snat', title: 'SNAT', keywords: 'masquerade', load: () => import('./rules/snat.ts') },
  { ...rules, path: 'policy/rules/log', title: 'LOG', keywords: 'logging rules', load: () => import('./rules/log.ts') },
  {
    ...policy,
    section: msg('Tracer'),
    path: 'policy/tracer',
    title: msg('Tracer'),
    keywords: 'explain why blocked packet',
    load: () => import('./tracer/page.tsx'),
  },
  {
    ...policy,
    section: msg('Hygiene'),
    path: 'policy/hygiene',
    title: msg('Hygiene'),
    keywords: 'shadowed unused rules',
    load: () => import('./hygiene.tsx'),
  },
  {
    ...policy,
    section: msg('Rule tests'),
    path: 'policy/rule-tests',
    title: msg('Rule tests'),
    keywords: 'checks',
    load: () => import('./rule-tests.tsx'),
  },
  {
    ...access,
    path: 'policy/access-lists',
    title: msg('Access lists'),
    keywords: 'acl',
    load: () => import('./access-lists.tsx'),
  },
  {
    ...access,
    path: 'policy/access-lists/bindings',
    title: msg('Bindings'),
    keywords: 'acl order',
    load: () => import('./access-bindings.ts'),
  },
  { ...hardware, path: 'policy/hardware-filter', title: msg('Filter mode'), load: () => import('./hardware-mode.ts') },
  {
    ...hardware,
    path: 'policy/hardware-filter/mac',
    title: msg('MAC addresses'),
    load: () => import('./hardware-mac.ts'),
  },
  {
    ...hardware,
    path: 'policy/hardware-filter/sources',
    title: msg('Sources'),
    load: () => import('./hardware-sources.ts'),
  },
  {
    ...hardware,
    path: 'policy/hardware-filter/destinations',
    title: msg('Destinations'),
    load: () => import('./hardware-destinations.ts'),
  },
  { ...hardware, path: 'policy/hardware-filter/pairs', title: msg('Pairs'), load: () => import('./hardware-pairs.ts') },
  {
    ...policy,
    section: msg('Settings'),
    path: 'policy/settings',
    title: msg('Firewall settings'),
    keywords: 'snat log counters',
    load: () => import('./settings.ts'),
  },
]
