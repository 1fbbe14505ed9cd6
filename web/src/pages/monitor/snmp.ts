// SNMP: who may read the numbers of the gateway.

import { snmpSettings, snmpState, snmpStatus } from '@gateway/server/contract/monitor'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: snmpStatus,
  sections: [
    section({ title: msg('State'), endpoints: snmpState, fields: { enabled: { label: msg('Answer SNMP') } } }),
    section({
      title: msg('Access'),
      endpoints: snmpSettings,
      groups: [
        { title: msg('Protocol'), fields: ['version', 'community', 'user', 'password', 'private_key'] },
        { title: msg('Who may ask'), fields: ['hosts', 'allow_external'] },
        { title: msg('What the gateway says of itself'), fields: ['name', 'location', 'contact'] },
      ],
      fields: {
        version: { options: { 2: msg('1 and 2c'), 3: msg('3') } },
        community: { widget: 'secret' },
        password: { widget: 'secret' },
        private_key: { widget: 'secret' },
        hosts: { widget: 'lines' },
      },
    }),
  ],
})
