// What DNS does beside answering.

import { ddns, ddnsState, dnsSettings, safeSearch, showStatus } from '@gateway/server/contract/dns'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: showStatus,
  sections: [
    section({
      endpoints: dnsSettings,
      fields: { intercept_enabled: { label: msg('Intercept queries to other servers') } },
    }),
    section({ endpoints: safeSearch, fields: { enabled: { label: msg('Safe search by DNS') } } }),
    section({
      title: msg('Dynamic DNS'),
      text: msg('A name of yours follows the external address of the gateway.'),
      endpoints: ddnsState,
      fields: { enabled: { label: msg('Keep the name up to date') } },
    }),
    section({
      endpoints: ddns,
      fields: { service_login: { label: msg('Login') }, service_password: { label: msg('Password') } },
    }),
  ],
})
