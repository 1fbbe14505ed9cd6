// Gateways that connected to this console.

import { connectedServers } from '@gateway/server/contract/central-console'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: connectedServers,
  itemName: msg('gateway'),
  title: ({ title }) => title,
  everyMs: 10_000,
  columns: [
    'approved',
    'title',
    'parent_id',
    {
      id: 'version',
      width: 120,
      text: ({ version }) => `${version.major}.${version.minor}.${version.build}`,
    },
    'last_connect',
    'last_sync',
    'cl_tunnel_addr',
    'comment',
  ],
  fields: {
    approved: { label: msg('Confirmed') },
    parent_id: { label: msg('Group') },
    last_connect: { label: msg('Last connected') },
    last_sync: { label: msg('Last transfer') },
    cl_tunnel_addr: { label: msg('Address in the tunnel') },
  },
  empty: { text: msg('Gateways that connect to this console are confirmed here.') },
})
