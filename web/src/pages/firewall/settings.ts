// Whether the rules work, what is logged and counted, and what the system rules dropped from outside.

import {
  firewallSettings,
  firewallState,
  firewallStatus,
  firewallWatch,
  systemCounters,
} from '@gateway/server/contract/firewall'
import { read, section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  confirmWithin: 90,
  sections: [
    section({
      title: msg('Rules'),
      text: msg(
        'System rules always apply. Switched off, none of the five tables, the access lists and the hardware filter does.',
      ),
      endpoints: firewallState,
      fields: { enabled: { label: msg('Use the rules of the administrators') } },
    }),
    section({
      title: msg('Translation and log'),
      endpoints: firewallSettings,
      fields: {
        automatic_snat_enabled: { label: msg('Automatic SNAT') },
        log_mode: {
          label: msg('Actions that are logged'),
          hint: '',
          options: { nothing: msg('none'), all: msg('all of marked connections'), selected: msg('selected ones') },
        },
        log_actions: { label: msg('Selected actions'), when: ({ log_mode }) => log_mode === 'selected' },
      },
    }),
    section({
      title: msg('Hits'),
      endpoints: firewallWatch,
      fields: { enabled: { label: msg('Count the hits of rules') } },
    }),
  ],
  reads: [
    read({
      endpoint: firewallStatus,
      title: msg('State'),
      columns: [
        { id: 'name', title: msg('Part'), width: 200 },
        { id: 'status', title: msg('State'), width: 130 },
        { id: 'msg', title: msg('Messages'), width: 'rest' },
      ],
      everyMs: 30_000,
    }),
    read({
      endpoint: systemCounters,
      title: msg('Dropped from outside by system rules'),
      columns: [
        { id: 'rule_id', title: msg('System rule'), width: 'rest' },
        { id: 'packets', title: msg('Packets'), width: 140, isNumber: true },
      ],
      everyMs: 10_000,
    }),
  ],
})
