// The pages of mail.

import type { PageEntry } from '../../page.ts'
import { msg } from '../../words.ts'

const relay = { group: 'mail', section: msg('Relay'), access: 'view' } as const
const rules = { group: 'mail', section: msg('Mail rules'), access: 'view' } as const
const filter = { group: 'mail', section: msg('Mail filter'), access: 'view' } as const

export const pages: readonly PageEntry[] = [
  { ...relay, path: 'mail/relay', title: msg('Settings'), keywords: 'SMTP, Postfix', load: () => import('./relay.ts') },
  { ...relay, path: 'mail/disk', title: msg('Disk'), load: () => import('./disk.ts') },
  { ...relay, path: 'mail/queue', title: msg('Queue'), load: () => import('./queue.ts') },
  { ...rules, path: 'mail/allowed', title: msg('Allowed'), load: () => import('./allowed.ts') },
  { ...rules, path: 'mail/denied', title: msg('Denied'), load: () => import('./denied.ts') },
  { ...rules, path: 'mail/forwarding', title: msg('Forwarding'), load: () => import('./forwarding.ts') },
  { ...filter, path: 'mail/filter', title: msg('Spam and malware'), load: () => import('./filter.ts') },
  { ...filter, path: 'mail/dkim', title: 'DKIM', load: () => import('./dkim.ts') },
]
