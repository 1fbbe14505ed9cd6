// Zones whose names are asked from servers of their own.

import { forwardZones, showStatus } from '@gateway/server/contract/dns'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: forwardZones,
  status: showStatus,
  itemName: msg('forward zone'),
  title: ({ name }) => name,
  stored: 'dns.forward-zones',
  columns: ['enabled', 'name', 'servers', 'comment'],
  fields: { enabled: { initial: true } },
  empty: {
    text: msg('Names of a zone are asked from its own servers: those of a company domain, for example.'),
    example: { enabled: true, name: 'corp.example', servers: ['192.0.2.53'], comment: '' },
  },
})
