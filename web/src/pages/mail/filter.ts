// The engine that looks for spam and malware in mail.

import { filter, filterState } from '@gateway/server/contract/mail'
import { action, read, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  endpoints: filterState,
  fields: { enabled: { label: msg('Filter mail') } },
  reads: [
    read({ endpoint: filter.licence, title: msg('Licence') }),
    read({ endpoint: filter.lastUpdate, title: msg('Databases') }),
  ],
  actions: [
    action({
      endpoint: filter.uploadLicence,
      title: msg('Licence of the engine'),
      text: msg('The licence file, at most 32 KiB; only while the engine is enabled.'),
      button: msg('Upload'),
      reads: [filter.licence],
    }),
  ],
})
