// Interfaces that are passed into virtual environments.

import { vceConnections } from '@gateway/server/contract/network'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: vceConnections,
  stored: 'network.vce_conns',
  itemName: msg('passed interface'),
  title: ({ title }) => title,
  columns: ['title', 'vce_id', 'mac', 'vlan_tag', 'comment'],
  fields: {
    vce_id: { label: msg('Virtual environment'), isOnlyNew: true },
    mac: { label: msg('Card'), isOnlyNew: true },
    vlan_tag: { label: msg('VLAN'), isOnlyNew: true },
  },
  empty: {
    text: msg('A card or a VLAN that belongs to a virtual environment, not to this gateway.'),
    example: { title: 'Branch', vce_id: 'branch-1', mac: '11:22:33:44:55:66', vlan_tag: 10, comment: '' },
  },
})
