// The service that agents on the computers of users connect to.

import { agentSettings, agentState } from '@gateway/server/contract/client-agent'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  sections: [
    section({ endpoints: agentState, fields: { enabled: { label: msg('Accept agents') } } }),
    section({
      endpoints: agentSettings,
      fields: {
        auth_domain: { label: msg('Address for agents') },
        device_vpn: { label: msg('Tunnels of devices') },
        trusted_ca_cert: { label: msg('Certificate of devices'), widget: 'code' },
      },
    }),
  ],
})
