// Signatures of outgoing mail, and the DNS records they need.

import { dkim } from '@gateway/server/contract/mail'
import { read, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  endpoints: { show: dkim.show, replace: dkim.replace },
  fields: { opendkim_enabled: { label: msg('Sign outgoing mail') } },
  reads: [
    read({
      endpoint: dkim.keys,
      title: msg('DNS records'),
      columns: ['domain', 'selector', 'dkim_domain_status', { id: 'public_key', width: 'rest' }],
      fields: { dkim_domain_status: { label: msg('What DNS shows') }, public_key: { label: msg('Value') } },
      empty: msg('There is a record for each mail domain.'),
    }),
  ],
})
