// The hardware filter by MAC address.

import { macRules } from '@gateway/server/contract/firewall'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: macRules,
  stored: 'firewall.hw_mac',
  itemName: msg('rule by MAC address'),
  lead: msg('Frames of these cards and protocols are dropped as they arrive. Used only in the mode "mac".'),
  title: (rule) => rule.mac,
  columns: ['enabled', 'mac', 'protocol', { id: 'comment', width: 'rest' }],
  fields: {
    mac: { label: msg('MAC address') },
    protocol: { label: msg('EtherType'), hint: msg('Such as 2054 for ARP; 2048 (IPv4) must not be used.') },
  },
  confirmWithin: 90,
  empty: { text: msg('Packets of these are dropped as they arrive, before all other rules.') },
})
