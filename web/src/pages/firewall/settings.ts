// Whether the rules work, what is logged and counted, and what the system rules dropped from outside.

import {
  connectionLimits,
  firewallSettings,
  firewallState,
  firewallStatus,
  firewallWatch,
  showConnectionLimits,
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
      title: msg('Limits of connections'),
      text: msg(
        'So that no host can take the table of connections from the others. 0 is the number that the gateway chooses by its memory.',
      ),
      endpoints: connectionLimits,
      fields: {
        local_host: { label: msg('Connections of a local host') },
        outside_host: { label: msg('Connections of an outside host') },
        forwarded: { label: msg('Forward new connections up to') },
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
      endpoint: showConnectionLimits,
      title: msg('Limits of connections in force'),
      fields: {
        tracked: { label: msg('Tracked now') },
        table_size: { label: msg('Size of the table') },
        local_host: { label: msg('Connections of a local host') },
        outside_host: { label: msg('Connections of an outside host') },
        forwarded: { label: msg('Forward new connections up to') },
        is_full: { label: msg('New connections are refused to all') },
        refused_local: { label: msg('Refused to local hosts') },
        refused_outside: { label: msg('Refused to outside hosts') },
        refused_full: { label: msg('Refused because of the table') },
        refused_dns: { label: msg('Refused by the DNS server') },
        hosts: { label: msg('Hosts at their limit') },
      },
      everyMs: 10_000,
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
