// The hardware filter by source and destination.

import { pairRules } from '@gateway/server/contract/firewall'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: pairRules,
  stored: 'firewall.hw_src_dst_ip',
  itemName: msg('rule by source and destination'),
  lead: msg(
    'Packets between these addresses are dropped as they arrive. Used only in the mode "source and destination".',
  ),
  title: (rule) => `${rule.source_ip} → ${rule.destination_ip}`,
  columns: ['enabled', 'source_ip', 'destination_ip', { id: 'comment', width: 'rest' }],
  fields: { source_ip: { label: msg('Source') }, destination_ip: { label: msg('Destination') } },
  confirmWithin: 90,
  empty: { text: msg('Packets of these are dropped as they arrive, before all other rules.') },
})
