// Export of flows (NetFlow and IPFIX).

import { flowSettings, flowState, flowStatus } from '@gateway/server/contract/monitor'
import { connections } from '@gateway/server/contract/network'
import { choices, section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: flowStatus,
  lead: msg('Who talked with whom and how much, for a collector of flows.'),
  sections: [
    section({ title: msg('State'), endpoints: flowState, fields: { enabled: { label: msg('Export flows') } } }),
    section({
      title: msg('Collector'),
      endpoints: flowSettings,
      fields: {
        destination_ip: { label: msg('Address of the collector') },
        destination_port: { label: msg('Port of the collector') },
        version: { options: { 5: msg('NetFlow 5'), 9: msg('NetFlow 9'), 10: msg('IPFIX') } },
        exported_interfaces: {
          label: msg('Interfaces'),
          choices: choices({
            endpoint: connections.list,
            value: ({ id }) => `interface.id.${id}`,
            label: ({ title }) => title,
          }),
        },
        active_flow_interval: { unit: msg('s') },
        template_tx_counter: { label: msg('Template every'), unit: msg('packets') },
        template_tx_interval: { label: msg('Template at least every'), unit: msg('s') },
      },
    }),
  ],
})
