// GRE tunnels.

import { connections, greTunnels } from '@gateway/server/contract/network'
import { choices, collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'
import { TunnelCell } from './state-cells.tsx'

export const page = collectionPage({
  endpoints: greTunnels,
  stored: 'network.tunnels',
  confirmWithin: 90,
  itemName: msg('GRE tunnel'),
  title: ({ title }) => title,
  columns: [
    'enabled',
    'title',
    { id: 'link', title: msg('State'), width: 120, cell: ({ id, enabled }) => <TunnelCell id={id} isOn={enabled} /> },
    'server',
    'addresses',
    'parent_interface',
    'zone',
    'comment',
  ],
  fields: {
    server: { label: msg('Other end') },
    local_ip: { label: msg('Own address') },
    osdevname: { isHidden: true },
    addresses: { widget: 'lines' },
    zone: { refers: ['zone'] },
    parent_interface: {
      label: msg('Through'),
      choices: choices({
        endpoint: connections.list,
        value: ({ id }) => `interface.id.${id}`,
        label: ({ title }) => title,
      }),
    },
    netflow_index: { label: msg('Index in flows') },
  },
  empty: {
    text: msg('A tunnel joins two networks over the internet. It does not encrypt.'),
    example: {
      enabled: true,
      title: 'Branch',
      comment: '',
      addresses: ['10.255.0.1/30'],
      gateway: null,
      parent_interface: 'interface.id.1',
      server: '203.0.113.10',
      zone: null,
      netflow_index: 0,
    },
  },
})
