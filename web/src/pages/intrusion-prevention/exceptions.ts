// Exceptions: addresses whose traffic is not inspected.

import { bypassList } from '@gateway/server/contract/firewall'
import { showStatus } from '@gateway/server/contract/intrusion-prevention'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: bypassList,
  status: showStatus,
  stored: 'firewall.bypass',
  itemName: msg('exception'),
  lead: msg('Traffic from and to these addresses is not inspected.'),
  title: ({ comment, aliases }) => comment || aliases.join(', '),
  columns: ['enabled', { id: 'aliases', width: 'rest' }, 'comment'],
  fields: {
    aliases: {
      label: msg('Addresses'),
      refers: ['ip', 'ip_range', 'subnet', 'domain', 'address_list', 'ip_address_list'],
    },
  },
  empty: { text: msg('Everything that a rule with a profile accepts is inspected.') },
})
