// The hardware filter by destination.

import { destinationRules } from '@gateway/server/contract/firewall'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: destinationRules,
  stored: 'firewall.hw_dst_ip',
  itemName: msg('rule by destination'),
  lead: msg('Packets to these addresses are dropped as they arrive. Used only in the mode "destination".'),
  title: (rule) => rule.destination_ip,
  columns: ['enabled', 'destination_ip', { id: 'comment', width: 'rest' }],
  fields: { destination_ip: { label: msg('Destination') }, source_ip: { isHidden: true } },
  confirmWithin: 90,
  empty: { text: msg('Packets of these are dropped as they arrive, before all other rules.') },
})
