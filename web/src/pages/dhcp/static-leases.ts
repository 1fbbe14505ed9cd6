// Static leases: a device that always gets the same address.

import { showStatus, staticLeases } from '@gateway/server/contract/dhcp'
import { collectionPage, rowLink } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = collectionPage({
  endpoints: staticLeases,
  status: showStatus,
  stored: 'dhcp.static_leases',
  itemName: msg('static lease'),
  title: ({ ip_address }) => ip_address,
  columns: ['enabled', 'ip_address', 'mac', 'comment'],
  fields: {
    ip_address: { label: msg('IP address') },
    mac: { label: msg('MAC'), placeholder: '11:22:33:44:55:66' },
  },
  empty: {
    text: msg('A device with a static lease always gets the same address.'),
    example: { enabled: true, ip_address: '192.168.0.40', mac: '11:22:33:44:55:66', comment: 'Printer' },
    to: { page: 'network/dhcp/leases', label: msg('Keep the address of a device that has a lease') },
  },
  row: [
    rowLink<typeof staticLeases.list>()({
      title: msg('Host page'),
      icon: 'host',
      to: ({ ip_address }) => `overview/host/${ip_address}`,
    }),
  ],
})
