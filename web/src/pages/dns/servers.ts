// The servers that are asked for names of the internet.

import { rootServers, showStatus } from '@gateway/server/contract/dns'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: rootServers,
  status: showStatus,
  itemName: msg('DNS server'),
  title: ({ object }) => object,
  stored: 'dns.root-servers',
  columns: ['enabled', 'object', 'type', 'comment'],
  fields: {
    object: { label: msg('Server') },
    type: { options: { ip: msg('Address'), interface: msg('From a provider connection') }, initial: 'ip' },
    enabled: { initial: true },
  },
  empty: {
    text: msg('Without a server here, the gateway asks the root servers of the internet itself.'),
    example: { enabled: true, type: 'ip', object: '9.9.9.9', comment: 'Quad9' },
  },
})
