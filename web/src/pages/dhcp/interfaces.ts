// DHCP of each local interface: a server with ranges, or a relay to other servers.

import { entries, showStatus } from '@gateway/server/contract/dhcp'
import { connections } from '@gateway/server/contract/network'
import { choices, collectionPage } from '../../contract/define.ts'
import { msg, t } from '../../words.ts'

export const page = collectionPage({
  endpoints: entries,
  status: showStatus,
  stored: 'dhcp.settings',
  itemName: msg('DHCP interface'),
  title: (entry) => entry.interface,
  columns: [
    'enabled',
    'interface',
    {
      id: 'gives',
      title: msg('Gives out'),
      width: 'rest',
      text: ({ server, relay }) =>
        server
          ? server.ranges.join(', ')
          : t('relay to {servers}', { servers: relay?.external_servers.join(', ') ?? '' }),
    },
    {
      id: 'lease',
      title: msg('Lease time'),
      text: ({ server }) => (server ? t('{minutes} min', { minutes: server.lease_time }) : ''),
    },
  ],
  fields: {
    interface: {
      choices: choices({
        endpoint: connections.list,
        value: ({ id }) => `interface.id.${id}`,
        label: ({ title }) => title,
      }),
    },
  },
  empty: {
    text: msg('An interface with DHCP gives addresses to the devices of its network.'),
    example: {
      enabled: true,
      interface: 'interface.id.1',
      relay: null,
      server: {
        dns: [],
        domain: '',
        gateway: '',
        lease_time: 720,
        options: [],
        ranges: ['192.168.0.100-192.168.0.200'],
        routes: [],
        tftp_filename: '',
        tftp_server: '',
        wins: [],
        wpad_enabled: false,
      },
    },
  },
})
