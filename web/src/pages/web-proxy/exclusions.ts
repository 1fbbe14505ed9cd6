// Traffic that the web proxy leaves alone.

import { exclusions, proxyStatus } from '@gateway/server/contract/web-proxy'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: exclusions,
  status: proxyStatus,
  itemName: msg('exclusion'),
  title: ({ comment, id }) => (comment === '' ? id : comment),
  stored: 'web_proxy.exclusions',
  lead: msg(
    'Neither filtered nor checked for viruses, but still judged by the firewall. What clients send to the direct proxy cannot be excluded.',
  ),
  columns: ['enabled', 'sources', 'destinations', { id: 'comment', width: 'rest' }],
  fields: {
    sources: { label: msg('From'), initial: ['any'] },
    destinations: { label: msg('To'), initial: ['any'] },
    enabled: { initial: true },
  },
  empty: {
    text: msg(
      'Such traffic goes past the proxy: applications that accept no other certificate, or a server of a bank.',
    ),
  },
})
