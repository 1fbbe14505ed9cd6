// The hardware filter by source.

import { sourceRules } from '@gateway/server/contract/firewall'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: sourceRules,
  stored: 'firewall.hw_src_ip',
  itemName: msg('rule by source'),
  lead: msg('Packets from these addresses are dropped as they arrive. Used only in the mode "source".'),
  title: (rule) => rule.source_ip,
  columns: ['enabled', 'source_ip', { id: 'comment', width: 'rest' }],
  fields: { source_ip: { label: msg('Source') } },
  confirmWithin: 90,
  empty: { text: msg('Packets of these are dropped as they arrive, before all other rules.') },
})
