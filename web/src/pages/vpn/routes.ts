// The routes that VPN clients get.

import { pushedRoutes } from '@gateway/server/contract/vpn'
import { settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  endpoints: pushedRoutes,
  fields: {
    mode: {
      label: msg('Through the tunnel'),
      options: {
        all: msg('Everything'),
        utm: msg('Every network behind the gateway'),
        local: msg('The local networks of the gateway'),
        none: msg('Nothing'),
        custom: msg('Only these networks'),
      },
    },
    networks: { when: ({ mode }) => mode === 'custom' },
    excluded_networks: { label: msg('Except these networks') },
  },
})
