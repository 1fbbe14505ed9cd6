// Devices that are seen in local networks, and how unknown ones become users.

import { discoverySettings, listDevices, showStatus } from '@gateway/server/contract/device-discovery'
import { read, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: showStatus,
  endpoints: discoverySettings,
  fields: {
    enabled: { label: msg('Add unknown devices as users') },
    group_id: { label: msg('Group for new devices') },
    networks: { label: msg('Only in these networks') },
  },
  reads: [
    read({
      endpoint: listDevices,
      title: msg('Devices seen now'),
      everyMs: 10_000,
      columns: [
        { id: 'ip', title: msg('Address'), to: ({ ip }) => `overview/host/${ip}` },
        'mac',
        'vendor',
        'hostname',
        'device',
        'last_seen',
        'user_id',
      ],
      empty: msg('No device was seen yet.'),
    }),
  ],
})
