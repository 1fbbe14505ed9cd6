// This gateway as a central console of others.

import { consoleSettings, rulesState, serversStatus } from '@gateway/server/contract/central-console'
import { read, section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  lead: msg('Stored, not applied: no gateway is managed from here yet.'),
  sections: [
    section({ endpoints: consoleSettings, fields: { domain: { label: msg('Address for gateways') } } }),
    section({ endpoints: rulesState, fields: { enabled: { label: msg('Send rules to gateways') } } }),
  ],
  reads: [read({ endpoint: serversStatus, title: msg('State') })],
})
